#include "daemon/agents/agents.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/file_name.h"
#include "common/time_units.h"
#include "daemon/agents/agents_inside.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/process_tree.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/log.h"
#include "daemon/memory/exit_store.h"
#include "daemon/session.h"
#include "ipc/connection.h"

/* Ended processes of which only the name is known; each costs about 400 bytes. */
enum { MAX_NAMES = 64 * 1024 };

/* A process may take up a session between telling of an exec call and making it, if it is not kept
 * from running for so long. */
enum { EXEC_CALL_LASTS_NS = NS_PER_S };

void agents_init(struct agents *agents, const struct agents_views *views,
                 const struct agents_events *events, void *context)
{
    *agents = (struct agents){
        .loop = views->loop,
        .session = views->session,
        .access = views->access,
        .children = views->children,
        .exits = views->exits,
        .memory = views->memory,
        .keeper = views->keeper,
        .events = events,
        .context = context,
    };
}

/* --- The end of a child --- */

/* The arena is in nobody's hands but profd's. */
void agents_stop_keeping(struct agents *agents, struct child *child)
{
    if (child->kept != CHILD_KEPT_TWICE)
        return;
    keeper_link_drop(agents->keeper, child->lease_owner);
    child_set_kept(agents->children, child, CHILD_KEPT_ARENA);
}

void agents_forget(struct agents *agents, struct child *child)
{
    child_watch_stop(child->watch);
    agents_stop_keeping(agents, child);
    agents->events->on_forgotten(child, agents->context);
    child_table_remove(agents->children, child);
    agents->events->on_ended_count(agents->context);
}

/* Nothing more is to be learnt about how CHILD ended. */
void agents_stop_watching(struct child *child)
{
    child_watch_stop(child->watch);
    child->watch = NULL;
}

void agents_forget_names(struct agents *agents)
{
    struct child *oldest = agents->children->first, *next;

    for (; agents->children->names > MAX_NAMES && oldest != NULL; oldest = next) {
        next = oldest->next;
        if (!child_is_only_name(oldest) || agents->events->is_in_use(oldest, agents->context))
            continue;
        agents->forgotten++;
        agents_forget(agents, oldest);
    }
}

static void on_kept(struct exit_record *record, int error, void *owner)
{
    struct child *child = owner;
    struct agents *agents = child->agents;

    memory_forget_child(agents->memory, child);
    if (child->kept == CHILD_KEPT_UNWANTED) {
        agents_forget(agents, child);
        return;
    }
    if (error < 0)
        log_warn_of_many(child->pid, "lost the profile of %d (%s): cannot copy it: %s", child->pid,
                         child->executable, uv_strerror(error));
    child->exit = record;
    child_set_kept(agents->children, child, record != NULL ? CHILD_KEPT_COPIED : CHILD_KEPT_NAME);
    agents->events->on_kept(child, agents->context);
}

void agents_store(struct agents *agents, struct child *child)
{
    int arena_fd = child->arena_fd;

    if (child->kept == CHILD_KEPT_NOTHING)
        child_set_kept(agents->children, child, CHILD_KEPT_NAME);
    if (child->kept != CHILD_KEPT_ARENA && child->kept != CHILD_KEPT_TWICE)
        return;
    agents_stop_keeping(agents, child);
    child->arena_fd = -1;
    memory_stop_aging(agents->memory, child);
    int error =
        exit_store_keep(agents->exits, arena_fd, child->lease_owner, child->end_ns, on_kept, child);
    child_set_kept(agents->children, child, error == 0 ? CHILD_KEPT_COPYING : CHILD_KEPT_NAME);
    if (error == 0)
        return;
    log_warn_of_many(child->pid, "lost the profile of %d (%s): %s", child->pid, child->executable,
                     uv_strerror(error));
    memory_forget_child(agents->memory, child);
}

static void on_orphan_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                              size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)connection, (void)kind, (void)payload, (void)bytes, (void)fds, (void)fd_count;
    (void)owner;
}

static void on_orphan_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

/* For a connection that closes after its child was freed. */
static const struct connection_events orphan_events = { on_orphan_message, on_orphan_closed };

void agents_drop_connection(struct child *child)
{
    struct connection *connection = child->connection;

    child->connection = NULL;
    memory_note_disconnected(child);
    if (connection == NULL)
        return;
    connection_set_events(connection, &orphan_events, NULL);
    connection_close(connection, -ESHUTDOWN);
}

static void apply_wait_status(struct child *child, int wait_status)
{
    if (child->verdict != VERDICT_VANISHED)
        return;
    int code;
    enum process_verdict verdict = child_verdict_of(wait_status, &code);
    child_correct_end(child, verdict, code, child->end_ns);
    child->agents->events->on_verdict(child, child->agents->context);
}

void agents_detach_process(struct child *child)
{
    agents_drop_connection(child);
    if (child->verdict != VERDICT_VANISHED)
        agents_stop_watching(child);
    else if (child->wait.is_known)
        apply_wait_status(child, child->wait.status);
}

void agents_end(struct agents *agents, struct child *child, enum process_verdict verdict, int code,
                uint64_t end_ns)
{
    if (child->state == CHILD_ENDED)
        return;
    child_end(agents->children, child, verdict, code, end_ns);
    log_debug_of(child->pid, "%d (%s) ended: %s %d", child->pid, child->executable,
                 process_verdict_name(verdict), code);
    agents->events->on_end(child, agents->context);
}

/* What the process became last may not have been read yet; nor that another process has its pid. */
static void on_ended(void *owner)
{
    const struct child *watched = owner;
    struct agents *agents = watched->agents;
    pid_t pid = watched->pid;
    int pidfd = child_watch_pidfd(watched->watch); /* open until the loop continues */

    agents->events->on_news_wanted(agents->context);
    struct child *child = child_table_find_last_image(agents->children, pid, watched);
    if (child == NULL || child->state == CHILD_ENDED)
        return;
    cpu_account_note_ended(child, pidfd);
    agents_end(agents, child, VERDICT_VANISHED, 0, uv_hrtime());
}

static void on_status(const int *wait_status, void *owner)
{
    if (wait_status != NULL)
        apply_wait_status(owner, *wait_status);
    agents_stop_watching(owner);
}

/* Whether CHILD's process is another program by now. That it told of an exec is no proof, since
 * that may have failed; but there is no other where it told of its own file. */
static bool runs_another(const struct child *child)
{
    const char *told = child->exec.path;
    bool told_of_itself = child_told_silent_exec(child) && told != NULL &&
                          file_name_is_same(child->executable, told, strlen(told));

    return told_of_itself || process_runs_other_program(child->pid, child->executable);
}

void agents_note_disconnected(struct child *child)
{
    struct agents *agents = child->agents;
    pid_t pid = child->pid;

    child->connection = NULL;
    memory_note_disconnected(child);
    agents->events->on_news_wanted(agents->context); /* what it told before: an exec, or its end */
    bool is_there = child_table_find_last_image(agents->children, pid, child) != NULL;
    if (!is_there || child->state != CHILD_CONNECTED)
        return;
    child_detach(child);
    if (child->watch == NULL)
        agents_end(agents, child, VERDICT_VANISHED, 0, uv_hrtime());
    else if (runs_another(child))
        agents_end_as_replaced(child);
    else
        agents->events->on_silence(child, agents->context);
}

static const struct child_watch_events watch_events = { on_ended, on_status };

void agents_watch(struct agents *agents, struct child *child, int pidfd)
{
    if (pidfd < 0)
        return;
    child_watch_stop(child->watch);
    child->watch = NULL;
    int error = child_watch_start(agents->loop, pidfd, &watch_events, child, &child->watch);
    if (error < 0)
        log_warn_of(child->pid, "cannot wait for the end of %d: %s", child->pid,
                    uv_strerror(error));
}

/* What was told with its end: the last word, where there is one. */
void agents_take_cpu_time(struct child *child, const struct child_ending *ending)
{
    if (ending->cpu_ns != CPU_TIME_UNKNOWN)
        cpu_account_close(&child->cpu, ending->cpu_ns);
}

/* Without a session what has ended is not known any more. */
static void settle_ended(struct agents *agents, pid_t pid)
{
    struct child *child = child_table_find_latest(agents->children, pid);

    if (child != NULL && session_is_on(agents->session))
        agents_settle_silent_exec(child);
}

bool agents_note_reaped(struct agents *agents, pid_t pid, const struct child_ending *ending)
{
    struct child *child = child_table_find_latest(agents->children, pid);

    if (child == NULL || child->wait.is_known)
        return false; /* a pid is not used again before its process was reaped */
    if (child->state == CHILD_ENDED && child->verdict == VERDICT_EXECED)
        return false; /* it is the program after CHILD that has ended, which never said hello */
    child->wait = (struct child_wait){ true, ending->wait_status };
    agents_take_cpu_time(child, ending);
    if (child->state != CHILD_ENDED) {
        agents_end(agents, child, VERDICT_VANISHED, 0, ending->end_ns);
    } else {
        if (ending->end_ns < child->end_ns)
            child_correct_end(child, child->verdict, child->code,
                              ending->end_ns); /* that was noticed late */
        apply_wait_status(child, ending->wait_status);
    }
    settle_ended(agents, pid);
    return true;
}

/* An exec that was noticed late: the process seemed to have ended, and went on as another program.
 */
void agents_change_end_to_exec(struct child *child, uint64_t exec_ns)
{
    child_correct_end(child, VERDICT_EXECED, 0, exec_ns);
    child->agents->events->on_verdict(child, child->agents->context);
}

/* --- The end of sessions, and of profd --- */

/* CHILD is freed now, or with the end of its copy; the exit store is cleared after this. */
static void discard_child(struct agents *agents, struct child *child)
{
    if (child->kept == CHILD_KEPT_COPYING)
        child_set_kept(agents->children, child, CHILD_KEPT_UNWANTED);
    else if (child->kept != CHILD_KEPT_UNWANTED)
        agents_forget(agents, child);
}

void agents_forget_ended(struct agents *agents)
{
    struct child *next;

    for (struct child *child = agents->children->first; child != NULL; child = next) {
        next = child->next;
        if (child->state == CHILD_ENDED)
            discard_child(agents, child);
    }
    exit_store_clear(agents->exits);
    agents->forgotten = 0;
    agents->events->on_ended_count(agents->context);
}

void agents_resume_session(struct agents *agents)
{
    agents->forgotten = memory_ended_count(agents->memory);
}

uint64_t agents_ended_count(const struct agents *agents)
{
    return agents->children->ended + agents->forgotten;
}

void agents_forget_replaced(struct agents *agents)
{
    struct child *next;

    exec_calls_forget_before(&agents->exec_calls, uv_hrtime() - EXEC_CALL_LASTS_NS);
    for (struct child *child = agents->children->first; child != NULL; child = next) {
        next = child->next;
        if (child->agent != CHILD_IS_ALONE || child->state == CHILD_ENDED ||
            !process_runs_other_program(child->pid, child->executable))
            continue;
        agents_drop_connection(child);
        agents_stop_watching(child);
        agents_forget(agents, child);
    }
}

void agents_note_expired(void *owner, const struct block_account *account)
{
    struct child *child = owner;

    child->exit = NULL;
    child->expired = *account;
    child_set_kept(child->agents->children, child, CHILD_KEPT_EXPIRED);
}

void agents_close(struct agents *agents)
{
    struct child *next;

    for (struct child *child = agents->children->first; child != NULL; child = next) {
        next = child->next;
        agents_drop_connection(child);
        agents_stop_watching(child);
        discard_child(agents, child);
    }
    exit_store_clear(agents->exits);
}
