/* What the program allocates and maps, as far as a session asks for it: counters (feature "memory")
 * and samples with stacks (feature "nativeallocs"). They come from the hooks of libprofd-malloc.so;
 * without it nothing is recorded. For the code that starts and stops sessions. */
#ifndef PROFD_AGENT_ALLOCATIONS_H
#define PROFD_AGENT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session_settings.h"

/* Turns on what the session's features want, and says in the profile's log what cannot be had. The
 * session records as number RECORDING. */
void allocations_start(const struct session_settings *settings, uint32_t recording);
void allocations_stop(void);

/* The session's settings are AFTER, no longer BEFORE. What both ask for continues without a gap: no
 * free is missed meanwhile. */
void allocations_change(const struct session_settings *before, const struct session_settings *after,
                        uint32_t recording);

/* While paused, nothing new is sampled. Frees are still recorded and counted: what is freed during
 * a pause would otherwise look alive for the rest of the session. */
void allocations_set_paused(bool is_paused);

void allocations_after_fork_child(void);

#endif
