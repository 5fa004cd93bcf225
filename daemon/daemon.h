/* profd as a whole: the parts, and the order in which they begin and end.
 *
 * One event loop thread does everything but three kinds of work, which have worker threads or
 * processes: copying the arenas of the dead, writing a capture's output, and salvaging. Each part
 * has a file. What happens when something happens is in daemon/when.h, to which daemon/wiring.h
 * hands the events of parts. */
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

    bool leaves_session; /* to a profd that is started next, when this one ends */
    bool is_ending;
    int exit_status;
};

/* Listens, serves --private, runs -- and everything after, until the end. Returns the exit status;
 * what keeps profd from starting is said in one line on standard error. */
int daemon_run(struct daemon *profd, const struct options *options);

/* Begins the end: no more clients or children, EXIT_STATUS when all is closed. Supervised processes
 * that still live are left alone. Safe to repeat; the first status counts. */
void daemon_end(struct daemon *profd, int exit_status);

#endif
