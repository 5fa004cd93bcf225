/* What the program allocates and maps, as far as a session asks for it: counters (feature "memory")
 * and samples with stacks (feature "nativeallocs"). The data comes from the hooks of
 * libprofd-malloc.so; without that library nothing is recorded. Used by the code that starts and
 * stops sessions. */
#ifndef PROFD_AGENT_ALLOCATIONS_H
#define PROFD_AGENT_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session_settings.h"

/* Turns on what the session's features request, and reports in the profile's log what is not
 * available. The number of the session's recording is RECORDING. */
void allocations_start(const struct session_settings *settings, uint32_t recording);
void allocations_stop(void);

/* Changes the session's settings from BEFORE to AFTER. What both request continues without a gap:
 * no free is missed meanwhile. */
void allocations_change(const struct session_settings *before, const struct session_settings *after,
                        uint32_t recording);

/* While paused, nothing new is sampled. Frees are still recorded and counted; otherwise what is
 * freed during a pause would look allocated for the rest of the session. */
void allocations_set_paused(bool is_paused);

void allocations_after_fork_child(void);

#endif
