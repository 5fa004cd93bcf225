/* The calls of a thread, as they follow from its samples (profile_calls.h): with the rule for
 * sleep, and functions by their names in thread_stacks. One thread. */
#ifndef PROFD_PROFCTL_THREAD_CALLS_H
#define PROFD_PROFCTL_THREAD_CALLS_H

#include "profctl/convert/profile_calls.h"
#include "profctl/convert/thread_stacks.h"

/* Calls ON_ENDED with each call of THREAD, which STACKS has taken; inner ones come before outer
 * ones. 0, -ENOMEM, or the error of ON_ENDED. */
int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      profile_call_ended *on_ended, void *owner);

#endif
