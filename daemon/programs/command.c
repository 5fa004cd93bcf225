#include "daemon/programs/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/program_facts.h"
#include "daemon/children/spawn.h"
#include "daemon/log.h"
#include "daemon/programs/launch_environment.h"
#include "daemon/programs/supervisor.h"
#include "daemon/programs/terminal.h"
#include "ipc/messages.h"

enum {
    /* As shells say it. */
    EXIT_NOT_FOUND = 127,
    EXIT_NOT_RUNNABLE = 126,
    EXIT_SIGNAL_BASE = 128,
};

/* --- The start of a command --- */

static void explain_failure(const struct command *command, const struct spawn_failure *failure,
                            char text[COMMAND_TEXT_BYTES])
{
    const char *reason = strerror(-failure->error);

    if (failure->stage == SPAWN_DIRECTORY)
        snprintf(text, COMMAND_TEXT_BYTES, "cannot run '%s': its working directory: %s",
                 command->name, reason);
    else if (failure->stage == SPAWN_EXEC && failure->error == -ENOENT)
        snprintf(text, COMMAND_TEXT_BYTES,
                 "cannot run '%s': no such command; check its name and PATH", command->name);
    else
        snprintf(text, COMMAND_TEXT_BYTES, "cannot run '%s': %s", command->name, reason);
}

static void tell_start(const struct command *command, const char *text)
{
    const struct supervisor *supervisor = command->supervisor;

    supervisor->events->on_started(command, text, supervisor->context);
}

static void start_failed(struct command *command, const struct spawn_failure *failure)
{
    char text[COMMAND_TEXT_BYTES];

    command->failure = failure->error;
    explain_failure(command, failure, text);
    if (command->launcher == NULL)
        log_error("%s", text);
    tell_start(command, text);
}

/* The descriptor's end means that the program runs. */
void command_settle_start(struct command *command)
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
    log_info_of(command->pid, "'%s' runs as %d", command->name, command->pid);
    tell_start(command, "");
}

static void on_start(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    command_settle_start(poll->data);
}

struct command *command_make(struct supervisor *supervisor, const char *name)
{
    struct command *command = calloc(1, sizeof(*command));

    if (command == NULL)
        return NULL;
    command->supervisor = supervisor;
    command->is_starting = true;
    command->terminal_fd = terminal_ours();
    snprintf(command->name, sizeof(command->name), "%s", name);
    return command;
}

static int watch_start(struct command *command)
{
    struct supervisor *supervisor = command->supervisor;
    int error = uv_poll_init(supervisor->loop, &command->start, command->start_fd);

    if (error < 0) {
        close(command->start_fd);
        return error;
    }
    command->start.data = command;
    command->next = supervisor->commands;
    supervisor->commands = command;
    error = uv_poll_start(&command->start, UV_READABLE | UV_DISCONNECT, on_start);
    if (error < 0)
        log_warn("cannot watch the start of '%s': %s", command->name, uv_strerror(error));
    return 0;
}

static const char *search_path_of(char *const *environment)
{
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    }
    return NULL;
}

/* What it will run, when, and why that cannot be profiled. */
static void judge_command(struct command *command, const char *name, char *const *environment,
                          const char *directory)
{
    struct program_facts facts = { .descriptor_limit = UINT64_MAX };
    int directory_fd = AT_FDCWD;

    command->start_ns = uv_hrtime();
    command->executable[0] = '\0';
    command->obstacle = OBSTACLE_NONE;
    if (directory != NULL)
        directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory_fd == -1)
        return;
    int error = program_find(directory_fd, name, search_path_of(environment), command->executable,
                             sizeof(command->executable));
    if (error == 0)
        error = program_look_at(directory_fd, command->executable, &facts);
    for (; *environment != NULL; environment++)
        program_look_variable(*environment, &facts);
    if (error == 0)
        command->obstacle = program_obstacle(&facts);
    if (directory_fd >= 0)
        close(directory_fd);
}

int command_start(struct command *command, char **arguments, char **environment,
                  const char *directory)
{
    struct spawn_options options = {
        .arguments = arguments,
        .environment = environment,
        .directory = directory,
        .own_group = true,
        .terminal_fd = command->terminal_fd,
    };
    judge_command(command, arguments[0], environment, directory);
    if (command->obstacle == OBSTACLE_SANITIZER)
        launch_environment_drop_agent(environment);
    int error = spawn(&options, &command->pid, &command->start_fd);

    if (error == 0)
        error = watch_start(command);
    if (error < 0)
        free(command);
    return error;
}

/* --- The end of a command --- */

static void on_start_closed(uv_handle_t *handle)
{
    struct command *command = handle->data;

    close(command->start_fd);
    free(command);
}

void command_forget(struct command *command)
{
    struct command **link = &command->supervisor->commands;

    while (*link != command)
        link = &(*link)->next;
    *link = command->next;
    uv_close((uv_handle_t *)&command->start, on_start_closed);
}

void command_tell_exit(const struct command *command, int wait_status)
{
    const struct supervisor *supervisor = command->supervisor;
    struct message_command_exited message = {
        .pid = command->pid,
        .is_signal = WIFSIGNALED(wait_status),
        .code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status),
    };

    if (command->failure != 0)
        return; /* it never ran: its start was answered with that */
    log_info_of(command->pid, "'%s' (%d) %s %d", command->name, command->pid,
                message.is_signal ? "was killed by signal" : "exited with", (int)message.code);
    supervisor->events->on_exited(command, &message, supervisor->context);
}

int command_exit_status(const struct command *command, int wait_status)
{
    if (command->failure != 0)
        return command->failure == -ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
    return WIFSIGNALED(wait_status) ? EXIT_SIGNAL_BASE + WTERMSIG(wait_status)
                                    : WEXITSTATUS(wait_status);
}
