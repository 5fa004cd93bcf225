/* The profile of this process alone, as a whole file: the root is the process itself. */
#ifndef PROFD_AGENT_OWN_PROFILE_H
#define PROFD_AGENT_OWN_PROFILE_H

#include "child-agent/session_settings.h"
#include "json/json_writer.h"

/* Gives SINK the JSON of what is recorded in the session of SETTINGS (borrowed), which may go on
 * meanwhile; with SINCE_NS (CLOCK_MONOTONIC; 0: all of it) of the threads of SETTINGS alone, from
 * then on. On a thread of the agent's own, which has the stack that this takes. 0 or -errno. */
int own_profile_write(const struct session_settings *settings, uint64_t since_ns,
                      json_sink_write sink, void *context);

#endif
