/* profd as a whole: its parts, and the order in which they start and end.
 *
 * One event loop thread does everything except three kinds of work, which have worker threads or
 * processes of their own: copying the arenas of ended processes, writing a capture's output, and
 * salvaging. Each part has its own file. What profd does when something happens is in
 * daemon/when.h; daemon/wiring.h passes the parts' events to it. */
#ifndef PROFD_DAEMON_DAEMON_H
#define PROFD_DAEMON_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>
#include <uv.h>

#include "daemon/access.h"
#include "daemon/agents/agents.h"
#include "daemon/agents/lines.h"
#include "daemon/agents/visitors.h"
#include "daemon/capture/captures.h"
#include "daemon/census/census.h"
#include "daemon/children/child_table.h"
#include "daemon/clients/clients.h"
#include "daemon/clients/status_document.h"
#include "daemon/clocks/lending.h"
#include "daemon/groups/monitoring.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/memory/exit_store.h"
#include "daemon/metrics/metrics.h"
#include "daemon/options.h"
#include "daemon/paths.h"
#include "daemon/power/power.h"
#include "daemon/programs/launch.h"
#include "daemon/programs/programs.h"
#include "daemon/programs/supervisor.h"
#include "daemon/requests/requests.h"
#include "daemon/restart.h"
#include "daemon/service/service.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "ipc/connection.h"

struct daemon {
    uv_loop_t loop;
    struct options options;
    struct install_paths paths;
    char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
    uint64_t start_ns; /* CLOCK_MONOTONIC */

    struct access access;
    struct service service;
    struct listener *listener;
    struct session session;
    struct memory memory;
    struct restart restart;
    struct keeper_link keeper;
    struct child_table children;
    struct agents agents;
    struct census census;
    struct visitors visitors;
    struct lines lines;
    struct lending lending;
    struct monitoring monitoring;
    struct metrics metrics;
    struct exit_store exits;
    struct captures captures;
    struct supervisor supervisor;
    struct launch launch;
    struct programs programs;
    struct triggers triggers;
    struct power power;
    struct requests requests;
    struct clients clients;
    struct status_view status; /* what clients are told */

    bool leaves_session; /* when this profd ends, to the next one that is started */
    bool is_ending;
    int exit_status;
};

/* Starts listening, serves --private, runs the command after "--", and returns profd's exit status
 * when all has ended. If profd cannot start, one line on standard error says why. */
int daemon_run(struct daemon *profd, const struct options *options);

/* Begins to shut down: accepts no more clients or children, and makes profd exit with EXIT_STATUS
 * once everything is closed. Supervised processes that are still alive are left alone. Safe to
 * repeat; the first status counts. */
void daemon_end(struct daemon *profd, int exit_status);

#endif
