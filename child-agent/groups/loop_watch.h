/* Detects the event loops of programs that do not know about profd, by the calls in which they
 * wait: poll, select, epoll and the like.
 *
 * A thread counts as having an event loop when it comes back to the same waiting call, identified
 * by the address that it is called from, for the third time in a row with no other such call in
 * between. From then on each return of that call begins an iteration, and the next such call ends
 * it. Waits at other places are part of the iteration, and waits inside units are never a loop. If
 * the thread comes to another place as often in a row, its loop is there from then on.
 *
 * Called by the measured thread itself. Preserves errno. */
#ifndef PROFD_AGENT_LOOP_WATCH_H
#define PROFD_AGENT_LOOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/groups/groups.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/threads/thread_registration.h"

/* Notes that the thread waits at PLACE. Returns whether that is its loop. Pure. */
bool loop_sight_note(struct loop_sight *sight, const void *place);

/* The meaning of a wait. */
enum watched_wait {
    WAIT_IS_NOTHING = 0, /* groups are not requested */
    WAIT_OF_LOOP,        /* it waits for the next iteration */
    WAIT_IN_UNIT,        /* it is blocked by others */
    WAIT_BETWEEN,        /* between two iterations whose ends the program reports */
};

/* For the functions below, while groups are requested. */
enum watched_wait loop_watch_begin_slowly(const void *place);
enum watched_wait blocked_watch_begin_slowly(void);
enum watched_wait sleep_watch_begin_slowly(void);
void loop_watch_end_slowly(enum watched_wait wait, bool has_come);

/* Called around a call at PLACE that may be a loop's. The end takes the result of the begin, and
 * whether something HAS_COME that ends the wait, other than a signal or a timeout. */
static inline enum watched_wait loop_watch_begin(const void *place)
{
    groups_look();
    if (groups_are_wanted())
        return loop_watch_begin_slowly(place);
    if (__builtin_expect(thread_current != NULL && thread_current->stopwatch != NULL, 0))
        stopwatch_rest();
    return WAIT_IS_NOTHING;
}

/* Called around a call that waits for another process. */
static inline enum watched_wait blocked_watch_begin(void)
{
    return groups_are_wanted() ? blocked_watch_begin_slowly() : WAIT_IS_NOTHING;
}

/* Called around a call that sleeps for some time; a loop of the program's own may wait in it. What
 * it waits for is the end of that time. */
static inline enum watched_wait sleep_watch_begin(void)
{
    return groups_are_wanted() ? sleep_watch_begin_slowly() : WAIT_IS_NOTHING;
}

static inline void loop_watch_end(enum watched_wait wait, bool has_come)
{
    if (__builtin_expect(wait != WAIT_IS_NOTHING, 0))
        loop_watch_end_slowly(wait, has_come);
}

static inline void blocked_watch_end(enum watched_wait wait)
{
    loop_watch_end(wait, true);
}

#endif
