/* Runs a function on another stack: a signal handler may have been started on one of a few KB.
 * Machine-specific: run_on_stack_x86_64.c. */
#ifndef PROFD_AGENT_RUN_ON_STACK_H
#define PROFD_AGENT_RUN_ON_STACK_H

/* Calls FUNCTION with ARGUMENT on the stack that ends below TOP, which is aligned to 16 bytes and
 * nobody else's meanwhile. Comes back when it does. */
void run_on_stack(void *top, void (*function)(void *argument), void *argument);

#endif
