/* Sampled allocations, in the threads that make them: chooses, remembers, unwinds and writes.
 *
 * The hooks of libprofd-malloc.so (allocation_hooks.h) call in here for the few allocations that
 * are sampled and for their frees. No lock, no allocation; safe wherever the program may call
 * malloc. The table is made at the first session that wants it, and stays. */
#ifndef PROFD_AGENT_ALLOCATION_SAMPLER_H
#define PROFD_AGENT_ALLOCATION_SAMPLER_H

#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_hooks.h"

/* Makes ready for sampling an allocation every INTERVAL_BYTES (0: the default) in recording number
 * RECORDING, and tells HOOKS whom to call. 0 or -ENOMEM. */
int allocation_sampler_start(uint64_t interval_bytes, uint32_t recording,
                             struct allocation_hooks *hooks);

/* To be called once the hooks know that nothing is sampled; threads that are sampling may still
 * finish. */
void allocation_sampler_stop(void);

/* In a forked child: what the parent sampled is not the child's. */
void allocation_sampler_after_fork_child(void);

#endif
