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

/* As captures of earlier versions have them. */
static const struct {
    const char *text;
    enum clock_refusal refusal;
} former_texts[] = {
    { "a seccomp filter is in place", CLOCK_REFUSAL_FILTER },
    { "none of its threads had a perf event yet", CLOCK_REFUSAL_NOT_YET },
    { "it has one thread and joined a session that had begun", CLOCK_REFUSAL_ALONE },
    { "PROFD_SIGNAL would end a program that it meets right after an exec",
      CLOCK_REFUSAL_DEADLY_SIGNAL },
};

enum clock_refusal clock_refusal_named(const char *text)
{
    for (int refusal = 0; refusal < CLOCK_REFUSAL_COUNT; refusal++)
        if (strcmp(text, clock_refusal_text((enum clock_refusal)refusal)) == 0)
            return (enum clock_refusal)refusal;
    for (size_t i = 0; i < sizeof(former_texts) / sizeof(former_texts[0]); i++)
        if (strcmp(text, former_texts[i].text) == 0)
            return former_texts[i].refusal;
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
    return interval_ns <= SAMPLING_INTERVAL_MAX_NS ? interval_ns : 0;
}
