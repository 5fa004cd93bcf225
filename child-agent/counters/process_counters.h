/* Counters that the kernel keeps for a process: CPU time, memory and context switches.
 *
 * They are like the counters of the program (child-agent/counters/counters.h), but are read instead
 * of being added to. What the thread uses that reads them is not included. Called with the
 * sampler's lock held. */
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
    int index[PROCESS_COUNTER_TOTAL]; /* index among all counters; negative: not recorded */
    int64_t value[PROCESS_COUNTER_TOTAL];
    bool has_own_descriptors;
    bool keeps_file;
    bool has_no_memory;  /* memory cannot be read */
    bool is_memory_told; /* the user was told that it cannot */
    int memory_fd;       /* in the sampler's own descriptor table; -1: not open */
    uint64_t memory_due_ns;
};

/* Registers the counters that FEATURES request, and reads their current values, since what was
 * counted earlier does not belong to the session. Any thread. */
void process_counters_begin(struct process_counters *counters, uint64_t features);

/* The remaining part, called by the thread that reads them. Without a descriptor table of its own
 * it opens nothing, because the program would notice. What cannot be read is reported in the
 * profile. */
void process_counters_begin_in_sampler(struct process_counters *counters, bool has_own_descriptors);

/* Called after process_counters_begin_in_sampler() by a thread that ends with the session, and with
 * it its descriptors: the file of memory stays open between two readings. */
void process_counters_keep_file(struct process_counters *counters);

/* Reads the counters; CPU_NS is the CPU time of the process's other threads. Memory, which is more
 * expensive, is read at most fifty times a second. The thread that samples or looks. */
void process_counters_read(struct process_counters *counters, uint64_t cpu_ns);

/* Like process_counters_read(), in the handler of the only thread. Whatever it opens it closes
 * before the program continues. */
void process_counters_read_alone(struct process_counters *counters);

/* Like process_counters_read_alone(), for the last time before a process of one thread ends. Does
 * not read memory, since opening that file of /proc would make the exit more expensive. */
void process_counters_read_last(struct process_counters *counters);

/* Reports once in the profile what could not be read. Not in signal handlers. */
void process_counters_log_missing(struct process_counters *counters);

/* Stores the values that were read last in TOTALS, by index. */
void process_counters_apply(const struct process_counters *counters, struct counter_total *totals);

#endif
