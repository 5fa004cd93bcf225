#include "daemon/daemon_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/wiring.h"

static int find_installation(struct install_paths *paths)
{
    const char *missing = NULL;
    int error = install_paths_find(paths);

    if (error < 0)
        log_error("cannot determine where profd is installed: %s", uv_strerror(error));
    else if ((error = install_paths_check(paths, &missing)) < 0)
        log_error("profd is only partly installed: cannot use %s (%s); install profd and libprofd1 "
                  "of the same version",
                  missing, uv_strerror(error));
    return error;
}

/* For the service manager. */
static void describe_status(char out[SERVICE_STATUS_BYTES], void *owner)
{
    const struct daemon *profd = owner;
    size_t living = 0;

    for (const struct child *child = profd->children.first; child != NULL; child = child->next)
        living += child->state != CHILD_ENDED;
    snprintf(out, SERVICE_STATUS_BYTES, "The session is %s; %zu processes",
             session_state_name(profd->session.state), living);
}

static const struct service_events service_events = { describe_status };

static int init_triggers(struct daemon *profd)
{
    const struct triggers_views views = {
        .session = &profd->session,
        .children = &profd->children,
        .profctl = profd->paths.profctl,
        .socket_path = profd->socket_path,
    };

    return triggers_init(&profd->triggers, &profd->loop, &views, &triggers_events, profd);
}

/* Nobody could start a private profd again. */
static int init_restart(struct daemon *profd)
{
    const struct restart_views views = {
        .session = &profd->session,
        .children = &profd->children,
        .ledger = &profd->memory.ledger,
        .socket_path = profd->socket_path,
        .has_successor = profd->options.private_fd < 0,
    };

    return restart_init(&profd->restart, &profd->loop, &views, &restart_events, profd);
}

/* What profd does for a session that is always on is decided with the config. */
static int init_requests(struct daemon *profd)
{
    const struct requests_views views = { &profd->session, &profd->children, &profd->triggers };

    return requests_init(&profd->requests, &profd->loop, &views, &requests_events, profd);
}

static void init_clients(struct daemon *profd)
{
    profd->status = (struct status_view){
        .session = &profd->session,
        .memory = &profd->memory,
        .children = &profd->children,
        .exits = &profd->exits,
        .census = &profd->census,
        .triggers = &profd->triggers,
        .supervisor = &profd->supervisor,
        .socket_path = profd->socket_path,
        .start_ns = profd->start_ns,
    };
    const struct clients_views views = {
        .access = &profd->access,
        .requests = &profd->requests,
        .census = &profd->census,
        .launch = &profd->launch,
        .supervisor = &profd->supervisor,
        .triggers = &profd->triggers,
        .monitoring = &profd->monitoring,
        .status = &profd->status,
        .memory_limit_bytes = profd->options.memory_limit_bytes,
    };

    clients_init(&profd->clients, &views, &clients_events, profd);
}

static void init_agents(struct daemon *profd)
{
    const struct agents_views views = {
        .loop = &profd->loop,
        .session = &profd->session,
        .access = &profd->access,
        .children = &profd->children,
        .exits = &profd->exits,
        .memory = &profd->memory,
        .keeper = &profd->keeper,
    };

    agents_init(&profd->agents, &views, &agents_events, profd);
}

static int init_census(struct daemon *profd)
{
    const struct census_views views = {
        .session = &profd->session,
        .paths = &profd->paths,
        .ledger = &profd->memory.ledger,
        .children = &profd->children,
        .agents = &profd->agents,
    };

    return census_init(&profd->census, &profd->loop, &views, &census_events, profd);
}

static void init_captures(struct daemon *profd)
{
    const struct captures_views views = {
        .session = &profd->session,
        .children = &profd->children,
        .exits = &profd->exits,
        .power = &profd->power,
        .forgotten = &profd->agents.forgotten,
        .lost_news = &profd->census.lost,
        .salvage = profd->paths.salvage,
        .start_ns = profd->start_ns,
    };

    captures_init(&profd->captures, &profd->loop, &views, &captures_events, profd);
}

static int init_memory(struct daemon *profd)
{
    const struct memory_views views = {
        .session = &profd->session,
        .children = &profd->children,
        .exits = &profd->exits,
    };

    return memory_init(&profd->memory, &profd->loop, &views, &memory_events, profd);
}

/* The parts that have handles of the loop, which cannot be had without memory or descriptors. */
static int init_loop_parts(struct daemon *profd)
{
    int error = init_requests(profd);

    if (error == 0 && profd->options.private_fd < 0) /* else the service is profctl's command */
        error = service_open(&profd->service, &profd->loop, &service_events, profd);
    if (error == 0)
        error = supervisor_init(&profd->supervisor, &profd->loop, &supervisor_events, profd);
    if (error == 0)
        error = init_triggers(profd);
    if (error == 0)
        error = power_init(&profd->power, &profd->loop, POWER_METER_FOLDER);
    if (error == 0)
        error = init_memory(profd);
    if (error == 0)
        error = init_restart(profd);
    if (error == 0)
        error = init_census(profd);
    if (error == 0)
        error =
            lending_init(&profd->lending, &profd->loop, &profd->session, &lending_events, profd);
    return error;
}

/* The parts that only look at others, or begin later. */
static void init_plain_parts(struct daemon *profd)
{
    profd->launch =
        (struct launch){ &profd->supervisor, &profd->paths, profd->socket_path, &profd->session };
    init_agents(profd);
    init_clients(profd);
    visitors_init(&profd->visitors, &profd->loop, &visitors_events, profd);
    lines_init(&profd->lines, &lines_events, profd);
    programs_init(&profd->programs, &profd->loop, &programs_events, profd);
    metrics_init(&profd->metrics, &profd->children, &metrics_events, profd);
    monitoring_init(&profd->monitoring, &profd->children, &profd->memory.ledger);
    exit_store_init(&profd->exits, &profd->loop, &profd->memory.ledger, &profd->memory.controller,
                    agents_note_expired);
    init_captures(profd);
}

int daemon_begin_parts(struct daemon *profd)
{
    int error = find_installation(&profd->paths);

    if (error < 0)
        return error;
    error = uv_loop_init(&profd->loop);
    init_plain_parts(profd);
    if (error == 0)
        error = init_loop_parts(profd);
    if (error < 0)
        log_error("cannot start: %s", uv_strerror(error));
    return error;
}
