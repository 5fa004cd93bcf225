/* The most that a process can have used. A process writes its own table of groups, and may write
 * anything there; numbers are cut to what fits into its lifetime, so that sums over processes stay
 * sane.
 *
 * Pure; any thread. */
#ifndef PROFD_IPC_GROUP_BOUNDS_H
#define PROFD_IPC_GROUP_BOUNDS_H

#include <stdint.h>

#include "buffer/group_reader.h"
#include "ipc/groups/group_snapshot.h"

struct group_bounds {
    uint64_t cpu_ns, wall_ns;
    uint64_t count; /* of anything that happens one at a time */
};

/* The bounds of PROCESS, which has lived until NOW_NS if it has no end, on a machine with
 * PROCESSORS. */
struct group_bounds group_bounds_of(const struct group_snapshot_process *process,
                                    uint64_t processors, uint64_t now_ns);

/* Cuts the numbers of GROUP to BOUNDS. */
void group_bounds_cut(const struct group_bounds *bounds, struct group_view *group);

/* The same for one count. */
uint64_t group_bounds_count(const struct group_bounds *bounds, uint64_t count);

/* A + B, or UINT64_MAX if that overflows. */
static inline uint64_t group_sum_of(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* The same into *SUM. */
static inline void group_sum_add(uint64_t *sum, uint64_t value)
{
    *sum = group_sum_of(*sum, value);
}

#endif
