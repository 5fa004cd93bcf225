/* What the files of sampling by clocks share: the handler (clock_sampling_handler.c), the threads'
 * clocks (clock_sampling_threads.c), their events (clock_sampling_events.c), and the session.
 * Nobody else includes it. */
#ifndef PROFD_AGENT_CLOCK_SAMPLING_INSIDE_H
#define PROFD_AGENT_CLOCK_SAMPLING_INSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/sampler/clock_sampling.h"

/* Of the session. */
struct clock_sampling_state {
    _Atomic bool is_on;
    _Atomic bool is_quiet; /* behind a filter: see clock_sampling_go_quiet() */
    bool is_paused;
    uint64_t interval_ns; /* between samples, as asked for */
    uint64_t timer_interval_ns;
    uint64_t session_start_ns;
    _Atomic bool lacks_timers;          /* a thread was refused one, and nothing serves instead */
    _Atomic bool uses_events;           /* perf's */
    bool borrows_event;                 /* of profd, for the only thread */
    _Atomic bool is_refused;            /* an event, by the kernel: no more are asked for */
    _Atomic uint64_t event_interval_ns; /* as the kernel grants it */
};

extern struct clock_sampling_state sampling;

/* Has the event of THREAD follow its clock. Returns whether the thread that looks is to do that. */
bool clock_sampling_follow_with_event(const struct thread_registration *thread);

/* What THREAD uses counts from now on, or from its first moment. */
void clock_sampling_begin_count(struct thread_registration *thread);

/* The clock of THREAD was started, or not: ERR. */
void clock_sampling_follow_start(const struct thread_registration *thread, int error);

#endif
