/* The memory counter: the bytes that the program has allocated and not yet freed, as a counter of
 * the process, and the number of calls. */
#ifndef PROFD_AGENT_ALLOCATION_COUNTER_H
#define PROFD_AGENT_ALLOCATION_COUNTER_H

#include "child-agent/malloc_hooks/allocation_hooks.h"

/* Registers the counter and sets the functions that HOOKS call. Returns 0, or -ENOSPC if there are
 * too many counters. */
int allocation_counter_start(struct allocation_hooks *hooks);

#endif
