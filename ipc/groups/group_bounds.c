#include "ipc/groups/group_bounds.h"

enum { MOST_THREADS = 1024 }; /* whose times on the wall are believed to be one process' */

static uint64_t saturated_product(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void limit_value(uint64_t *value, uint64_t most)
{
    if (*value > most)
        *value = most;
}

struct group_bounds group_bounds_of(const struct group_snapshot_process *process,
                                    uint64_t processors, uint64_t now_ns)
{
    uint64_t end_ns = process->end_ns != 0 ? process->end_ns : now_ns;
    uint64_t life_ns = end_ns > process->start_ns ? end_ns - process->start_ns : 0;

    return (struct group_bounds){ .cpu_ns = saturated_product(life_ns, processors),
                                  .wall_ns = saturated_product(life_ns, MOST_THREADS),
                                  .count = life_ns };
}

void group_bounds_cut(const struct group_bounds *bounds, struct group_view *group)
{
    limit_value(&group->ticks, bounds->count);
    limit_value(&group->costs.cpu_ns, bounds->cpu_ns);
    limit_value(&group->costs.unattributed_ns, bounds->cpu_ns);
    limit_value(&group->costs.wall_ns, bounds->wall_ns);
    limit_value(&group->costs.blocked_ns, bounds->wall_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        limit_value(&group->cpu_exceeded[i], group->ticks);
        limit_value(&group->wall_exceeded[i], group->ticks);
    }
}

uint64_t group_bounds_count(const struct group_bounds *bounds, uint64_t count)
{
    limit_value(&count, bounds->count);
    return count;
}
