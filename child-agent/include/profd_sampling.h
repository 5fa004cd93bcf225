/* profd_sampling.h: for programs that want to know when they have been sampled. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_SAMPLING_H
#define PROFD_SAMPLING_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What became of the sampling that a program waits for. */
enum profd_sampling_outcome {
    PROFD_SAMPLING_COMPLETED = 0, /* every thread that ran was looked at after the request */
    PROFD_SAMPLING_PAUSED = 1,    /* the session, or its sampling, is paused: there is none */
    PROFD_SAMPLING_STOPPED = 2    /* the sampler ended first */
};

typedef void profd_after_sampling(enum profd_sampling_outcome outcome, void *context);

#ifndef PROFD_DISABLED

/* Calls CALL with CONTEXT once, after all threads have been looked at once more from now on: asked
 * for a sample at a tick of the wall clock, and else, within a tenth of a second, looked at where
 * they sleep; a thread that runs is sampled by its own clock meanwhile, when that is due. Any
 * thread, CALL itself included. 0; -ESRCH when nothing samples this process, -EAGAIN when 64 calls
 * wait already: then it is not called.
 *
 * CALL runs on the profiler's thread, which has all signals blocked and does not share the
 * program's descriptors, and all looks wait for it: it should do no more than to set
 * something or wake somebody (sem_post). In a forked child, calls that waited are forgotten. */
int profd_call_after_sampling(profd_after_sampling *call, void *context);

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
