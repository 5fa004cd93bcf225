#include "common/clock_choice.h"

#include <errno.h>
#include <string.h>

#include "common/suggest.h"

static const char *const names[] = {
#define X(name, number, text) [number] = text,
    SAMPLING_CLOCKS(X)
#undef X
};

int clock_choice_parse(const char *text, enum sampling_clock *clock)
{
    for (int candidate = 0; candidate < SAMPLING_CLOCK_COUNT; candidate++) {
        if (strcmp(text, names[candidate]) == 0) {
            *clock = (enum sampling_clock)candidate;
            return 0;
        }
    }
    return -EINVAL;
}

const char *clock_choice_nearest(const char *word)
{
    return suggest_nearest(word, names, SAMPLING_CLOCK_COUNT);
}
