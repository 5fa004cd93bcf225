#include "buffer/group_table.h"

#include "common/time_units.h"

_Static_assert(sizeof(struct group_record) == 232, "256 bytes with a usual name");

unsigned group_thresholds_exceeded(uint64_t duration_ns)
{
    uint64_t ms = duration_ns / NS_PER_MS;
    bool is_whole = duration_ns % NS_PER_MS == 0;
    unsigned count = 0;
    while (count < GROUP_THRESHOLDS &&
           (ms > UINT64_C(1) << count || (ms == UINT64_C(1) << count && !is_whole)))
        count++;
    return count;
}

static void count_exceeded(_Atomic uint64_t *counts, uint64_t duration_ns)
{
    unsigned exceeded = group_thresholds_exceeded(duration_ns);
    for (unsigned i = 0; i < exceeded; i++)
        atomic_fetch_add_explicit(&counts[i], 1, memory_order_relaxed);
}

static void add_amount(_Atomic uint64_t *total, uint64_t amount)
{
    if (amount != 0)
        atomic_fetch_add_explicit(total, amount, memory_order_relaxed);
}

void group_record_add(struct group_record *record, const struct group_costs *costs)
{
    add_amount(&record->cpu_ns, costs->cpu_ns);
    add_amount(&record->wall_ns, costs->wall_ns);
    add_amount(&record->blocked_ns, costs->blocked_ns);
    add_amount(&record->unattributed_ns, costs->unattributed_ns);
}

void group_record_commit(struct group_record *record, const struct group_costs *costs)
{
    group_record_add(record, costs);
    add_amount(&record->ticks, 1);
    count_exceeded(record->cpu_exceeded, costs->cpu_ns);
    count_exceeded(record->wall_exceeded, costs->wall_ns);
}
