/* The calls of a thread, derived from its samples (profile_calls.h, call_samples.h): functions are
 * names of thread_stacks, and nodes have the ids of the call tree. Meta nodes are not calls, and
 * calls interrupted by the garbage collector go on. Markers that are tasks or function calls bound
 * the calls (thread_events.h), and between them the thread is in its own code. At the same time,
 * ends come before begins, and samples last. One thread. */
#ifndef PROFD_PROFCTL_THREAD_CALLS_H
#define PROFD_PROFCTL_THREAD_CALLS_H

#include "profctl/convert/profile_calls.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/processed/processed_types.h"

/* Calls ON_ENDED with each call of THREAD, which STACKS has taken; inner calls come before outer
 * ones. TYPES are the marker types of the profile that THREAD was read from. Returns 0, -EPROTO for
 * an invalid payload of a marker, -ENOMEM, or the error of ON_ENDED. */
int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      const struct processed_types *types, profile_call_ended *on_ended,
                      void *owner);

#endif
