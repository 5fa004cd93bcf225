/* The highest costs of single iterations of a performance group in the last few seconds. An alert
 * reports them with the thresholds that were exceeded.
 *
 * They have a record of their own in the table of groups (buffer/group_table.h). A group gets it
 * with its first iteration of more than 1 ms, so that groups that are never janky take no room for
 * it. Time is divided into windows of half a second on CLOCK_MONOTONIC, and the latest windows are
 * kept; a reader that looks once a second misses none. */
#ifndef PROFD_BUFFER_GROUP_PEAKS_H
#define PROFD_BUFFER_GROUP_PEAKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/group_table.h"
#include "common/time_units.h"

struct arena;

#define GROUP_PEAKS_WINDOW_NS ((uint64_t)500 * NS_PER_MS)
#define GROUP_PEAKS_ABOVE_NS  ((uint64_t)NS_PER_MS) /* shorter iterations are not peaks */

enum { GROUP_PEAKS_WINDOWS = 8 };

/* Each word holds the number of its window in the upper half and, in the lower 32 bits,
 * microseconds or a thread. The first two members are the same as in struct group_record. */
struct group_peaks {
    uint32_t bytes;
    uint32_t flags; /* GROUP_IS_PEAKS */
    uint64_t of;    /* the offset of the group's record in the table */
    _Atomic uint64_t cpu[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t wall[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t blocked[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t threads[GROUP_PEAKS_WINDOWS]; /* the thread with the latest of these peaks */
};

/* The highest costs within a period; 0 if there were none above 1 ms. */
struct group_highest {
    bool is_known; /* if false, all members are 0 */
    uint64_t cpu_ns, wall_ns, blocked_ns;
    int32_t thread; /* a thread that had one of these peaks; 0: not known */
};

/* Adds a record for the peaks of RECORD. One thread at a time. Returns 0 with *OUT, or -ENOSPC as
 * group_table_add(). */
int group_peaks_add(struct arena *arena, const struct group_record *record,
                    struct group_peaks **out);

/* Returns whether an iteration with COSTS must be noted. */
static inline bool group_peaks_are_reached(const struct group_costs *costs)
{
    return costs->cpu_ns > GROUP_PEAKS_ABOVE_NS || costs->wall_ns > GROUP_PEAKS_ABOVE_NS ||
           costs->blocked_ns > GROUP_PEAKS_ABOVE_NS;
}

/* Notes that an iteration with COSTS ended in THREAD at NOW_NS. Any thread; several may call it at
 * once. */
void group_peaks_note(struct group_peaks *peaks, const struct group_costs *costs, int32_t thread,
                      uint64_t now_ns);

/* Returns the peaks that are new in NOW, which was read at NOW_NS, since BEFORE, which was read at
 * SINCE_NS. Either is NULL if the group had no peaks. The result is not known if more than three
 * seconds lie between the two. A peak that is lower than one that BEFORE already has of the same
 * window is missed. NOW and BEFORE may have any content. Pure. */
struct group_highest group_peaks_between(const struct group_peaks *before, uint64_t since_ns,
                                         const struct group_peaks *now, uint64_t now_ns);

#endif
