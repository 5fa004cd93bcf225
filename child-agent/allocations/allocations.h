/* What the program allocates and maps, as far as a session wants to know: counters (feature
 * "memory") and samples with stacks (feature "nativeallocs"). By the hooks of libprofd-malloc.so,
 * without which there is nothing to be had. Called by whoever starts and stops sessions. */
#ifndef PROFD_AGENT_ALLOCATIONS_H
#define PROFD_AGENT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session_settings.h"

/* Turns on what the session's features want, and says in the profile's log what cannot be had. The
 * session records as number RECORDING. */
void allocations_start(const struct session_settings *settings, uint32_t recording);
void allocations_stop(void);

/* The session's settings are AFTER, no longer BEFORE. What both want goes on: nothing that is freed
 * meanwhile is missed. */
void allocations_change(const struct session_settings *before, const struct session_settings *after,
                        uint32_t recording);

/* While paused, nothing new is sampled. Frees are still recorded, and the counter goes on: what was
 * freed meanwhile would look alive for the rest of the session. */
void allocations_set_paused(bool is_paused);

void allocations_after_fork_child(void);

#endif
