/* The system call that a signal of the agent found a thread in. Machine-specific:
 * interrupted_call_x86_64.c.
 *
 * Everything here runs in signal handlers of that thread, with their context (a ucontext_t), and
 * never locks, allocates or waits. */
#ifndef PROFD_AGENT_INTERRUPTED_CALL_H
#define PROFD_AGENT_INTERRUPTED_CALL_H

#include <stdbool.h>

/* Returns whether the thread that was interrupted at CONTEXT was waiting in a system call, which
 * the signal ended or the kernel is about to make again. */
bool interrupted_call_is_at(const void *context);

/* If the signal interrupted a system call with an EINTR that the kernel does not handle by a
 * restart (poll, epoll_wait, nanosleep …), makes the program restart the call, so that it never
 * notices the agent's signal. A relative timeout starts again: it was set less than one sampling
 * interval ago, since sleeping threads are not signalled. Leaves calls alone that a signal of the
 * program cut short as well. */
void interrupted_call_make_again(void *context);

/* For a handler of the program that has run at CONTEXT: the call that it interrupted, if any, fails
 * with EINTR, whatever signals of the agent come before the thread goes on. Marks CONTEXT, in a
 * register that the program cannot use. */
void interrupted_call_keep(void *context);

#endif
