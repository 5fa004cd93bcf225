#include "daemon/when.h"

#include <signal.h>

#include "daemon/agents/agents.h"
#include "daemon/children/process_title.h"
#include "daemon/clients/clients.h"
#include "daemon/clients/profd_facts.h"
#include "daemon/daemon.h"
#include "daemon/limit/chores.h"
#include "daemon/log.h"
#include "daemon/programs/command.h"
#include "daemon/programs/signal_meaning.h"

/* --- Sessions --- */

/* A limit that cannot be had leaves the old one. */
static void follow_limit(struct daemon *profd)
{
    struct session_settings *settings = &profd->session.settings;

    settings->memory_limit_bytes = memory_set_limit(&profd->memory, settings->memory_limit_bytes);
}

/* A profd that comes after a killed one has to find what processes without an agent thread
 * recorded; without a keeper it would not. A private one has no successor. */
static void publish_session(struct daemon *profd)
{
    memory_publish_session(&profd->memory,
                           profd->options.private_fd >= 0 || keeper_link_is_open(&profd->keeper));
}

static void follow_power(struct daemon *profd)
{
    power_follow_session(&profd->power, session_has(&profd->session, FEATURE_POWER));
}

/* What a session has from its first moment in this profd. */
static void begin_parts(struct daemon *profd)
{
    follow_limit(profd);
    memory_begin_session(&profd->memory);
    census_begin_session(&profd->census);
    follow_power(profd);
    requests_time_session(&profd->requests);
}

void when_session_begins(struct daemon *profd, const struct trigger_set *set, int directory_fd)
{
    agents_forget_ended(&profd->agents);
    agents_forget_replaced(&profd->agents);
    begin_parts(profd);
    triggers_start(&profd->triggers, set, directory_fd);
    triggers_start_always_on(&profd->triggers);
    when_group_needs_change(profd);
}

/* Unlike a session that begins it forgets nobody: who has ended belongs to it. And it has no
 * triggers but those of the session that is always on: the folder that they wrote into went with
 * the profd before. */
void when_session_resumes(struct daemon *profd)
{
    agents_resume_session(&profd->agents);
    begin_parts(profd);
    triggers_start_always_on(&profd->triggers);
    when_group_needs_change(profd);
}

void when_session_is_shared(struct daemon *profd, const struct trigger_set *set, int directory_fd)
{
    follow_limit(profd);
    follow_power(profd);
    requests_time_session(&profd->requests);
    if (set != NULL)
        triggers_start(&profd->triggers, set, directory_fd);
    triggers_start_always_on(&profd->triggers);
    when_group_needs_change(profd);
}

void when_part_leaves(struct daemon *profd)
{
    follow_limit(profd);
    follow_power(profd);
}

void when_user_session_ends(struct daemon *profd)
{
    requests_end_time(&profd->requests);
    triggers_end_user_session(&profd->triggers);
    when_group_needs_change(profd);
}

static void end_parts(struct daemon *profd)
{
    power_end_session(&profd->power);
    agents_forget_ended(&profd->agents);
    chores_end_session(&profd->memory);
    lending_end_session(&profd->lending);
}

void when_session_moves(struct daemon *profd)
{
    restart_keep_session(&profd->restart);
    publish_session(profd);
    lending_follow_session(&profd->lending);
    log_info("the session is %s", session_state_name(profd->session.state));
    service_tell_status(&profd->service);
    if (!session_is_on(&profd->session))
        end_parts(profd);
    requests_join_always_on(&profd->requests); /* what kept it from joining may be over */
}

void when_session_has_started(struct daemon *profd)
{
    restart_keep_session(&profd->restart);
}

/* --- Processes --- */

/* Without a session there is nothing to keep of it. */
void when_child_ends(struct daemon *profd, struct child *child)
{
    when_ended_count_changes(profd);
    lending_end(&profd->lending, child);
    monitoring_note_ended(&profd->monitoring, child);
    metrics_note_ended(&profd->metrics, child);
    agents_detach_process(child);
    requests_note_gone(&profd->requests, child);
    requests_note_program_gone(&profd->requests, child->pid);
    if (!session_is_on(&profd->session)) {
        recent_ends_put(&profd->census.ends, child->pid, child->end_ns);
        agents_forget(&profd->agents, child);
        return;
    }
    process_title_recall(child);
    triggers_note_ended(&profd->triggers, child);
    agents_store(&profd->agents, child);
    captures_note_ended(&profd->captures, child);
}

void when_ended_count_changes(struct daemon *profd)
{
    memory_note_ended(&profd->memory, agents_ended_count(&profd->agents));
}

void when_child_is_forgotten(struct daemon *profd, struct child *child)
{
    lending_end(&profd->lending, child);
    triggers_forget_child(child);
    memory_forget_child(&profd->memory, child);
}

void when_verdict_is_known(struct daemon *profd, const struct child *child)
{
    metrics_note_verdict(&profd->metrics, child);
    triggers_note_verdict(&profd->triggers, child);
}

void when_child_falls_silent(struct daemon *profd, struct child *child)
{
    requests_note_gone(&profd->requests, child);
    captures_note_silent(&profd->captures, child);
}

void when_child_is_kept(struct daemon *profd, struct child *child)
{
    captures_note_stored(&profd->captures, child);
    memory_schedule_decision(&profd->memory);
}

/* profd's own workers are not processes of the session; neither is a command that never ran. */
void when_process_is_reaped(struct daemon *profd, pid_t pid, int wait_status,
                            const struct process_remains *remains)
{
    if (captures_note_reaped(&profd->captures, pid, wait_status) ||
        triggers_note_reaped(&profd->triggers, pid, wait_status))
        return;
    if (supervisor_has_run(&profd->supervisor, pid) && !programs_runs_export(&profd->programs, pid))
        census_note_reaped(&profd->census, pid, wait_status, remains);
    supervisor_note_reaped(&profd->supervisor, pid, wait_status);
}

/* --- Captures --- */

void when_capture_is_asked_for(struct daemon *profd, struct request *request)
{
    const struct capture_order order = request_take_order(request);

    captures_begin(&profd->captures, &order);
}

/* The request is the current one until the capture is over. */
void when_capture_progresses(struct daemon *profd, const struct message_capture_progress *message)
{
    struct client *client = profd->requests.current->client;

    if (client != NULL)
        client_send_capture_progress(client, message);
}

void when_capture_is_written(struct daemon *profd, const struct message_capture_done *message)
{
    struct client *client = profd->requests.current->client;

    if (client != NULL)
        client_send_capture_done(client, message);
}

/* --- Pages of metrics --- */

void when_metrics_are_requested(struct daemon *profd, struct metrics_view *view)
{
    const struct profd_facts facts = {
        .session = &profd->session,
        .memory = &profd->memory,
        .exits = &profd->exits,
        .children = &profd->children,
        .census = &profd->census,
        .clients = &profd->clients,
    };

    profd_facts_describe(&facts, view);
}

/* --- Commands and signals --- */

void when_command_starts(struct daemon *profd, const struct command *command, const char *text)
{
    const struct census_start start = { command->pid, command->start_ns, command->executable,
                                        command->obstacle };

    bool is_own = command->program != NULL && programs_is_export(command->program->config->name);

    if (command->failure == 0 && !is_own)
        census_note_started(&profd->census, &start);
    if (command->launcher != NULL)
        client_reply(command->launcher, command->request_id, command->failure, text);
}

void when_command_ends(struct daemon *profd, struct program *program, bool is_main, int exit_status)
{
    if (program != NULL)
        programs_note_ended(program, exit_status != 0);
    if (is_main)
        triggers_end_profd(&profd->triggers, exit_status);
}

void when_signal_comes(struct daemon *profd, int signal_number)
{
    if (signal_number == SIGUSR2 && triggers_take_sigusr2(&profd->triggers))
        return;
    switch (signal_meaning_of(signal_number, profd->options.command != NULL,
                              profd->options.private_fd >= 0)) {
    case SIGNAL_MEANS_NOTHING:
        break;
    case SIGNAL_IS_FOR_COMMAND:
        supervisor_pass_on(&profd->supervisor, signal_number);
        break;
    case SIGNAL_ENDS_PROFD:
        supervisor_shut_down(&profd->supervisor);
        break;
    case SIGNAL_ENDS_PROFD_FULLY:
        profd->leaves_session = false;
        supervisor_shut_down(&profd->supervisor);
        break;
    }
}

/* --- Clients --- */

void when_client_goes(struct daemon *profd, struct client *client)
{
    requests_note_client_gone(&profd->requests, client);
    supervisor_note_client_gone(&profd->supervisor, client);
    triggers_note_client_gone(&profd->triggers, client);
    when_group_needs_change(profd);
    if (client->is_private)
        daemon_end(profd, 0);
}

static struct monitoring_demand group_demand(const struct daemon *profd)
{
    return (struct monitoring_demand){
        .of_profd = profd->options.group_needs,
        .of_clients = clients_group_needs(&profd->clients),
        .is_of_session = session_has(&profd->session, FEATURE_GROUPS),
        .is_of_triggers = trigger_watch_needs_groups(&profd->triggers.watch),
    };
}

void when_ledger_opens(struct daemon *profd)
{
    const struct monitoring_demand demand = group_demand(profd);

    publish_session(profd);
    monitoring_open(&profd->monitoring, &demand);
}

void when_keeper_is_replaced(struct daemon *profd)
{
    agents_keep_again(&profd->agents);
    publish_session(profd);
}

void when_group_needs_change(struct daemon *profd)
{
    const struct monitoring_demand demand = group_demand(profd);

    monitoring_follow(&profd->monitoring, &demand);
}
