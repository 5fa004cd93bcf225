/* The highest costs of an iteration of a performance group in the last few seconds, which an alert
 * reports with the thresholds that were exceeded.
 *
 * A record of its own in the table of groups (buffer/group_table.h), which a group gets with its
 * first iteration of more than 1 ms, so that those that are never janky take no room for it. Time
 * is cut into windows of half a second on CLOCK_MONOTONIC, of which the latest are kept: a reader
 * that looks once a second misses none. */
#ifndef PROFD_BUFFER_GROUP_PEAKS_H
#define PROFD_BUFFER_GROUP_PEAKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/group_table.h"
#include "common/time_units.h"

struct arena;

#define GROUP_PEAKS_WINDOW_NS ((uint64_t)500 * NS_PER_MS)
#define GROUP_PEAKS_ABOVE_NS  ((uint64_t)NS_PER_MS) /* shorter iterations are none */

enum { GROUP_PEAKS_WINDOWS = 8 };

/* Each is the number of its window, and then 32 bits of microseconds, or a thread. The first two
 * members are as in struct group_record. */
struct group_peaks {
    uint32_t bytes;
    uint32_t flags; /* GROUP_IS_PEAKS */
    uint64_t of;    /* the place of the group's record in the table */
    _Atomic uint64_t cpu[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t wall[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t blocked[GROUP_PEAKS_WINDOWS];
    _Atomic uint64_t threads[GROUP_PEAKS_WINDOWS]; /* that had the last of these */
};

/* The highest in a while; 0: there was none above 1 ms. */
struct group_highest {
    bool is_known; /* else all are 0 */
    uint64_t cpu_ns, wall_ns, blocked_ns;
    int32_t thread; /* that had one of them; 0: not known */
};

/* Adds those of RECORD. One thread at a time. 0 with *OUT, or -ENOSPC as group_table_add(). */
int group_peaks_add(struct arena *arena, const struct group_record *record,
                    struct group_peaks **out);

/* Whether an iteration of COSTS is to be noted. */
static inline bool group_peaks_are_reached(const struct group_costs *costs)
{
    return costs->cpu_ns > GROUP_PEAKS_ABOVE_NS || costs->wall_ns > GROUP_PEAKS_ABOVE_NS ||
           costs->blocked_ns > GROUP_PEAKS_ABOVE_NS;
}

/* An iteration of COSTS has ended in THREAD at NOW_NS. Any thread, and several at once. */
void group_peaks_note(struct group_peaks *peaks, const struct group_costs *costs, int32_t thread,
                      uint64_t now_ns);

/* What is new in NOW, which was read at NOW_NS, after BEFORE, which was read at SINCE_NS; NULL: the
 * group had none. Not known when that is longer than three seconds. What was lower than another one
 * of the same window that BEFORE has already is missed. Both may have any content. Pure. */
struct group_highest group_peaks_between(const struct group_peaks *before, uint64_t since_ns,
                                         const struct group_peaks *now, uint64_t now_ns);

#endif
