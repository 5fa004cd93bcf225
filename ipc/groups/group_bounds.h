/* What a process can have used at most: it writes its own table of groups, and may write anything
 * there. What is more than its life could hold is cut, so that sums over processes stay sane.
 *
 * Pure; any thread. */
#ifndef PROFD_IPC_GROUP_BOUNDS_H
#define PROFD_IPC_GROUP_BOUNDS_H

#include <stdint.h>

#include "buffer/group_reader.h"
#include "ipc/groups/group_snapshot.h"

struct group_bounds {
    uint64_t cpu_ns, wall_ns;
    uint64_t count; /* of whatever happens one after the other */
};

/* Those of PROCESS, which has lived until NOW_NS when it has no end, on a machine of PROCESSORS. */
struct group_bounds group_bounds_of(const struct group_snapshot_process *process,
                                    uint64_t processors, uint64_t now_ns);

/* Cuts what GROUP has. */
void group_bounds_cut(const struct group_bounds *bounds, struct group_view *group);

/* The same for one count. */
uint64_t group_bounds_count(const struct group_bounds *bounds, uint64_t count);

/* A + B, or as much as there is. */
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
