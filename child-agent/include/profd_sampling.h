/* profd_sampling.h: for programs that want to know when they have been sampled. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_SAMPLING_H
#define PROFD_SAMPLING_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The outcome of the sampling that a program waits for. */
enum profd_sampling_outcome {
    PROFD_SAMPLING_COMPLETED = 0, /* every thread that ran was looked at after the request */
    PROFD_SAMPLING_PAUSED = 1,    /* the session, or its sampling, is paused: there is none */
    PROFD_SAMPLING_STOPPED = 2    /* the sampler ended first */
};

typedef void profd_after_sampling(enum profd_sampling_outcome outcome, void *context);

#ifndef PROFD_DISABLED

/* Calls CALL with CONTEXT once, after the sampler has looked at all threads once more: with the
 * wall clock it asks them for a sample at its next tick; otherwise it looks, within a tenth of a
 * second, where they sleep, while threads that run are sampled by their own clocks when that is
 * due. Any thread, CALL itself included. Returns 0; -ESRCH if nothing samples this process, -EAGAIN
 * if 64 calls wait already. CALL is not called after an error.
 *
 * CALL runs on the profiler's thread, which has all signals blocked and does not share the
 * program's descriptors. The sampler waits for it, and so does profd when it asks this process for
 * something: it should do no more than set a variable or wake another thread (sem_post). In a
 * forked child, calls that waited are forgotten. */
int profd_call_after_sampling(profd_after_sampling *call, void *context);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
