#include "daemon/daemon.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "daemon/children/spawn.h"
#include "daemon/daemon_parts.h"
#include "daemon/log.h"
#include "daemon/programs/launch.h"
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
        log_warn("socket path %s/%s is too long: programs that change their directory are not "
                 "profiled; choose a shorter one with --socket",
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
                 "--socket %.100s differs from the socket that the service manager passed (%s); "
                 "omit --socket",
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
    char text[LISTENER_ERROR_TEXT] =
        "the service manager passed several sockets; profd takes exactly one";
    int fd, error = service_take_socket(&fd);

    if (error == 0)
        error = fd >= 0 ? listen_as_service(profd, fd, text) : listen_by_path(profd, text);
    else if (error != -E2BIG)
        snprintf(text, sizeof(text), "cannot look for a socket passed by the service manager: %s",
                 strerror(-error));
    if (error < 0)
        log_error("%s", text);
    else
        log_info("listening at %s", profd->socket_path);
    return error;
}

static int decide_access(struct daemon *profd)
{
    const struct options *options = &profd->options;
    int error = access_init(&profd->access, options->control_group, options->takes_all_agents);

    if (error < 0)
        log_error("--control-group %s: %s", options->control_group,
                  error == -ENOENT ? "no such group" : strerror(-error));
    return error;
}

/* A session goes with its ledger. */
static void take_over_session(struct daemon *profd, enum ledger_past past)
{
    const struct session_settings *settings = &profd->requests.always_on;
    const struct restart_always_on always_on = { settings->interval_ns,
                                                 settings->memory_limit_bytes, settings->features };

    if (past == LEDGER_PAST_ADOPTED)
        restart_take_over(&profd->restart, &always_on);
    else
        restart_give_up(&profd->restart, past);
}

/* A private profd has no successor that would ask. */
static void open_keeper(struct daemon *profd, bool is_successor)
{
    if (profd->options.private_fd >= 0)
        return;
    const struct keeper_views views = { &profd->loop, profd->paths.keeper, profd->socket_path,
                                        profd->memory.ledger_fd };
    int error = keeper_link_open(&profd->keeper, &views, is_successor, &keeper_events, profd);
    if (error < 0)
        log_warn("cannot start profd-keeper (%s): every process gets agent threads",
                 uv_strerror(error));
}

/* What the config asks for in vain, together with the options. */
static int check_config(const struct options *options, const struct config *config,
                        const char *file)
{
    if (config->trigger_output != NULL && options->triggers.count == 0) {
        log_error("%s: trigger_output: requires \"triggers\" or --trigger", file);
        return -EINVAL;
    }
    if (config->always_features != 0 && options->always_interval_ns == 0) {
        log_error("%s: always_features: requires \"always\" or --always", file);
        return -EINVAL;
    }
    if (config->triggers.count > 0 && options->always_interval_ns == 0) {
        log_error("%s: triggers: requires \"always\" or --always", file);
        return -EINVAL;
    }
    return 0;
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
    if (options->always_features == 0)
        options->always_features = profd->programs.config.always_features;
    if (options->export_url == NULL)
        options->export_url = profd->programs.config.export.url;
    if (options->triggers.count == 0)
        options->triggers = profd->programs.config.triggers;
    if (options->triggers.output == NULL)
        options->triggers.output = profd->programs.config.trigger_output;
    return check_config(options, &profd->programs.config, file);
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
static int take_always_on_settings(struct daemon *profd)
{
    const struct options *options = &profd->options;

    if (options->always_features != 0 && options->always_interval_ns == 0) {
        log_error("--always-features requires --always");
        return -EINVAL;
    }
    profd->requests.always_on = (struct session_settings){
        .interval_ns = options->always_interval_ns,
        .memory_limit_bytes = options->memory_limit_bytes,
        .features = options->always_features != 0 ? options->always_features : FEATURES_DEFAULT,
    };
    return 0;
}

/* Its triggers. */
static int take_always_on_triggers(struct daemon *profd)
{
    const char *refusal;
    int error =
        trigger_set_make_always_on(&profd->options.triggers, &profd->triggers.always_on, &refusal);

    if (error == 0 && profd->options.always_interval_ns == 0) {
        refusal = "--trigger requires --always";
        error = -EINVAL;
    }
    if (error == -EINVAL)
        log_error("%s", refusal);
    return error == -ENOENT ? 0 : error;
}

/* Before programs are started, which get the hooks of malloc only if a session wants them. */
static void begin_always_on(struct daemon *profd)
{
    requests_join_always_on(&profd->requests);
    requests_begin_waiting(&profd->requests);
}

static int begin_work(struct daemon *profd)
{
    const struct options *options = &profd->options;
    enum ledger_past past = LEDGER_PAST_NONE;
    int error = options->config != NULL ? load_config(profd, options->config) : 0;

    if (error == 0)
        error = take_always_on_settings(profd);
    if (error == 0)
        error = take_always_on_triggers(profd);
    if (error == 0)
        error = decide_access(profd);
    if (error == 0)
        error = listen_for_all(profd);
    if (error == 0)
        error = memory_open(&profd->memory, profd->socket_path, options->memory_limit_bytes,
                            options->takes_all_agents ? LEDGER_SEALED : LEDGER_IN_FILE, &past);
    if (error == 0)
        open_keeper(profd, past == LEDGER_PAST_ADOPTED);
    if (error == 0)
        take_over_session(profd, past);
    if (error == 0)
        when_ledger_opens(profd);
    if (error == 0 && options->private_fd >= 0) {
        error = visitors_add_private(&profd->visitors, options->private_fd);
        if (error < 0)
            log_error("--private %d is not a connected socket", options->private_fd);
    }
    if (error == 0 && options->metrics != NULL)
        error = metrics_open(&profd->metrics, &profd->loop, &options->metrics_address,
                             options->metrics);
    if (error == 0)
        begin_always_on(profd);
    if (error == 0)
        error = begin_programs(profd);
    if (error == 0 && options->command != NULL)
        error = launch_main(&profd->launch, options->command);
    if (error == 0)
        service_tell_ready(&profd->service);
    return error;
}

/* What processes record is this profd's no more: it is over, or the next profd's. */
static void let_go_of_recordings(struct daemon *profd)
{
    uint64_t until_ns = uv_hrtime() + profd->options.keep_session_ns;

    if (profd->leaves_session) {
        keeper_link_leave(&profd->keeper, until_ns);
        memory_leave(&profd->memory, until_ns);
    } else {
        keeper_link_close(&profd->keeper);
        memory_close(&profd->memory);
    }
}

/* Without a ledger of ours, whatever a profd before us left stays as it is. */
static bool has_session_to_leave(const struct daemon *profd)
{
    return !profd->memory.is_open || session_is_on(&profd->session);
}

void daemon_end(struct daemon *profd, int exit_status)
{
    if (profd->is_ending)
        return;
    profd->is_ending = true;
    profd->exit_status = exit_status;
    profd->leaves_session = profd->leaves_session && has_session_to_leave(profd);
    service_close(&profd->service);
    captures_close(&profd->captures);
    requests_close(&profd->requests);
    programs_close(&profd->programs);
    triggers_close(&profd->triggers);
    power_close(&profd->power);
    supervisor_close(&profd->supervisor);
    if (profd->listener != NULL && !profd->leaves_session) /* or the socket is another profd's */
        restart_forget_session(&profd->restart);
    restart_close(&profd->restart);
    census_close(&profd->census);
    lending_close(&profd->lending);
    metrics_close(&profd->metrics);
    monitoring_close(&profd->monitoring);
    let_go_of_recordings(profd);
    if (profd->listener != NULL)
        listener_close(profd->listener, NULL);
    visitors_close(&profd->visitors);
    lines_close(&profd->lines);
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
    profd->leaves_session = options->keep_session_ns != 0;
    spawn_prepare();
    if (daemon_begin_parts(profd) < 0)
        return DAEMON_EXIT_FAILED;
    if (begin_work(profd) < 0)
        daemon_end(profd, DAEMON_EXIT_FAILED);

    uv_run(&profd->loop, UV_RUN_DEFAULT);
    exit_store_destroy(&profd->exits);
    programs_destroy(&profd->programs);
    memory_controller_fini(&profd->memory.controller);
    int error = uv_loop_close(&profd->loop);
    if (error < 0)
        log_warn("handles were still open at exit (%s)", uv_strerror(error));
    remove_private_folder(profd);
    return profd->exit_status;
}
