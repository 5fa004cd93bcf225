#include "daemon/wiring.h"

#include "daemon/capture/captures.h"
#include "daemon/census/census_program.h"
#include "daemon/census/census_recall.h"
#include "daemon/children/pidfd.h"
#include "daemon/clients/clients.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/programs/command.h"
#include "daemon/when.h"
#include "ipc/connection.h"
#include "ipc/messages.h"

static void on_capture_listing(void *context)
{
    struct daemon *profd = context;
    census_take(&profd->census);
}

static void on_capture_log(struct gathering_log *log, void *context)
{
    const struct daemon *profd = context;
    restart_log(&profd->restart, log);
}

static void on_capture_progress(const struct message_capture_progress *message, void *context)
{
    when_capture_progresses(context, message);
}

static void on_capture_written(const struct message_capture_done *message, void *context)
{
    when_capture_is_written(context, message);
}

static void on_stop(const struct session_owner *owner, void *context)
{
    struct daemon *profd = context;
    requests_add_own(&profd->requests, REQUEST_STOP, owner);
}

static void on_capture_finished(int error, const char *text, void *context)
{
    struct daemon *profd = context;
    requests_finish(&profd->requests, error, text);
}

const struct captures_events captures_events = {
    .on_listing = on_capture_listing,
    .on_log = on_capture_log,
    .on_progress = on_capture_progress,
    .on_written = on_capture_written,
    .on_stop = on_stop,
    .on_finished = on_capture_finished,
};

static int on_agent(struct connection *connection, int pidfd, const uint8_t *payload, size_t bytes,
                    int *fds, size_t fd_count, void *context)
{
    struct daemon *profd = context;
    return agents_hello(&profd->agents, connection, pidfd, payload, bytes, fds, fd_count);
}

/* Whether SENDER and its MESSAGE make sense together. */
static bool is_program_sound(const struct message_program *message,
                             const struct census_sender *sender)
{
    return protocol_version_is_understood(message->protocol_version) &&
           (!sender->is_about_child || sender->process_fd < 0 || pidfd_is_one(sender->process_fd));
}

static void on_program(struct connection *connection, int pidfd, const uint8_t *payload,
                       size_t bytes, const int *fds, size_t fd_count, void *context)
{
    struct daemon *profd = context;
    const struct peer_credentials *peer = connection_peer(connection);
    struct census_sender sender = { peer->pid, pidfd, false };
    struct message_program message;
    bool is_malformed = message_get_program(payload, bytes, &message) < 0;
    if (fd_count > 0 || (!is_malformed && message.is_about_child))
        sender = (struct census_sender){ peer->pid, fd_count > 0 ? fds[0] : -1, true };
    if (!agents_may_connect(&profd->agents, peer))
        log_warn_of_many(peer->pid, "rejected a report of %d of user %u: not started by profd",
                         peer->pid, peer->uid);
    else if (is_malformed || !is_program_sound(&message, &sender))
        log_warn_of_many(peer->pid, "rejected a report of %d: malformed message", peer->pid);
    else if (!census_note_program(&profd->census, &message, &sender))
        log_warn_of_many(peer->pid, "rejected a report of %d: it is about no child of it",
                         peer->pid);
}

/* A stranger's would hold a descriptor of profd's for nothing. */
static int on_line(struct connection *connection, void *context)
{
    struct daemon *profd = context;
    if (agents_may_connect(&profd->agents, connection_peer(connection)))
        return lines_add(&profd->lines, connection);
    connection_close(connection, -EPERM);
    return -EPERM;
}

static int on_client(struct connection *connection, bool is_private, const uint8_t *payload,
                     size_t bytes, void *context)
{
    struct daemon *profd = context;
    return clients_hello(&profd->clients, connection, is_private, payload, bytes);
}

static void on_private_gone(void *context)
{
    daemon_end(context, 0);
}

const struct visitors_events visitors_events = { on_agent, on_program, on_line, on_client,
                                                 on_private_gone };

static void on_connection(int fd, const struct peer_credentials *peer, void *context)
{
    struct daemon *profd = context;
    visitors_on_accept(NULL, fd, peer, &profd->visitors);
}

const struct lines_events lines_events = { on_connection };

static void on_answered(struct client *client, uint64_t id, int error, const char *text,
                        void *context)
{
    (void)context;
    client_reply(client, id, error, text);
}

static void on_begin(const struct trigger_set *set, int directory_fd, void *context)
{
    when_session_begins(context, set, directory_fd);
}

static void on_joined(const struct trigger_set *set, int directory_fd, void *context)
{
    when_session_is_shared(context, set, directory_fd);
}

static void on_left(void *context)
{
    when_part_leaves(context);
}

static void on_extras_over(void *context)
{
    when_user_session_ends(context);
}

static void on_move(void *context)
{
    when_session_moves(context);
}

static void on_started(void *context)
{
    when_session_has_started(context);
}

static void on_capture(struct request *request, void *context)
{
    when_capture_is_asked_for(context, request);
}

static void on_capture_unwanted(int error, const char *text, void *context)
{
    struct daemon *profd = context;
    captures_cancel(&profd->captures, error, text);
}

static bool is_awaiting(void *context)
{
    const struct daemon *profd = context;
    return restart_is_awaiting(&profd->restart);
}

const struct requests_events requests_events = {
    .on_answer = on_answered,
    .on_begin = on_begin,
    .on_joined = on_joined,
    .on_left = on_left,
    .on_extras_over = on_extras_over,
    .on_move = on_move,
    .on_started = on_started,
    .on_capture = on_capture,
    .on_capture_unwanted = on_capture_unwanted,
    .is_awaiting = is_awaiting,
};

static void on_client_gone(struct client *client, void *context)
{
    when_client_goes(context, client);
}

static void on_needs(void *context)
{
    when_group_needs_change(context);
}

const struct clients_events clients_events = { on_client_gone, on_needs };

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

static bool have_programs_ended(void *context)
{
    const struct daemon *profd = context;
    return programs_have_ended(&profd->programs);
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
    .have_programs_ended = have_programs_ended,
    .on_over = on_all_over,
};

const struct memory_events memory_events = { is_awaited };

static void on_page(struct metrics_view *view, void *context)
{
    when_metrics_are_requested(context, view);
}

const struct metrics_events metrics_events = { on_page };

static void on_session(void *context)
{
    when_session_resumes(context);
}

static void on_return(void *context)
{
    struct daemon *profd = context;
    agents_readmit_kept(&profd->agents);
    census_recall(&profd->census);
}

const struct restart_events restart_events = { on_session, on_return, on_stop };

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

const struct triggers_events triggers_events = { on_answered, write_groups, is_shutting_down,
                                                 on_captures_over };
