/* The calls of a thread, as they follow from its samples (profile_calls.h, call_samples.h):
 * functions are names of thread_stacks, nodes have the ids of the call tree. Meta nodes are no
 * calls, and what the garbage collector interrupted goes on. One thread. */
#ifndef PROFD_PROFCTL_THREAD_CALLS_H
#define PROFD_PROFCTL_THREAD_CALLS_H

#include "profctl/convert/profile_calls.h"
#include "profctl/convert/thread_stacks.h"

/* Calls ON_ENDED with each call of THREAD, which STACKS has taken; inner ones come before outer
 * ones. 0, -ENOMEM, or the error of ON_ENDED. */
int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      profile_call_ended *on_ended, void *owner);

#endif
