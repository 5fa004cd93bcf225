/* Sampled allocations, in the threads that make them: chooses, remembers and copies.
 *
 * The hooks of libprofd-malloc.so (allocation_hooks.h) call in here for the few allocations that
 * are sampled and for their frees. What was copied waits in a ring for the sampler
 * (allocation_drain.h). No lock, no allocation; safe wherever the program may call malloc. Ring and
 * table are made at the first session that wants them, and stay. */
#ifndef PROFD_AGENT_ALLOCATION_SAMPLER_H
#define PROFD_AGENT_ALLOCATION_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/allocation_ring.h"
#include "child-agent/session.h"

/* Turns on what the session's features want, and says in the profile's log what can't be had. The
 * session records as number RECORDING. Failure leaves allocations alone. */
void allocation_sampler_start(const struct session_settings *settings, uint32_t recording);

/* Nothing is sampled any more; threads that were at it may still finish. */
void allocation_sampler_stop(void);

/* While paused, nothing new is sampled; frees are still recorded, or what was freed meanwhile would
 * look alive for the rest of the session. */
void allocation_sampler_set_paused(bool is_paused);

/* In a forked child: what the parent sampled is not the child's. */
void allocation_sampler_after_fork_child(void);

/* What waits for the sampler, and the number of the latest recording, which it is to be of; NULL
 * when nothing was ever sampled. */
struct allocation_ring *allocation_sampler_ring(uint32_t *generation);

#endif
