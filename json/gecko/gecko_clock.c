#include "json/gecko/gecko_clock.h"

#include <time.h>

#include "buffer/clock.h"

enum { READINGS = 8 };

static int64_t read_ns(clockid_t clock)
{
    return (int64_t)clock_read_ns(clock);
}

/* Wall clock minus monotonic clock, from the reading that was interrupted least. */
static int64_t read_offset_ns(void)
{
    int64_t offset = 0, shortest = INT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        int64_t before = read_ns(CLOCK_MONOTONIC);
        int64_t wall = read_ns(CLOCK_REALTIME);
        int64_t after = read_ns(CLOCK_MONOTONIC);
        if (after - before < shortest) {
            shortest = after - before;
            offset = wall - (before + (after - before) / 2);
        }
    }
    return offset;
}

uint64_t gecko_clock_unix_ns(uint64_t monotonic_ns)
{
    return monotonic_ns + (uint64_t)read_offset_ns();
}
