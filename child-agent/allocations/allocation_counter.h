/* The memory counter: bytes that the program allocated and has not freed, as a counter of the
 * process, and how many calls that took. */
#ifndef PROFD_AGENT_ALLOCATION_COUNTER_H
#define PROFD_AGENT_ALLOCATION_COUNTER_H

#include "child-agent/malloc_hooks/allocation_hooks.h"

/* Registers the counter and tells HOOKS whom to call. 0, or -ENOSPC: there are too many counters.
 */
int allocation_counter_start(struct allocation_hooks *hooks);

#endif
