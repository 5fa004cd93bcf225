/* The system call that a signal of the agent found a thread in. Machine-specific:
 * interrupted_call_x86_64.c.
 *
 * Everything here runs in signal handlers of that thread, with their context (a ucontext_t), and
 * never locks, allocates or waits. May change errno. */
#ifndef PROFD_AGENT_INTERRUPTED_CALL_H
#define PROFD_AGENT_INTERRUPTED_CALL_H

#include <stdbool.h>

/* Returns whether the thread that was interrupted at CONTEXT was waiting in a system call, which
 * the signal ended or the kernel is about to make again. */
bool interrupted_call_is_at(const void *context);

/* Makes a system call that the agent's signal interrupted end as if that had not come. One that
 * failed with an EINTR that the kernel does not handle by a restart (poll, epoll_wait, nanosleep …)
 * is made again. A relative timeout starts again: it was set a few sampling intervals ago at most,
 * since nobody is signalled twice in one sleep. But a call that a signal of the program cut short,
 * too, fails with EINTR if that says so, also where the kernel was about to make it again for
 * ours.
 *
 * One of ours that comes while a handler of the program returns may find the call that this one
 * interrupted, and makes it again; but not where interrupted_call_keep() was called. */
void interrupted_call_settle(void *context);

/* For a handler of the program that has run at CONTEXT: the call that it interrupted, if any, fails
 * with EINTR, whatever signals of the agent come before the thread goes on. Marks CONTEXT, in a
 * register that means nothing to the program there. Preserves errno. */
void interrupted_call_keep(void *context);

#endif
