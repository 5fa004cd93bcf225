/* Handlers for the events that profd's parts raise: each passes the event to when.h, or to the one
 * part that it concerns. Their context is the struct daemon. */
#ifndef PROFD_DAEMON_WIRING_H
#define PROFD_DAEMON_WIRING_H

#include "daemon/agents/agents.h"
#include "daemon/agents/lines.h"
#include "daemon/agents/visitors.h"
#include "daemon/capture/captures.h"
#include "daemon/census/census.h"
#include "daemon/clients/clients.h"
#include "daemon/clocks/lending.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/metrics/metrics.h"
#include "daemon/programs/programs.h"
#include "daemon/programs/supervisor.h"
#include "daemon/requests/requests.h"
#include "daemon/restart.h"
#include "daemon/triggers/triggers.h"

extern const struct agents_events agents_events;
extern const struct captures_events captures_events;
extern const struct census_events census_events;
extern const struct clients_events clients_events;
extern const struct keeper_events keeper_events;
extern const struct lending_events lending_events;
extern const struct memory_events memory_events;
extern const struct metrics_events metrics_events;
extern const struct programs_events programs_events;
extern const struct requests_events requests_events;
extern const struct restart_events restart_events;
extern const struct supervisor_events supervisor_events;
extern const struct triggers_events triggers_events;
extern const struct visitors_events visitors_events;
extern const struct lines_events lines_events;

#endif
