/* Stacks for the agent's signal handler, on threads that have no signal stack of their own. What
 * the kernel saves there (3.5 KB with AVX-512) does not fit on the stack of a small coroutine, and
 * the program would die.
 *
 * The program does not see these stacks, and a stack that it sets replaces them. A handler of its
 * own with SA_ONSTACK would run on them, too, although without the agent it would use the thread's
 * stack. So from the first such handler on, no thread has a stack of the agent. A thread's stack is
 * kept for the next thread in its slot. */
#ifndef PROFD_AGENT_SIGNAL_STACK_H
#define PROFD_AGENT_SIGNAL_STACK_H

#include <signal.h>

#include "child-agent/threads/thread_registration.h"

/* Provides a stack for SELF, the calling thread, which has just been registered. Without memory it
 * gets none, and neither do Go programs, which have signal stacks of their own. */
void signal_stack_begin(struct thread_registration *self);

/* Called when SELF, the calling thread, is about to leave its slot. */
void signal_stack_end(struct thread_registration *self);

/* sigaltstack() as the program sees it. Any thread; also in signal handlers. */
int signal_stack_change(const stack_t *stack, stack_t *old_stack);

/* Called when the program has a handler that should run on the program's own signal stacks. */
void signal_stack_withdraw(void);

/* Called in the agent's handler, which may be the first to notice that. CONTEXT is what it returns
 * to. */
void signal_stack_follow_in_handler(void *context);

#endif
