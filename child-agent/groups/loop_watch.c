#include "child-agent/groups/loop_watch.h"

#include <errno.h>
#include <stddef.h>

#include "child-agent/groups/stopwatch.h"

enum { COMES_BACK = 3 };

bool loop_sight_note(struct loop_sight *sight, const void *place)
{
    if (place == sight->place) {
        sight->others = 0;
        return true;
    }
    sight->others = place == sight->other ? sight->others + 1 : 1;
    sight->other = place;
    if (sight->others < COMES_BACK)
        return false;
    sight->place = place;
    sight->others = 0;
    return true;
}

static bool is_of_loop(const void *place)
{
    struct loop_sight *sight = stopwatch_take_sight();
    return sight != NULL && loop_sight_note(sight, place) &&
           stopwatch_note_loop(STOPWATCH_SEEN_LOOP);
}

enum watched_wait loop_watch_begin_slowly(const void *place)
{
    int call_errno = errno;
    enum watched_wait wait = WAIT_IS_NOTHING;
    if (stopwatch_begin_wait()) {
        wait = WAIT_IN_UNIT;
    } else if (is_of_loop(place)) {
        wait = WAIT_OF_LOOP;
        stopwatch_end_iteration();
    } else if (stopwatch_begin_first_wait()) {
        wait = WAIT_BETWEEN;
    }
    errno = call_errno;
    return wait;
}

enum watched_wait sleep_watch_begin_slowly(void)
{
    int call_errno = errno;
    bool is_first = stopwatch_begin_first_wait();
    errno = call_errno;
    return is_first ? WAIT_BETWEEN : WAIT_IS_NOTHING;
}

enum watched_wait blocked_watch_begin_slowly(void)
{
    int call_errno = errno;
    bool is_blocked = stopwatch_begin_wait();
    errno = call_errno;
    return is_blocked ? WAIT_IN_UNIT : WAIT_IS_NOTHING;
}

void loop_watch_end_slowly(enum watched_wait wait, bool has_come)
{
    int call_errno = errno;
    if (wait == WAIT_OF_LOOP)
        stopwatch_begin_iteration();
    else if (wait == WAIT_BETWEEN)
        stopwatch_end_first_wait(has_come);
    else
        stopwatch_end_wait();
    errno = call_errno;
}
