/* Work on a stack of its own, for what needs more than a small `ulimit -s` leaves: libdw does. */
#ifndef PROFD_PROFCTL_OWN_STACK_H
#define PROFD_PROFCTL_OWN_STACK_H

/* Calls WORK with ARGUMENT in a thread with 8 MB of stack, and waits for it; signals are handled by
 * the calling thread meanwhile. What WORK returned, or a negative errno when there is no room for
 * the thread. */
int own_stack_run(int (*work)(void *argument), void *argument);

#endif
