/* The calls of a thread, as they follow from its samples (profile_calls.h, call_samples.h):
 * functions are names of thread_stacks, nodes have the ids of the call tree. Meta nodes are no
 * calls, and what the garbage collector interrupted goes on. Markers that are tasks or function
 * calls bound them (thread_events.h), and between those the thread is in its own code: at one time,
 * ends come before begins, and samples last. One thread. */
#ifndef PROFD_PROFCTL_THREAD_CALLS_H
#define PROFD_PROFCTL_THREAD_CALLS_H

#include "profctl/convert/profile_calls.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/processed/processed_types.h"

/* Calls ON_ENDED with each call of THREAD, which STACKS has taken; inner ones come before outer
 * ones. TYPES are those of the profile's markers, which the thread was read with. 0, -EPROTO for a
 * marker's payload that is none, -ENOMEM, or the error of ON_ENDED. */
int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      const struct processed_types *types, profile_call_ended *on_ended,
                      void *owner);

#endif
