/* Counters that the kernel keeps of a process, whatever its program does: CPU time, memory and
 * context switches.
 *
 * They are counters like those of the program (child-agent/counters/counters.h), but are read, not
 * added to. What the sampler's own thread uses does not count. Sampler's lock held. */
#ifndef PROFD_AGENT_PROCESS_COUNTERS_H
#define PROFD_AGENT_PROCESS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/sampler_entry.h"

enum process_counter {
    PROCESS_COUNTER_CPU,
    PROCESS_COUNTER_MEMORY,
    PROCESS_COUNTER_VOLUNTARY_SWITCHES,
    PROCESS_COUNTER_INVOLUNTARY_SWITCHES,
    PROCESS_COUNTER_TOTAL
};

struct process_counters {
    int index[PROCESS_COUNTER_TOTAL]; /* among all counters; negative: not recorded */
    int64_t value[PROCESS_COUNTER_TOTAL];
    bool has_own_descriptors;
    bool has_no_memory;  /* it cannot be read */
    bool is_memory_told; /* that it cannot */
    int memory_fd;       /* of the sampler's own table; -1: not open */
    uint64_t memory_due_ns;
};

/* Registers those that FEATURES ask for, and reads what they stand at: what was before is not the
 * session's. Any thread. */
void process_counters_begin(struct process_counters *counters, uint64_t features);

/* The rest of it, by the sampler's thread, whose descriptors end with it. Without a table of its
 * own it opens nothing: the program would see that. What cannot be read is told in the profile. */
void process_counters_begin_in_sampler(struct process_counters *counters, bool has_own_descriptors);

/* Reads them, at CPU_NS of CPU time of the process' other threads; the sampler's thread only.
 * Memory, which is dearer, at most fifty times a second. */
void process_counters_read(struct process_counters *counters, uint64_t cpu_ns);

/* The same in the handler of the only thread: what it opens, it closes before the program
 * continues. */
void process_counters_read_alone(struct process_counters *counters);

/* The last time in a process of one thread, which is about to end: but for memory, of which a file
 * of /proc tells that would make its end dearer. */
void process_counters_read_last(struct process_counters *counters);

/* Says in the profile what could not be read, once. Not in signal handlers. */
void process_counters_log_missing(struct process_counters *counters);

/* Puts what was read last into TOTALS, by index. */
void process_counters_apply(const struct process_counters *counters, struct counter_total *totals);

#endif
