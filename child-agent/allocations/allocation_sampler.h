/* Samples allocations in the threads that make them: selects, remembers, unwinds and writes them.
 *
 * The hooks of libprofd-malloc.so (allocation_hooks.h) call these functions for the few allocations
 * that are sampled, and for their frees. They take no lock and allocate nothing, so they are safe
 * wherever the program may call malloc. The table is created for the first session that needs it,
 * and is kept. */
#ifndef PROFD_AGENT_ALLOCATION_SAMPLER_H
#define PROFD_AGENT_ALLOCATION_SAMPLER_H

#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_hooks.h"

/* Prepares to sample an allocation every INTERVAL_BYTES (0: the default) in recording number
 * RECORDING, and sets the functions that HOOKS call. Returns 0 or -ENOMEM. */
int allocation_sampler_start(uint64_t interval_bytes, uint32_t recording,
                             struct allocation_hooks *hooks);

/* Ends sampling. Called once the hooks know that nothing is sampled. Threads that are taking a
 * sample may still finish it. */
void allocation_sampler_stop(void);

/* Forgets in a forked child what the parent has sampled. */
void allocation_sampler_after_fork_child(void);

#endif
