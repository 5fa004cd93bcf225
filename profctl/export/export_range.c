#include "profctl/export/export_range.h"

#include "common/time_units.h"

static const uint64_t grace_ns = UINT64_C(1) * EXPORT_GRACE_MS * NS_PER_MS;

/* So long is it since a minute ended whose records can be read. */
static uint64_t since_minute(uint64_t every_ns, const struct export_clocks *now)
{
    int64_t into_ns = (now->unix_ns - (int64_t)grace_ns) % (int64_t)every_ns;

    if (into_ns < 0)
        into_ns += (int64_t)every_ns;
    return (uint64_t)into_ns + grace_ns;
}

/* Of long minutes no range is longer than one and a half, unless profd was not to be had. */
static uint64_t max_range_ns(uint64_t every_ns)
{
    uint64_t least_ns = UINT64_C(1) * EXPORT_MAX_MS * NS_PER_MS;

    return 2 * every_ns > least_ns ? 2 * every_ns : least_ns;
}

static void put_range(uint64_t from_ns, uint64_t to_ns, uint64_t every_ns,
                      const struct export_clocks *now, struct export_range *out)
{
    uint64_t max_ns = max_range_ns(every_ns);

    *out = (struct export_range){ .from_ns = from_ns, .to_ns = to_ns };
    if (out->to_ns - out->from_ns > max_ns) {
        out->lost_ms = (out->to_ns - out->from_ns - max_ns) / NS_PER_MS;
        out->from_ns = out->to_ns - max_ns;
    }
    out->ask_last_ms = (now->monotonic_ns - out->from_ns) / NS_PER_MS + 1 + EXPORT_OVERLAP_MS;
}

bool export_range_next(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out)
{
    uint64_t since_ns = since_minute(every_ns, now);

    if (since_ns >= now->monotonic_ns || now->monotonic_ns - since_ns < covered_ns + every_ns / 2)
        return false;
    put_range(covered_ns, now->monotonic_ns - since_ns, every_ns, now, out);
    return true;
}

bool export_range_rest(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out)
{
    if (now->monotonic_ns <= covered_ns)
        return false;
    put_range(covered_ns, now->monotonic_ns, every_ns, now, out);
    return true;
}

uint64_t export_range_wait_ms(uint64_t every_ns, const struct export_clocks *now)
{
    return (every_ns + grace_ns - since_minute(every_ns, now)) / NS_PER_MS + 1;
}
