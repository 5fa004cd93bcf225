/* What the files of clock sampling share: the handler (clock_sampling_handler.c), the threads'
 * clocks (clock_sampling_threads.c), their events (clock_sampling_events.c), and the session.
 * Included by nothing else. */
#ifndef PROFD_AGENT_CLOCK_SAMPLING_INSIDE_H
#define PROFD_AGENT_CLOCK_SAMPLING_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/sampler/clock_sampling.h"

/* The state of clock sampling in the session. */
struct clock_sampling_state {
    _Atomic bool is_on;
    _Atomic bool is_quiet; /* behind a filter: see clock_sampling_go_quiet() */
    bool is_paused;
    bool is_wall;         /* what the session asks for */
    bool lacks_thread;    /* of ours, which it takes */
    uint64_t interval_ns; /* requested interval between samples */
    uint64_t timer_interval_ns;
    uint64_t session_start_ns;
    _Atomic bool lacks_timers;          /* a thread was refused a timer, and nothing replaces it */
    _Atomic bool uses_events;           /* uses perf events */
    bool borrows_event;                 /* borrows the only thread's event from profd */
    _Atomic bool is_refused;            /* the kernel has refused an event: no more are requested */
    _Atomic uint64_t event_interval_ns; /* as granted by the kernel */
};

extern struct clock_sampling_state sampling;

/* Says in the arena that the threads have timers only, whatever was asked for. */
void clock_sampling_describe_timers(void);

/* Makes the event of THREAD follow its clock. Returns whether the looking thread must do that. */
bool clock_sampling_follow_with_event(const struct thread_registration *thread);

/* Starts to count what THREAD uses, from now on or from its first moment. */
void clock_sampling_begin_count(struct thread_registration *thread);

/* Notes whether the clock of THREAD could be started; ERROR is 0 or why not. */
void clock_sampling_follow_start(const struct thread_registration *thread, int error);

#endif
