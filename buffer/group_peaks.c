#include "buffer/group_peaks.h"

#include "buffer/group_table_writer.h"
#include "common/time_units.h"

enum { VALUE_BITS = 32 };

int group_peaks_add(struct arena *arena, const struct group_record *record,
                    struct group_peaks **out)
{
    const uint8_t *table = (const uint8_t *)arena->header + arena->header->groups.offset;
    void *room;
    int error = group_table_take(arena, sizeof(**out), &room);
    if (error < 0)
        return error;
    *out = room;
    (*out)->bytes = sizeof(**out);
    (*out)->flags = GROUP_IS_PEAKS;
    (*out)->of = (uint64_t)((const uint8_t *)record - table);
    group_table_publish(arena, sizeof(**out));
    return 0;
}

/* --- Noting --- */

static uint32_t window_of(uint64_t time_ns)
{
    return (uint32_t)(time_ns / GROUP_PEAKS_WINDOW_NS);
}

static uint64_t pack_peak(uint32_t window, uint32_t value)
{
    return (uint64_t)window << VALUE_BITS | value;
}

static uint32_t to_microseconds(uint64_t ns)
{
    uint64_t us = (ns + NS_PER_US / 2) / NS_PER_US;
    return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

/* Raises PEAK to WANTED, unless it is as high already; one of an earlier window always is lower.
 * Returns whether it did. */
static bool raise_peak(_Atomic uint64_t *peak, uint64_t wanted)
{
    uint64_t seen = atomic_load_explicit(peak, memory_order_relaxed);
    while (seen < wanted) {
        if (atomic_compare_exchange_weak_explicit(peak, &seen, wanted, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

void group_peaks_note(struct group_peaks *peaks, const struct group_costs *costs, int32_t thread,
                      uint64_t now_ns)
{
    uint32_t window = window_of(now_ns), at = window % GROUP_PEAKS_WINDOWS;
    bool is_cpu = raise_peak(&peaks->cpu[at], pack_peak(window, to_microseconds(costs->cpu_ns)));
    bool is_wall = raise_peak(&peaks->wall[at], pack_peak(window, to_microseconds(costs->wall_ns)));
    bool is_blocked =
        raise_peak(&peaks->blocked[at], pack_peak(window, to_microseconds(costs->blocked_ns)));
    if (is_cpu || is_wall || is_blocked)
        atomic_store_explicit(&peaks->threads[at], pack_peak(window, (uint32_t)thread),
                              memory_order_relaxed);
}

/* --- Reading --- */

/* One window. */
struct look {
    uint32_t first, last;
    bool has_news;
};

static void take_new_peak(struct look *look, const _Atomic uint64_t *before,
                          const _Atomic uint64_t *now, uint64_t *highest_ns)
{
    uint64_t packed = atomic_load_explicit(now, memory_order_relaxed);
    uint32_t window = (uint32_t)(packed >> VALUE_BITS);
    uint64_t value_ns = (uint64_t)(uint32_t)packed * NS_PER_US;
    if (window < look->first || window > look->last ||
        packed == atomic_load_explicit(before, memory_order_relaxed))
        return;
    look->has_news = true;
    if (value_ns > *highest_ns)
        *highest_ns = value_ns;
}

struct group_highest group_peaks_between(const struct group_peaks *before, uint64_t since_ns,
                                         const struct group_peaks *now, uint64_t now_ns)
{
    static const struct group_peaks none;
    struct group_highest highest = { 0 };
    if (now_ns < since_ns || now_ns - since_ns > (GROUP_PEAKS_WINDOWS - 2) * GROUP_PEAKS_WINDOW_NS)
        return highest;
    highest.is_known = true;
    before = before != NULL ? before : &none;
    now = now != NULL ? now : &none;
    for (unsigned i = 0; i < GROUP_PEAKS_WINDOWS; i++) {
        /* Reading takes a moment, in which another window may have begun. */
        struct look look = { .first = window_of(since_ns), .last = window_of(now_ns) + 1 };
        take_new_peak(&look, &before->cpu[i], &now->cpu[i], &highest.cpu_ns);
        take_new_peak(&look, &before->wall[i], &now->wall[i], &highest.wall_ns);
        take_new_peak(&look, &before->blocked[i], &now->blocked[i], &highest.blocked_ns);
        if (look.has_news)
            highest.thread =
                (int32_t)(uint32_t)atomic_load_explicit(&now->threads[i], memory_order_relaxed);
    }
    return highest;
}
