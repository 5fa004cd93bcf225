#include "common/sampling_clock.h"

#include <string.h>

bool sampling_clock_needs_thread(enum sampling_clock clock)
{
    return clock == SAMPLING_CLOCK_WALL;
}

const char *sampling_clock_name(enum sampling_clock clock)
{
    static const char *const names[] = {
#define X(name, number, text) [SAMPLING_CLOCK_##name] = text,
        SAMPLING_CLOCKS(X)
#undef X
    };
    return names[clock];
}

const char *clock_refusal_text(enum clock_refusal refusal)
{
    static const char *const texts[] = {
#define X(name, number, text) [CLOCK_REFUSAL_##name] = text,
        CLOCK_REFUSALS(X)
#undef X
    };
    return texts[refusal];
}

enum clock_refusal clock_refusal_named(const char *text)
{
    for (int refusal = 0; refusal < CLOCK_REFUSAL_COUNT; refusal++)
        if (strcmp(text, clock_refusal_text((enum clock_refusal)refusal)) == 0)
            return (enum clock_refusal)refusal;
    return CLOCK_REFUSAL_OTHER;
}

enum sampling_clock sampling_clock_checked(uint32_t number)
{
    return number < SAMPLING_CLOCK_COUNT ? (enum sampling_clock)number : SAMPLING_CLOCK_AUTO;
}

enum clock_refusal clock_refusal_checked(uint32_t number)
{
    return number < CLOCK_REFUSAL_COUNT ? (enum clock_refusal)number : CLOCK_REFUSAL_OTHER;
}

uint64_t sampling_interval_checked(uint64_t interval_ns)
{
    return interval_ns <= SAMPLING_INTERVAL_MOST_NS ? interval_ns : 0;
}
