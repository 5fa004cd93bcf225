#include "daemon/wiring.h"

#include "daemon/children/agents.h"
#include "daemon/children/census.h"
#include "daemon/command.h"
#include "daemon/daemon.h"
#include "daemon/requests/client_connection.h"
#include "daemon/when.h"

static void on_listen(void *context)
{
    census_read(context);
}

const struct lending_events lending_events = { on_listen };

static bool is_awaited(lease_owner owner, void *context)
{
    const struct daemon *profd = context;
    return restart_is_awaited(&profd->restart, owner);
}

static int launch_one(struct program *program, pid_t *pid, void *context)
{
    const struct daemon *profd = context;
    struct command *command;
    int error = launch_program(&profd->launch, program->config, &command);

    if (error < 0)
        return error;
    command->program = program;
    *pid = command->pid;
    return 0;
}

static void on_program_over(void *context)
{
    struct daemon *profd = context;
    supervisor_note_programs(&profd->supervisor);
}

const struct programs_events programs_events = { launch_one, on_program_over };

static void on_command_started(const struct command *command, const char *text, void *context)
{
    when_command_starts(context, command, text);
}

static void on_reaped(pid_t pid, int wait_status, const struct process_remains *remains,
                      void *context)
{
    when_process_is_reaped(context, pid, wait_status, remains);
}

static void on_command_exited(const struct command *command,
                              const struct message_command_exited *message, void *context)
{
    (void)context;
    if (command->launcher != NULL)
        client_send_command_exited(command->launcher, message);
}

static void on_command_ended(struct program *program, bool is_main, int exit_status, void *context)
{
    when_command_ends(context, program, is_main, exit_status);
}

static void on_signal(int signal_number, void *context)
{
    when_signal_comes(context, signal_number);
}

static void on_shut_down(void *context)
{
    struct daemon *profd = context;
    programs_stop(&profd->programs);
}

static bool are_programs_over(void *context)
{
    const struct daemon *profd = context;
    return programs_are_over(&profd->programs);
}

static void on_all_over(void *context)
{
    daemon_end(context, 0);
}

const struct supervisor_events supervisor_events = {
    .on_started = on_command_started,
    .on_reaped = on_reaped,
    .on_exited = on_command_exited,
    .on_ended = on_command_ended,
    .on_signal = on_signal,
    .on_shut_down = on_shut_down,
    .are_programs_over = are_programs_over,
    .on_over = on_all_over,
};

const struct memory_events memory_events = { is_awaited };

static void on_page(struct metrics_view *view, void *context)
{
    when_page_is_made(context, view);
}

const struct metrics_events metrics_events = { on_page };

static void on_session(void *context)
{
    when_session_goes_on(context);
}

static void on_return(void *context)
{
    agents_readmit_kept(context);
}

static void on_missing(const struct session_owner *owner, void *context)
{
    requests_add_own(context, REQUEST_STOP, owner);
}

const struct restart_events restart_events = { on_session, on_return, on_missing };

static void on_answer(struct client *client, uint64_t id, int error, const char *text,
                      void *context)
{
    (void)context;
    client_reply(client, id, error, text);
}

static int write_groups(int fd, void *context)
{
    struct daemon *profd = context;
    return monitoring_write_snapshot(&profd->monitoring, fd);
}

static bool is_shutting_down(void *context)
{
    const struct daemon *profd = context;
    return profd->supervisor.is_shutting_down;
}

static void on_captures_over(int exit_status, void *context)
{
    daemon_end(context, exit_status);
}

const struct triggers_events triggers_events = { on_answer, write_groups, is_shutting_down,
                                                 on_captures_over };
