/* How many processes have which sampling clock, from what their arenas say. Pure. */
#ifndef PROFD_BUFFER_CLOCK_SUMMARY_H
#define PROFD_BUFFER_CLOCK_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "common/sampling_clock.h"

/* Processes with the same clock, for the same reason. */
struct clock_group {
    enum sampling_clock clock;  /* never AUTO */
    enum clock_refusal refusal; /* of the one that was asked for */
    uint64_t processes;
    uint64_t shortest_ns, longest_ns; /* intervals; 0: none is known */
};

enum { CLOCK_GROUPS_MOST = (SAMPLING_CLOCK_COUNT - 1) * CLOCK_REFUSAL_COUNT };

/* Zeroed: no process yet. */
struct clock_summary {
    size_t count;
    struct clock_group groups[CLOCK_GROUPS_MOST];
};

/* Counts PROCESS: a group of one process, or of some. One whose clock is AUTO has none yet and is
 * left out. */
void clock_summary_add(struct clock_summary *summary, const struct clock_group *process);

/* Those of most processes first. */
void clock_summary_sort(struct clock_summary *summary);

#endif
