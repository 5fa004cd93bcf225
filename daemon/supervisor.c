#include "daemon/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/agents.h"
#include "daemon/capture.h"
#include "daemon/client_connection.h"
#include "daemon/daemon.h"
#include "daemon/launch_environment.h"
#include "daemon/log.h"
#include "daemon/spawn.h"
#include "daemon/terminal.h"

enum {
    /* As shells say it. */
    EXIT_NOT_FOUND = 127,
    EXIT_NOT_RUNNABLE = 126,
    EXIT_SIGNAL_BASE = 128,
};

/* --- The end of a command --- */

static void on_start_closed(uv_handle_t *handle)
{
    struct command *command = handle->data;

    close(command->start_fd);
    free(command);
}

/* Takes COMMAND out; it is freed from the loop. */
static void forget_command(struct command *command)
{
    struct command **link = &command->profd->supervisor.commands;

    while (*link != command)
        link = &(*link)->next;
    *link = command->next;
    uv_close((uv_handle_t *)&command->start, on_start_closed);
}

static void tell_exit(const struct command *command, int wait_status)
{
    struct message_command_exited message = {
        .pid = command->pid,
        .is_signal = WIFSIGNALED(wait_status),
        .code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status),
    };

    if (command->failure != 0)
        return; /* it never ran: its start was answered with that */
    log_info("'%s' (%d) %s %d", command->name, command->pid,
             message.is_signal ? "was killed by signal" : "exited with", (int)message.code);
    if (command->launcher != NULL)
        client_send_command_exited(command->launcher, &message);
}

/* What profd exits with when its own command ended so. */
static int exit_status_of(const struct command *command, int wait_status)
{
    if (command->failure != 0)
        return command->failure == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
    return WIFSIGNALED(wait_status) ? EXIT_SIGNAL_BASE + WTERMSIG(wait_status)
                                    : WEXITSTATUS(wait_status);
}

static void end_if_shut_down(struct daemon *profd)
{
    if (profd->supervisor.is_shutting_down && profd->supervisor.commands == NULL)
        daemon_end(profd, 0);
}

/* --- The start of a command --- */

static void explain_failure(const struct command *command, const struct spawn_failure *failure,
                            char text[512])
{
    const char *reason = strerror(-failure->error);

    if (failure->stage == SPAWN_DIRECTORY)
        snprintf(text, 512, "can't run '%s': its working directory: %s", command->name, reason);
    else if (failure->stage == SPAWN_EXEC && failure->error == -ENOENT)
        snprintf(text, 512, "can't run '%s': no such command; check its name and PATH",
                 command->name);
    else
        snprintf(text, 512, "can't run '%s': %s", command->name, reason);
}

static void start_failed(struct command *command, const struct spawn_failure *failure)
{
    char text[512];

    command->failure = failure->error;
    explain_failure(command, failure, text);
    if (command->launcher != NULL)
        client_reply(command->launcher, command->request_id, failure->error, text);
    else
        log_error("%s", text);
}

/* Looks whether the start is over: the descriptor's end means that the program runs. */
static void settle_start(struct command *command)
{
    struct spawn_failure failure;

    if (!command->is_starting)
        return;
    ssize_t got = read(command->start_fd, &failure, sizeof(failure));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    command->is_starting = false;
    uv_poll_stop(&command->start);
    if (got == (ssize_t)sizeof(failure)) {
        start_failed(command, &failure);
        return;
    }
    log_info("'%s' runs as %d", command->name, command->pid);
    if (command->launcher != NULL)
        client_reply(command->launcher, command->request_id, 0, "");
}

static void on_start(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    settle_start(poll->data);
}

static struct command *make_command(struct daemon *profd, const char *name)
{
    struct command *command = calloc(1, sizeof(*command));

    if (command == NULL)
        return NULL;
    command->profd = profd;
    command->is_starting = true;
    command->terminal_fd = terminal_ours();
    snprintf(command->name, sizeof(command->name), "%s", name);
    return command;
}

static int watch_start(struct command *command)
{
    struct supervisor *supervisor = &command->profd->supervisor;
    int error = uv_poll_init(&command->profd->loop, &command->start, command->start_fd);

    if (error < 0) {
        close(command->start_fd);
        return error;
    }
    command->start.data = command;
    command->next = supervisor->commands;
    supervisor->commands = command;
    error = uv_poll_start(&command->start, UV_READABLE | UV_DISCONNECT, on_start);
    if (error < 0)
        log_warn("can't watch the start of '%s': %s", command->name, uv_strerror(error));
    return 0;
}

/* What a supervised command's agents need to know. */
static int describe_agent(struct daemon *profd, struct launch_agent *agent)
{
    agent->library = profd->paths.library;
    agent->socket = profd->socket_path;
    session_describe(&profd->session, &agent->session);
    return access(agent->library, R_OK) < 0 ? -errno : 0;
}

/* Starts COMMAND (taken over on every path). 0: whether it runs is told later. */
static int start_command(struct command *command, char **arguments, char **environment,
                         const char *directory)
{
    struct spawn_options options = {
        .arguments = arguments,
        .environment = environment,
        .directory = directory,
        .own_group = true,
        .terminal_fd = command->terminal_fd,
    };
    int error = spawn(&options, &command->pid, &command->start_fd);

    if (error == 0)
        error = watch_start(command);
    if (error < 0)
        free(command);
    return error;
}

/* "A\0B\0" as a NULL-terminated array of views; freed with free(). */
static char **split_strings(const struct message_string *strings)
{
    const char *end = strings->bytes + strings->length;
    size_t count = 0;

    for (const char *next = strings->bytes; next < end; next += strlen(next) + 1)
        count++;
    char **array = malloc((count + 1) * sizeof(*array));
    if (array == NULL)
        return NULL;
    count = 0;
    for (const char *next = strings->bytes; next < end; next += strlen(next) + 1)
        array[count++] = (char *)next;
    array[count] = NULL;
    return array;
}

static bool is_terminated(const struct message_string *strings)
{
    return strings->length == 0 || strings->bytes[strings->length - 1] == '\0';
}

/* Launches as MESSAGE says. On failure TEXT says why. */
static int launch(struct daemon *profd, struct client *client,
                  const struct message_client_launch *message, char text[512])
{
    struct launch_agent agent;
    char **arguments = NULL, **environment = NULL;
    char *directory = NULL;
    int error = describe_agent(profd, &agent);

    if (error < 0) {
        snprintf(text, 512, "can't use %.300s: %s; install profd completely", agent.library,
                 strerror(-error));
        return error;
    }
    error = -EINVAL;
    if (message->arguments.length == 0 || !is_terminated(&message->arguments))
        goto out;
    error = launch_environment_build(message->environment.bytes, message->environment.length,
                                     &agent, &environment);
    if (error < 0)
        goto out;
    error = -ENOMEM;
    arguments = split_strings(&message->arguments);
    directory = strndup(message->directory.bytes, message->directory.length);
    struct command *command = make_command(profd, message->arguments.bytes);
    if (arguments == NULL || directory == NULL || command == NULL) {
        free(command);
        goto out;
    }
    command->launcher = client;
    command->request_id = message->id;
    error = start_command(command, arguments, environment, directory);

out:
    if (error < 0)
        snprintf(text, 512, "can't run the command: %s", strerror(-error));
    free(arguments);
    free(environment);
    free(directory);
    return error;
}

void supervisor_launch(struct daemon *profd, struct client *client,
                       const struct message_client_launch *message)
{
    char text[512];
    int error = launch(profd, client, message, text);

    if (error < 0)
        client_reply(client, message->id, error, text);
}

/* profd's own environment in the shape of a message's. */
static char *flatten_environment(size_t *bytes)
{
    size_t total = 0, used = 0;

    for (char **entry = environ; *entry != NULL; entry++)
        total += strlen(*entry) + 1;
    char *flat = malloc(total + 1);
    if (flat == NULL)
        return NULL;
    for (char **entry = environ; *entry != NULL; entry++) {
        size_t length = strlen(*entry) + 1;
        memcpy(flat + used, *entry, length);
        used += length;
    }
    *bytes = used;
    return flat;
}

int supervisor_run_main(struct daemon *profd, char **arguments)
{
    struct launch_agent agent;
    char **environment = NULL;
    size_t bytes = 0;
    int error = describe_agent(profd, &agent);

    if (error < 0) {
        log_error("can't use %s: %s; install profd completely", agent.library, strerror(-error));
        return error;
    }
    char *flat = flatten_environment(&bytes);
    struct command *command = make_command(profd, arguments[0]);
    error = flat == NULL || command == NULL
                ? -ENOMEM
                : launch_environment_build(flat, bytes, &agent, &environment);
    if (error == 0) {
        command->is_main = true;
        error = start_command(command, arguments, environment, NULL);
    } else {
        free(command);
    }
    if (error < 0)
        log_error("can't run '%s': %s", arguments[0], strerror(-error));
    free(flat);
    free(environment);
    return error;
}

/* --- Reaping --- */

static struct command *find_command(const struct daemon *profd, pid_t pid)
{
    struct command *command = profd->supervisor.commands;

    while (command != NULL && command->pid != pid)
        command = command->next;
    return command;
}

static void command_ended(struct command *command, int wait_status)
{
    struct daemon *profd = command->profd;

    settle_start(command);
    terminal_take_back(command->terminal_fd);
    tell_exit(command, wait_status);
    bool is_main = command->is_main;
    int exit_status = exit_status_of(command, wait_status);
    forget_command(command);
    if (is_main)
        daemon_end(profd, exit_status);
    end_if_shut_down(profd);
}

/* The command was stopped, as by Ctrl-Z: the whole job stops, profctl too, and the shell takes
 * over. In a group that no shell looks after the signal has no effect, as it should. */
static void command_stopped(const struct command *command)
{
    if (command->terminal_fd < 0)
        return;
    terminal_take_back(command->terminal_fd);
    kill(0, SIGTSTP);
}

static void on_child_signal(uv_signal_t *handle, int signal_number)
{
    struct daemon *profd = handle->data;
    int wait_status;
    pid_t pid;
    (void)signal_number;

    while ((pid = waitpid(-1, &wait_status, WNOHANG | WUNTRACED)) > 0) {
        struct command *command = find_command(profd, pid);
        if (WIFSTOPPED(wait_status)) {
            if (command != NULL)
                command_stopped(command);
            continue;
        }
        if (salvage_pool_note_reaped(&profd->salvage, pid, wait_status)) {
            capture_note_worker_free(profd);
            continue;
        }
        agents_note_reaped(profd, pid, wait_status);
        if (command != NULL)
            command_ended(command, wait_status);
    }
}

/* --- Signals --- */

static void signal_commands(const struct daemon *profd, int signal_number)
{
    for (const struct command *command = profd->supervisor.commands; command != NULL;
         command = command->next)
        kill(-command->pid, signal_number);
}

int supervisor_signal(struct daemon *profd, struct client *client, int signal_number)
{
    int error = -ESRCH;

    for (const struct command *command = profd->supervisor.commands; command != NULL;
         command = command->next) {
        if (command->launcher == client)
            error = kill(-command->pid, signal_number) < 0 ? -errno : 0;
    }
    return error;
}

static void on_grace_over(uv_timer_t *timer)
{
    struct daemon *profd = timer->data;

    signal_commands(profd, SIGKILL);
    daemon_end(profd, 0);
}

void supervisor_shut_down(struct daemon *profd)
{
    struct supervisor *supervisor = &profd->supervisor;

    if (supervisor->is_shutting_down)
        return;
    supervisor->is_shutting_down = true;
    signal_commands(profd, SIGTERM);
    signal_commands(profd, SIGCONT); /* a stopped one could not obey */
    if (supervisor->commands == NULL)
        daemon_end(profd, 0);
    else
        uv_timer_start(&supervisor->grace, on_grace_over, SHUT_DOWN_GRACE_MS, 0);
}

/* With a command of its own profd is transparent; without, a signal that ends programs ends it.
 * Under profctl the terminal's signals reach profctl too, which decides. */
static void on_signal(uv_signal_t *handle, int signal_number)
{
    struct daemon *profd = handle->data;
    bool ends = signal_number == SIGTERM || signal_number == SIGINT || signal_number == SIGHUP ||
                signal_number == SIGQUIT;

    if (profd->options.command != NULL)
        signal_commands(profd, signal_number);
    else if (ends && (profd->options.private_fd < 0 || signal_number == SIGTERM))
        supervisor_shut_down(profd);
}

/* The job was continued: the command too, with the terminal when it is ours again. */
static void on_continue(uv_signal_t *handle, int signal_number)
{
    const struct daemon *profd = handle->data;
    (void)signal_number;

    for (const struct command *command = profd->supervisor.commands; command != NULL;
         command = command->next) {
        if (terminal_ours() >= 0)
            terminal_give(command->terminal_fd, command->pid);
        kill(-command->pid, SIGCONT);
    }
}

/* --- Life cycle --- */

static int catch_signals(struct daemon *profd)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM };
    struct supervisor *supervisor = &profd->supervisor;
    int error = 0;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && error == 0; i++) {
        error = uv_signal_init(&profd->loop, &supervisor->signals[i]);
        supervisor->signals[i].data = profd;
        if (error == 0)
            error = uv_signal_start(&supervisor->signals[i], on_signal, numbers[i]);
    }
    return error;
}

int supervisor_init(struct daemon *profd)
{
    struct supervisor *supervisor = &profd->supervisor;
    int error = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;

    if (error == 0)
        error = uv_timer_init(&profd->loop, &supervisor->grace);
    if (error == 0)
        error = uv_signal_init(&profd->loop, &supervisor->child_signal);
    if (error == 0)
        error = uv_signal_init(&profd->loop, &supervisor->continue_signal);
    supervisor->grace.data = supervisor->child_signal.data = supervisor->continue_signal.data =
        profd;
    if (error == 0)
        error = uv_signal_start(&supervisor->child_signal, on_child_signal, SIGCHLD);
    if (error == 0)
        error = uv_signal_start(&supervisor->continue_signal, on_continue, SIGCONT);
    return error == 0 ? catch_signals(profd) : error;
}

void supervisor_note_client_gone(struct daemon *profd, struct client *client)
{
    for (struct command *command = profd->supervisor.commands; command != NULL;
         command = command->next) {
        if (command->launcher == client)
            command->launcher = NULL;
    }
}

static void close_handle(uv_handle_t *handle)
{
    if (handle->data != NULL && !uv_is_closing(handle))
        uv_close(handle, NULL);
}

void supervisor_close(struct daemon *profd)
{
    struct supervisor *supervisor = &profd->supervisor;

    while (supervisor->commands != NULL) {
        terminal_take_back(supervisor->commands->terminal_fd);
        forget_command(supervisor->commands);
    }
    close_handle((uv_handle_t *)&supervisor->child_signal);
    close_handle((uv_handle_t *)&supervisor->continue_signal);
    close_handle((uv_handle_t *)&supervisor->grace);
    for (size_t i = 0; i < SUPERVISOR_SIGNALS; i++)
        close_handle((uv_handle_t *)&supervisor->signals[i]);
}
