/* The profile of this process alone, as a complete file whose root is this process. */
#ifndef PROFD_AGENT_OWN_PROFILE_H
#define PROFD_AGENT_OWN_PROFILE_H

#include "child-agent/session_settings.h"
#include "json/json_writer.h"

/* Writes the JSON of what is recorded in the session of SETTINGS (borrowed) to SINK with CONTEXT;
 * the session may continue meanwhile. If SINCE_NS (CLOCK_MONOTONIC) is not 0, writes only what was
 * recorded since then, and only the threads that SETTINGS selects. Called on a thread of the agent,
 * whose stack is large enough. Returns 0 or -errno. */
int own_profile_write(const struct session_settings *settings, uint64_t since_ns,
                      json_sink_write sink, void *context);

#endif
