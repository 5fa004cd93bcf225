/* Counts how many processes use which sampling clock, according to their arenas. Pure. */
#ifndef PROFD_BUFFER_CLOCK_SUMMARY_H
#define PROFD_BUFFER_CLOCK_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "common/sampling_clock.h"

/* Processes that use the same clock for the same reason. */
struct clock_group {
    enum sampling_clock clock;  /* never AUTO */
    enum clock_refusal refusal; /* why the requested clock was refused */
    uint64_t processes;
    uint64_t shortest_ns, longest_ns; /* intervals; 0: not known */
};

enum { CLOCK_GROUPS_MOST = (SAMPLING_CLOCK_COUNT - 1) * CLOCK_REFUSAL_COUNT };

/* A zeroed summary contains no process. */
struct clock_summary {
    size_t count;
    struct clock_group groups[CLOCK_GROUPS_MOST];
};

/* Adds PROCESS, a group of one or more processes. A group whose clock is AUTO has no clock yet and
 * is ignored. */
void clock_summary_add(struct clock_summary *summary, const struct clock_group *process);

/* Sorts the groups by number of processes, largest first. */
void clock_summary_sort(struct clock_summary *summary);

#endif
