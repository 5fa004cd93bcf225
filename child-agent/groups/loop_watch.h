/* Event loops of programs that know nothing of profd, seen at the calls in which they wait: poll,
 * select, epoll and their kin.
 *
 * A thread counts as having an event loop when it comes back to the same such call, told by the
 * place that it is called from: the third time in a row that no other place was in between. From
 * then on each return of that call begins an iteration, and the next call ends it; what other
 * places wait for meanwhile is part of the iteration, and waits inside units are never a loop. A
 * thread that comes to another place so often in a row has its loop there from then on.
 *
 * The calling thread. errno stays as it is. */
#ifndef PROFD_AGENT_LOOP_WATCH_H
#define PROFD_AGENT_LOOP_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/groups/groups.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/threads/thread_registration.h"

/* The thread waits at PLACE. Whether that is its loop. Pure. */
bool loop_sight_note(struct loop_sight *sight, const void *place);

/* What a wait is. */
enum watched_wait {
    WAIT_IS_NOTHING = 0, /* nobody asks */
    WAIT_OF_LOOP,        /* for the next iteration */
    WAIT_IN_UNIT,        /* for others, who block it */
    WAIT_BETWEEN,        /* two iterations that the program tells the ends of */
};

/* For the functions below, while somebody asks for groups. */
enum watched_wait loop_watch_begin_slowly(const void *place);
enum watched_wait blocked_watch_begin_slowly(void);
enum watched_wait sleep_watch_begin_slowly(void);
void loop_watch_end_slowly(enum watched_wait wait, bool has_come);

/* Around a call at PLACE that may be a loop's; the end with what this returned, and whether
 * something HAS_COME that ends the wait: no signal, and no time that is over. */
static inline enum watched_wait loop_watch_begin(const void *place)
{
    groups_look();
    if (groups_are_wanted())
        return loop_watch_begin_slowly(place);
    if (__builtin_expect(thread_current != NULL && thread_current->stopwatch != NULL, 0))
        stopwatch_rest();
    return WAIT_IS_NOTHING;
}

/* Around a call that waits for another process. */
static inline enum watched_wait blocked_watch_begin(void)
{
    return groups_are_wanted() ? blocked_watch_begin_slowly() : WAIT_IS_NOTHING;
}

/* Around a call that sleeps for a while, which a loop of the program's own may wait in. What comes
 * is the end of that while. */
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
