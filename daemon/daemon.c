#include "daemon/daemon.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/agents/agents.h"
#include "daemon/clients/clients.h"
#include "daemon/log.h"
#include "daemon/programs/launch.h"
#include "daemon/programs/spawn.h"
#include "daemon/when.h"
#include "daemon/wiring.h"
#include "ipc/listener.h"

enum { DAEMON_EXIT_FAILED = 1 };

/* Programs that profd runs look for it from folders of their own. */
static void make_absolute(char path[sizeof(((struct daemon *)0)->socket_path)])
{
    char folder[PATH_MAX], whole[PATH_MAX + sizeof(((struct daemon *)0)->socket_path)];

    if (path[0] == '/' || getcwd(folder, sizeof(folder)) == NULL)
        return;
    int length = snprintf(whole, sizeof(whole), "%s/%s", folder, path);
    if (length > 0 && (size_t)length < sizeof(((struct daemon *)0)->socket_path))
        memcpy(path, whole, (size_t)length + 1);
    else
        log_warn("%s/%s is too long for a socket's path: programs that leave this folder are not "
                 "profiled",
                 folder, path);
}

/* With the socket FD of the service manager. */
static int listen_as_service(struct daemon *profd, int fd, char text[LISTENER_ERROR_TEXT])
{
    int error = listener_adopt(&profd->loop, fd, visitors_on_accept, &profd->visitors,
                               &profd->listener, text);

    if (error < 0)
        return error;
    if (profd->options.socket != NULL &&
        strcmp(profd->options.socket, listener_path(profd->listener)) != 0) {
        snprintf(text, LISTENER_ERROR_TEXT,
                 "--socket %.100s is not the socket that profd was started with, %s: leave it out",
                 profd->options.socket, listener_path(profd->listener));
        return -EINVAL;
    }
    strcpy(profd->socket_path, listener_path(profd->listener));
    return 0;
}

static int listen_by_path(struct daemon *profd, char text[LISTENER_ERROR_TEXT])
{
    int error = socket_path(profd->options.socket, profd->socket_path);

    if (error < 0) {
        strcpy(text, "the socket's path is too long; name a shorter one with --socket");
        return error;
    }
    make_absolute(profd->socket_path);
    return listener_create(&profd->loop, profd->socket_path, visitors_on_accept, &profd->visitors,
                           &profd->listener, text);
}

static int listen_for_all(struct daemon *profd)
{
    char text[LISTENER_ERROR_TEXT] = "the service manager gave profd several sockets; it takes one";
    int fd, error = service_take_socket(&fd);

    if (error == 0)
        error = fd >= 0 ? listen_as_service(profd, fd, text) : listen_by_path(profd, text);
    else if (error != -E2BIG)
        snprintf(text, sizeof(text), "cannot look for a socket of the service manager: %s",
                 strerror(-error));
    if (error < 0)
        log_error("%s", text);
    else
        log_info("listening at %s", profd->socket_path);
    return error;
}

static int find_installation(struct install_paths *paths)
{
    const char *missing = NULL;
    int error = install_paths_find(paths);

    if (error < 0)
        log_error("cannot tell where profd is installed: %s", uv_strerror(error));
    else if ((error = install_paths_check(paths, &missing)) < 0)
        log_error("profd is installed in part only: cannot use %s (%s); install the packages profd "
                  "and libprofd1 of one version",
                  missing, uv_strerror(error));
    return error;
}

static int decide_access(struct daemon *profd)
{
    const struct options *options = &profd->options;
    int error = access_init(&profd->access, options->control_group, options->takes_all_agents);

    if (error < 0)
        log_error("--control-group %s: %s", options->control_group,
                  error == -ENOENT ? "there is no such group" : strerror(-error));
    return error;
}

/* For the service manager. */
static void describe(char out[SERVICE_STATUS_BYTES], void *owner)
{
    const struct daemon *profd = owner;
    size_t living = 0;

    for (const struct child *child = profd->children.first; child != NULL; child = child->next)
        living += child->state != CHILD_ENDED;
    snprintf(out, SERVICE_STATUS_BYTES, "The session is %s; %zu processes",
             session_state_name(profd->session.state), living);
}

static const struct service_events service_events = { describe };

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

static int begin_parts(struct daemon *profd)
{
    int error = find_installation(&profd->paths);

    if (error < 0)
        return error;
    error = uv_loop_init(&profd->loop);
    init_agents(profd);
    init_clients(profd);
    if (error == 0)
        error = init_requests(profd);
    if (error == 0 && profd->options.private_fd < 0) /* else the service is profctl's command */
        error = service_open(&profd->service, &profd->loop, &service_events, profd);
    if (error == 0)
        error = supervisor_init(&profd->supervisor, &profd->loop, &supervisor_events, profd);
    if (error == 0)
        error = init_triggers(profd);
    if (error == 0)
        error = power_init(&profd->power, &profd->loop, POWER_METER_FOLDER);
    if (error == 0)
        error = memory_init(&profd->memory, &profd->loop,
                            &(struct memory_views){ .session = &profd->session,
                                                    .children = &profd->children,
                                                    .exits = &profd->exits },
                            &memory_events, profd);
    if (error == 0)
        error = init_restart(profd);
    if (error == 0)
        error = init_census(profd);
    if (error == 0)
        error =
            lending_init(&profd->lending, &profd->loop, &profd->session, &lending_events, profd);
    if (error < 0) {
        log_error("cannot start: %s", uv_strerror(error));
        return error;
    }
    profd->launch =
        (struct launch){ &profd->supervisor, &profd->paths, profd->socket_path, &profd->session };
    visitors_init(&profd->visitors, &profd->loop, &visitors_events, profd);
    programs_init(&profd->programs, &profd->loop, &programs_events, profd);
    metrics_init(&profd->metrics, &profd->children, &metrics_events, profd);
    monitoring_init(&profd->monitoring, &profd->children, &profd->memory.ledger);
    exit_store_init(&profd->exits, &profd->loop, &profd->memory.ledger, &profd->memory.controller,
                    agents_note_expired);
    init_captures(profd);
    return 0;
}

static void take_over(struct daemon *profd)
{
    const struct restart_standing standing = { profd->options.always_interval_ns,
                                               profd->options.memory_limit_bytes };

    restart_take_over(&profd->restart, &standing);
}

/* A private profd has no successor that would ask. */
static void open_keeper(struct daemon *profd, bool is_successor)
{
    if (profd->options.private_fd >= 0)
        return;
    int error =
        keeper_link_open(&profd->keeper, profd->paths.keeper, profd->socket_path, is_successor);
    if (error < 0)
        log_warn("cannot start profd-keeper (%s): each process gets threads of profd's own",
                 uv_strerror(error));
}

/* An option has precedence over the config. */
static int load_config(struct daemon *profd, const char *file)
{
    struct options *options = &profd->options;
    int error = programs_load(&profd->programs, file);

    if (error < 0)
        return error;
    if (options->always_interval_ns == 0)
        options->always_interval_ns = profd->programs.config.always_interval_ns;
    if (options->export_url == NULL)
        options->export_url = profd->programs.config.export_url;
    return 0;
}

static int begin_programs(struct daemon *profd)
{
    const char *url = profd->options.export_url;
    int error = url != NULL ? programs_add_export(&profd->programs, profd->paths.profctl,
                                                  profd->socket_path, url)
                            : 0;

    return error == 0 ? programs_begin(&profd->programs, profd->socket_path) : error;
}

/* The session that is always on, as the options and the config say. */
static void take_standing(struct daemon *profd)
{
    profd->requests.standing = (struct session_settings){
        .interval_ns = profd->options.always_interval_ns,
        .memory_limit_bytes = profd->options.memory_limit_bytes,
        .features = FEATURES_DEFAULT,
    };
}

static int begin_work(struct daemon *profd)
{
    const struct options *options = &profd->options;
    bool is_adopted = false;
    int error = options->config != NULL ? load_config(profd, options->config) : 0;

    take_standing(profd);
    if (error == 0)
        error = decide_access(profd);
    if (error == 0)
        error = listen_for_all(profd);
    if (error == 0)
        error = memory_open(&profd->memory, profd->socket_path, options->memory_limit_bytes,
                            &is_adopted);
    if (error == 0)
        open_keeper(profd, is_adopted);
    if (error == 0 && is_adopted)
        take_over(profd);
    else if (error == 0)
        restart_forget_session(&profd->restart); /* it went with a ledger that is no more */
    if (error == 0)
        when_ledger_is_there(profd);
    if (error == 0 && options->private_fd >= 0) {
        error = visitors_add_private(&profd->visitors, options->private_fd);
        if (error < 0)
            log_error("--private %d is no connected socket", options->private_fd);
    }
    if (error == 0 && options->metrics != NULL)
        error = metrics_open(&profd->metrics, &profd->loop, &options->metrics_address,
                             options->metrics);
    if (error == 0)
        requests_ensure_standing(&profd->requests);
    if (error == 0)
        error = begin_programs(profd);
    if (error == 0 && options->command != NULL)
        error = launch_main(&profd->launch, options->command);
    if (error == 0)
        service_tell_ready(&profd->service);
    return error;
}

void daemon_end(struct daemon *profd, int exit_status)
{
    if (profd->is_ending)
        return;
    profd->is_ending = true;
    profd->exit_status = exit_status;
    service_close(&profd->service);
    captures_close(&profd->captures);
    requests_close(&profd->requests);
    programs_close(&profd->programs);
    triggers_close(&profd->triggers);
    power_close(&profd->power);
    supervisor_close(&profd->supervisor);
    if (profd->listener != NULL) /* else the socket may be another profd's */
        restart_forget_session(&profd->restart);
    restart_close(&profd->restart);
    census_close(&profd->census);
    lending_close(&profd->lending);
    metrics_close(&profd->metrics);
    monitoring_close(&profd->monitoring);
    keeper_link_close(&profd->keeper);
    memory_close(&profd->memory);
    if (profd->listener != NULL)
        listener_close(profd->listener, NULL);
    visitors_close(&profd->visitors);
    clients_close(&profd->clients);
    agents_close(&profd->agents);
}

/* The folder of a private socket holds nothing else, and profctl, which made it, may be gone. */
static void remove_private_folder(struct daemon *profd)
{
    char *slash = strrchr(profd->socket_path, '/');

    if (profd->options.private_fd < 0 || slash == NULL || slash == profd->socket_path)
        return;
    *slash = '\0';
    (void)rmdir(profd->socket_path); /* when it is not empty, it was not for us alone */
}

int daemon_run(struct daemon *profd, const struct options *options)
{
    memset(profd, 0, sizeof(*profd));
    profd->options = *options;
    profd->session.generation = session_first_generation(uv_hrtime());
    profd->start_ns = uv_hrtime();
    spawn_prepare();
    if (begin_parts(profd) < 0)
        return DAEMON_EXIT_FAILED;
    if (begin_work(profd) < 0)
        daemon_end(profd, DAEMON_EXIT_FAILED);

    uv_run(&profd->loop, UV_RUN_DEFAULT);
    exit_store_destroy(&profd->exits);
    programs_destroy(&profd->programs);
    memory_controller_fini(&profd->memory.controller);
    int error = uv_loop_close(&profd->loop);
    if (error < 0)
        log_warn("something was still open at the end (%s)", uv_strerror(error));
    remove_private_folder(profd);
    return profd->exit_status;
}
