#include "child-agent/sampler/signal_choice.h"

#include <assert.h>

enum {
    FIRST_NUMBER = SIGURG,
    SECOND_NUMBER = SIGWINCH,
    LAST_ORDINARY_SIGNAL = 31,
    MOST_SIGNALS = 16, /* of 29 that can be blocked */
};

enum signal_use signal_use_of(int number, int chosen)
{
    if (chosen != 0)
        return number == chosen ? USES_FIRST : USES_NONE_OF_OURS;
    if (number == FIRST_NUMBER)
        return USES_FIRST;
    return number == SECOND_NUMBER ? USES_SECOND : USES_NONE_OF_OURS;
}

enum signal_place signal_place_after(enum signal_place place, enum signal_use use)
{
    if (use == USES_NONE_OF_OURS)
        return place;
    switch (place) {
    case SIGNAL_AT_FIRST:
        return use == USES_FIRST ? SIGNAL_AT_SECOND : SIGNAL_AT_FIRST_ONLY;
    case SIGNAL_AT_FIRST_ONLY:
        return use == USES_FIRST ? SIGNAL_SHARED : place;
    case SIGNAL_AT_SECOND:
        return use == USES_SECOND ? SIGNAL_SHARED : place;
    case SIGNAL_SHARED:
        return place;
    case SIGNAL_CHOSEN:
    case SIGNAL_CHOSEN_SHARED:
    default:
        assert(use == USES_FIRST);
        return SIGNAL_CHOSEN_SHARED;
    }
}

int signal_number_at(enum signal_place place, int chosen)
{
    switch (place) {
    case SIGNAL_AT_SECOND:
        return SECOND_NUMBER;
    case SIGNAL_CHOSEN:
    case SIGNAL_CHOSEN_SHARED:
        return chosen;
    case SIGNAL_AT_FIRST:
    case SIGNAL_AT_FIRST_ONLY:
    case SIGNAL_SHARED:
    default:
        return FIRST_NUMBER;
    }
}

uint64_t signal_unused_at(enum signal_place place, int chosen)
{
    const uint64_t first = UINT64_C(1) << (FIRST_NUMBER - 1);
    const uint64_t second = UINT64_C(1) << (SECOND_NUMBER - 1);
    switch (place) {
    case SIGNAL_AT_FIRST:
        return first | second;
    case SIGNAL_AT_FIRST_ONLY:
        return first;
    case SIGNAL_AT_SECOND:
        return second;
    case SIGNAL_CHOSEN:
        return UINT64_C(1) << (chosen - 1);
    case SIGNAL_SHARED:
    case SIGNAL_CHOSEN_SHARED:
    default:
        return 0;
    }
}

bool signal_is_shared_at(enum signal_place place)
{
    return place == SIGNAL_SHARED || place == SIGNAL_CHOSEN_SHARED;
}

bool signal_set_is_general(const sigset_t *set)
{
    int count = 0;
    for (int number = 1; number <= LAST_ORDINARY_SIGNAL; number++)
        count += number != SIGKILL && number != SIGSTOP && sigismember(set, number) == 1;
    return count >= MOST_SIGNALS;
}
