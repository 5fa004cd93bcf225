/* Runs a function on another stack, since a signal handler may have been started on one of a few
 * KB. Machine-specific: run_on_stack_x86_64.c. */
#ifndef PROFD_AGENT_RUN_ON_STACK_H
#define PROFD_AGENT_RUN_ON_STACK_H

/* Calls FUNCTION with ARGUMENT on the stack that ends below TOP, which must be aligned to 16 bytes
 * and used by nobody else meanwhile. Returns when FUNCTION does. */
void run_on_stack(void *top, void (*function)(void *argument), void *argument);

#endif
