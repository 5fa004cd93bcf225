/* Runs work on a separate stack, for code that needs more than a small `ulimit -s` allows, such as
 * libdw. */
#ifndef PROFD_PROFCTL_OWN_STACK_H
#define PROFD_PROFCTL_OWN_STACK_H

/* Calls WORK with ARGUMENT in a thread with 8 MB of stack, and waits for it; meanwhile signals are
 * handled by the calling thread. Returns the result of WORK, or a negative errno if the thread
 * cannot be created. */
int own_stack_run(int (*work)(void *argument), void *argument);

#endif
