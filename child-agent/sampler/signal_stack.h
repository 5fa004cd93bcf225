/* Stacks for our signal handler, on threads that have none of their own for signals: what the
 * kernel saves there (3.5 KB with AVX-512) does not fit into that of a small coroutine, and the
 * program would die.
 *
 * The program sees nothing of them, and a stack that it sets takes their place. A handler of its
 * own with SA_ONSTACK would run there too, where alone it has the thread's stack: from the first
 * such handler on, nobody has ours. A thread's is kept for the next one in its slot. */
#ifndef PROFD_AGENT_SIGNAL_STACK_H
#define PROFD_AGENT_SIGNAL_STACK_H

#include <signal.h>

#include "child-agent/threads/thread_registration.h"

/* For SELF, the calling thread, which has just been registered. Without memory it goes without, and
 * so do Go programs, which have stacks of their own for signals. */
void signal_stack_begin(struct thread_registration *self);

/* SELF, the calling thread, is about to leave its slot. */
void signal_stack_end(struct thread_registration *self);

/* sigaltstack() as the program sees it. Any thread; also in signal handlers. */
int signal_stack_change(const stack_t *stack, stack_t *old_stack);

/* The program has a handler that wants to run on the program's own stacks for signals. */
void signal_stack_withdraw(void);

/* In our handler, which may be the first to hear of that: CONTEXT is what it goes back to. */
void signal_stack_follow_in_handler(void *context);

#endif
