/* profd_event_loop.h: how long an event has to wait for its thread. Part of profd.h; programs that
 * use libuv include profd_uv.h instead.
 *
 * A thread that runs an event loop reports when it starts and finishes handling an event. Whenever
 * the sampler looks, up to twenty times a second while anything in the process runs and with
 * `--clock wall` at each interval, it records as eventDelay for how long the current event has kept
 * others waiting. All functions concern the calling thread and do nothing if it is not registered.
 * They cost a few nanoseconds without a session, and the reading of a clock with one. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_EVENT_LOOP_H
#define PROFD_EVENT_LOOP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* For loops that call handlers from inside the function that waits, so that the program cannot
 * report where waiting ends: returns for how long the loop has waited for events in total, in ns,
 * including the current wait. Called from another thread, and never after profd_event_loop_end().
 * It must not call profd, nor wait for a lock that is held while profd is called. */
typedef uint64_t profd_idle_clock(void *context);

#ifndef PROFD_DISABLED

/* The thread starts handling an event that has been ready since QUEUED_NS (CLOCK_MONOTONIC; 0: just
 * now); the delay counts from then. An event inside another one, of a nested loop, is a part of the
 * outer one. */
void profd_event_begin(uint64_t queued_ns);
/* The event has been handled. Does nothing without profd_event_begin(). */
void profd_event_end(void);

/* The thread runs a loop whose waiting IDLE_CLOCK measures. A second call replaces the first. */
void profd_event_loop_begin(profd_idle_clock *idle_clock, void *context);
/* A turn of that loop begins: it is about to wait. Until the next turn, all time in which it does
 * not wait is delay. */
void profd_event_loop_turn(void);
/* The loop ends. Implied when the thread ends or is unregistered. Waits while the sampler reads
 * idle clocks. */
void profd_event_loop_end(void);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
