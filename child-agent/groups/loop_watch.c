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

bool loop_watch_begin_slowly(const void *place)
{
    int call_errno = errno;
    struct loop_sight *sight = stopwatch_take_sight();
    bool is_loop =
        sight != NULL && loop_sight_note(sight, place) && stopwatch_note_loop(STOPWATCH_SEEN_LOOP);
    if (is_loop)
        stopwatch_end_iteration();
    errno = call_errno;
    return is_loop;
}

void loop_watch_end_slowly(void)
{
    int call_errno = errno;
    stopwatch_begin_iteration();
    errno = call_errno;
}
