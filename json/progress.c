#include "json/progress.h"

#include <stddef.h>

/* POSITION (of PROGRESS_SCALE) inside [BEGIN, END], rounded down. */
static proportion_value position_within(proportion_value begin, proportion_value end,
                                        proportion_value position)
{
    if (position > PROGRESS_SCALE)
        position = PROGRESS_SCALE;
    return begin + (proportion_value)((uint64_t)(end - begin) * position / PROGRESS_SCALE);
}

proportion_value proportion_of(uint64_t done, uint64_t total)
{
    if (done >= total)
        return PROGRESS_SCALE;
    return (proportion_value)((unsigned __int128)done * PROGRESS_SCALE / total);
}

struct progress progress_whole(struct progress_value *global)
{
    return (struct progress){ .global = global, .begin = 0, .end = PROGRESS_SCALE };
}

struct progress progress_part(const struct progress *parent, proportion_value from,
                              proportion_value to)
{
    if (parent == NULL)
        return (struct progress){ .global = NULL, .begin = 0, .end = PROGRESS_SCALE };
    if (from > to)
        from = to;
    return (struct progress){
        .global = parent->global,
        .begin = position_within(parent->begin, parent->end, from),
        .end = position_within(parent->begin, parent->end, to),
    };
}

struct progress progress_step(const struct progress *parent, uint64_t done, uint64_t total)
{
    return progress_part(parent, proportion_of(done, total), proportion_of(done + 1, total));
}

/* Only forwards, also when others report at the same time. */
static void raise_proportion(_Atomic proportion_value *proportion, proportion_value reached)
{
    proportion_value seen = atomic_load_explicit(proportion, memory_order_relaxed);
    while (seen < reached &&
           !atomic_compare_exchange_weak_explicit(proportion, &seen, reached, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

void progress_report(const struct progress *progress, proportion_value local)
{
    if (progress == NULL || progress->global == NULL)
        return;
    raise_proportion(&progress->global->proportion,
                     position_within(progress->begin, progress->end, local));
}
