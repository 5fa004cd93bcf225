/* profd_event_loop.h: how long an event has to wait for its thread. Part of profd.h; programs that
 * use libuv include profd_uv.h instead.
 *
 * A thread that runs an event loop says when it begins and ends to handle an event. Whenever the
 * sampler looks, it notes since when the event under way keeps the next ones waiting, as
 * eventDelay: up to twenty times a second while anything in the process runs, with `--clock wall`
 * at each interval. All
 * functions are about the calling thread, do nothing when it is not registered, and cost a few
 * nanoseconds without a session, and reading a clock with one. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_EVENT_LOOP_H
#define PROFD_EVENT_LOOP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* For loops that call handlers from where they wait, so that no place in the source lies between
 * the two: how long the loop has waited for events in all, in ns, the wait under way included.
 * Called from another thread, and never after profd_event_loop_end(). It must not call profd, and
 * wait for no lock that is held while that is called. */
typedef uint64_t profd_idle_clock(void *context);

#ifndef PROFD_DISABLED

/* The thread begins to handle an event, which was ready since QUEUED_NS (CLOCK_MONOTONIC; 0: just
 * now): the delay counts from there. An event inside another one, of a nested loop, is a part of
 * that. */
void profd_event_begin(uint64_t queued_ns);
/* It has been handled. Without a begin: nothing. */
void profd_event_end(void);

/* The thread runs a loop that waits by IDLE_CLOCK. A second call replaces the first. */
void profd_event_loop_begin(profd_idle_clock *idle_clock, void *context);
/* A turn of that loop begins: it is about to wait. From here on, all time in which it does not wait
 * is delay, until the next turn. */
void profd_event_loop_turn(void);
/* The loop ends, also by itself when the thread does or is unregistered. Waits while the sampler
 * looks at idle clocks. */
void profd_event_loop_end(void);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
