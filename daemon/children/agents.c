#include "daemon/children/agents.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/process_clock.h"
#include "daemon/capture/capture.h"
#include "daemon/children/agent_connection.h"
#include "daemon/children/census.h"
#include "daemon/children/child_watch.h"
#include "daemon/children/cpu_account.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_list.h"
#include "daemon/children/process_title.h"
#include "daemon/children/process_tree.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/memory/compact_arena.h"
#include "daemon/outbox.h"

/* For agents that are turned away: time to read the answer. */
enum { LAST_ANSWER_MS = 2000 };

/* Ended processes of which only the name is known; each costs about 400 bytes. */
enum { MAX_NAMES = 64 * 1024 };

/* --- The end of a child --- */

/* The arena is in nobody's hands but profd's. */
static void stop_keeping(struct daemon *profd, struct child *child)
{
    if (child->is_kept)
        keeper_link_drop(&profd->keeper, child->lease_owner);
    child->is_kept = false;
}

/* Takes CHILD out of the table; its copy is not under way. */
static void forget(struct daemon *profd, struct child *child)
{
    profd->unwatched -= child->is_unwatched;
    child_watch_stop(child->watch);
    if (child->arena_fd >= 0)
        close(child->arena_fd);
    child->arena_fd = -1;
    stop_keeping(profd, child);
    memory_forget_child(child);
    profd->names -= child->is_name;
    child_table_remove(&profd->children, child);
    memory_note_ended(profd);
}

/* Nothing more is to be learnt about how CHILD ended. */
static void stop_watching(struct child *child)
{
    child_watch_stop(child->watch);
    child->watch = NULL;
}

/* Nothing is kept of what CHILD recorded, but captures list it. */
static void keep_name(struct daemon *profd, struct child *child)
{
    child->is_name = true;
    profd->names++;
}

void agents_forget_names(struct daemon *profd)
{
    struct child *oldest = profd->children.first, *next;

    for (; profd->names > MAX_NAMES && oldest != NULL; oldest = next) {
        next = oldest->next;
        if (!oldest->is_name || oldest->capture_index >= 0)
            continue;
        profd->forgotten++;
        forget(profd, oldest);
    }
}

static void on_kept(struct exit_record *record, int error, void *owner)
{
    struct child *child = owner;
    struct daemon *profd = child->profd;

    child->is_copying = false;
    child->exit = record;
    memory_forget_child(child);
    if (child->is_unwanted) {
        forget(profd, child);
        return;
    }
    if (error < 0)
        log_warn_of_many("the profile of %d (%s) is lost: it cannot be copied (%s)", child->pid,
                         child->executable, uv_strerror(error));
    capture_note_stored(profd, child);
    if (record == NULL)
        keep_name(profd, child);
    memory_decide_soon(profd);
}

static void store(struct daemon *profd, struct child *child)
{
    int arena_fd = child->arena_fd;

    if (arena_fd < 0) {
        keep_name(profd, child);
        return;
    }
    child->arena_fd = -1;
    stop_keeping(profd, child);
    memory_controller_remove(&profd->memory.controller, &child->memory);
    int error =
        exit_store_keep(&profd->exits, arena_fd, child->lease_owner, child->end_ns, on_kept, child);
    child->is_copying = error == 0;
    if (error == 0)
        return;
    log_warn_of_many("the profile of %d (%s) is lost: %s", child->pid, child->executable,
                     uv_strerror(error));
    memory_forget_child(child);
    keep_name(profd, child);
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

static void drop_connection(struct child *child)
{
    struct connection *connection = child->connection;

    child->connection = NULL;
    memory_note_disconnected(child);
    if (connection == NULL)
        return;
    connection_set_events(connection, &orphan_events, NULL);
    connection_close(connection, -ESHUTDOWN);
}

static void set_status(struct child *child, int wait_status)
{
    if (child->verdict == VERDICT_VANISHED)
        child->verdict = child_verdict_of(wait_status, &child->code);
    else
        return;
    if (child->verdict == VERDICT_KILLED)
        triggers_note_killed(child->profd, child->pid, child->code);
}

/* CHILD has ended. Without a session there is nothing to keep of it. */
static void end_child(struct daemon *profd, struct child *child, enum process_verdict verdict,
                      int code, uint64_t end_ns)
{
    if (child_end(&profd->children, child, verdict, code, end_ns) < 0)
        return;
    log_debug("%d (%s) ended: %s %d", child->pid, child->executable, process_verdict_name(verdict),
              code);
    memory_note_ended(profd);
    drop_connection(child);
    if (verdict != VERDICT_VANISHED)
        stop_watching(child);
    else if (child->is_reaped)
        set_status(child, child->wait_status);
    requests_note_gone(profd, child);
    if (!session_is_on(&profd->session)) {
        recent_ends_put(&profd->census.ends, child->pid, end_ns);
        forget(profd, child);
        return;
    }
    process_title_recall(child);
    triggers_note_ended(profd, child);
    store(profd, child);
    capture_note_ended(profd, child);
}

/* What the process became last may not have been read yet. */
static void on_ended(void *owner)
{
    const struct child *watched = owner;
    struct daemon *profd = watched->profd;
    pid_t pid = watched->pid;
    int pidfd = child_watch_pidfd(watched->watch); /* open until the loop goes on */

    census_read(profd);
    struct child *child = child_table_find_latest(&profd->children, pid);
    if (child == NULL || child->state == CHILD_ENDED)
        return;
    cpu_account_note_ended(child, pidfd);
    end_child(profd, child, VERDICT_VANISHED, 0, uv_hrtime());
}

static void on_status(const int *wait_status, void *owner)
{
    if (wait_status != NULL)
        set_status(owner, *wait_status);
    stop_watching(owner);
}

void agents_note_disconnected(struct child *child)
{
    struct daemon *profd = child->profd;

    child->connection = NULL;
    memory_note_disconnected(child);
    if (child_detach(child) < 0)
        return;
    requests_note_gone(profd, child);
    if (child->watch == NULL)
        end_child(profd, child, VERDICT_VANISHED, 0, uv_hrtime());
    else if (process_runs_other_program(child->pid, child->executable)) {
        end_child(profd, child, VERDICT_EXECED, 0, uv_hrtime());
        census_soon(profd); /* as a program that may have no agent */
    } else
        capture_note_silent(profd, child);
}

static const struct child_watch_events watch_events = { on_ended, on_status };

/* What was told with its end: the last word, where there is one. */
static void take_cpu_time(struct child *child, const struct child_ending *ending)
{
    if (ending->cpu_ns == CPU_TIME_UNKNOWN)
        return;
    child->cpu_ns = ending->cpu_ns;
    child->is_cpu_final = true;
}

bool agents_note_reaped(struct daemon *profd, pid_t pid, const struct child_ending *ending)
{
    struct child *child = child_table_find_latest(&profd->children, pid);

    if (child == NULL || child->is_reaped)
        return false; /* a pid is not used again before its process was reaped */
    if (child->state == CHILD_ENDED && child->verdict == VERDICT_EXECED)
        return false; /* it is the program after CHILD that has ended, of which nobody heard */
    child->is_reaped = true;
    child->wait_status = ending->wait_status;
    take_cpu_time(child, ending);
    if (child->state != CHILD_ENDED) {
        end_child(profd, child, VERDICT_VANISHED, 0, ending->end_ns);
        return true;
    }
    if (child->is_silent && ending->end_ns < child->end_ns)
        child->end_ns = ending->end_ns; /* that one was when it was noticed */
    set_status(child, ending->wait_status);
    return true;
}

/* An exec that was noticed late: the process seemed to have ended, and went on as another program.
 */
static void correct_to_exec(struct child *child, uint64_t exec_ns)
{
    child->verdict = VERDICT_EXECED;
    child->code = 0;
    child->end_ns = exec_ns;
}

/* --- Those that never said hello --- */

/* What was told of the end of OTHER was CHILD's. */
static void take_ending(struct child *child, const struct child *other)
{
    child->is_reaped = other->is_reaped;
    child->wait_status = other->wait_status;
    child->cpu_ns = other->cpu_ns;
    child->is_cpu_final = other->is_cpu_final;
}

static void pass_ending_on(struct child *child, struct child *earlier)
{
    take_ending(child, earlier);
    earlier->cpu_ns = CPU_TIME_UNKNOWN;
    earlier->is_cpu_final = false;
}

static void watch(struct daemon *profd, struct child *child, int pidfd);

/* A process that is met for the first time may have used CPU time before the session. */
static void open_account(const struct daemon *profd, struct child *child)
{
    if (child->process_start_ns == child->start_ns && session_is_on(&profd->session))
        child->cpu_before_ns =
            cpu_account_before(child->start_ns, profd->session.start_ns, child->pid);
}

static struct child *add(struct daemon *profd, const struct child_introduction *who)
{
    struct child *child = child_table_add(&profd->children, who);

    if (child != NULL)
        open_account(profd, child);
    return child;
}

struct child *agents_add_silent(struct daemon *profd, const struct child_introduction *who,
                                enum recording_obstacle obstacle, int pidfd)
{
    struct child *earlier = child_table_find_latest(&profd->children, who->pid);

    if (earlier != NULL)
        end_child(profd, earlier, VERDICT_EXECED, 0, who->start_ns);
    struct child *child = child_table_add_silent(&profd->children, who);
    if (child == NULL) {
        if (pidfd >= 0)
            close(pidfd);
        return NULL;
    }
    child->profd = profd;
    child->obstacle = obstacle;
    child->cpu_ns = process_clock_ns(child->pid);
    open_account(profd, child);
    watch(profd, child, pidfd);
    log_debug("%d (%s) is not profiled: %s", child->pid, child->executable,
              recording_obstacle_text(obstacle));
    return child;
}

void agents_end_silent(struct child *child, const struct child_ending *ending)
{
    child->is_reaped = true;
    child->wait_status = ending->wait_status;
    take_cpu_time(child, ending);
    end_child(child->profd, child, VERDICT_VANISHED, 0, ending->end_ns);
}

void agents_end_unwatched(struct child *child, uint64_t end_ns)
{
    end_child(child->profd, child, VERDICT_VANISHED, 0, end_ns);
}

void agents_split_ending(struct child *earlier, uint64_t exec_ns, struct child *later)
{
    if (later != NULL) {
        pass_ending_on(later, earlier);
        end_child(later->profd, later, earlier->verdict, earlier->code, earlier->end_ns);
    }
    correct_to_exec(earlier, exec_ns);
}

/* What was told of the end of CHILD was of the program that it became, of which nothing else is
 * known. */
static void split_from_unheard(struct child *child)
{
    const char *path = child->exec_path != NULL ? child->exec_path : "";
    const struct child_introduction who = {
        .pid = child->pid,
        .parent_pid = child->parent_pid,
        .start_ns = child->exec_ns,
        .executable = path,
        .executable_length = strlen(path),
    };
    enum recording_obstacle obstacle =
        child->exec_obstacle != OBSTACLE_NONE ? child->exec_obstacle : OBSTACLE_SILENT;
    agents_split_ending(child, child->exec_ns,
                        child->is_reaped ? agents_add_silent(child->profd, &who, obstacle, -1)
                                         : NULL);
}

void agents_settle_exec(struct child *child)
{
    if (child->exec_ns == 0 || child->verdict == VERDICT_EXECED)
        return;
    if (child->state != CHILD_ENDED)
        end_child(child->profd, child, VERDICT_EXECED, 0, child->exec_ns);
    else if (child_table_find_latest(&child->profd->children, child->pid) == child)
        split_from_unheard(child);
}

void agents_forget_silent(struct child *child)
{
    struct daemon *profd = child->profd;
    const struct child last = *child;

    forget(profd, child);
    struct child *earlier = child_table_find_latest(&profd->children, last.pid);
    if (earlier == NULL || earlier->state != CHILD_ENDED || last.state != CHILD_ENDED)
        return;
    take_ending(earlier, &last);
    earlier->verdict = last.verdict;
    earlier->code = last.code;
    earlier->end_ns = last.end_ns;
}

/* --- A hello --- */

/* Who has gone descends from nobody any more; then who waited for it may have told of it. */
static bool is_supervised(struct daemon *profd, pid_t pid)
{
    if (process_descends_from(pid, getpid()))
        return true;
    if (kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    census_read(profd);
    return child_table_find_latest(&profd->children, pid) != NULL;
}

static bool may_connect(struct daemon *profd, const struct peer_credentials *peer)
{
    return peer->uid == 0 || peer->uid == geteuid() || is_supervised(profd, peer->pid);
}

/* CHILD connects again before its last connection was seen to end, which a process that it forked
 * may hold open: what was asked there is not answered any more. */
static void forget_connection(struct daemon *profd, struct child *child)
{
    drop_connection(child);
    if (child_detach(child) < 0)
        return;
    requests_note_gone(profd, child);
    capture_note_silent(profd, child);
}

/* Two images of one process in the order of their beginning, though LATER was known first. */
static struct child *add_before(struct daemon *profd, struct child *later,
                                const struct child_introduction *who)
{
    struct child *child = add(profd, who);

    if (child != NULL)
        child_table_make_latest(&profd->children, later);
    return child;
}

/* The process goes on as another program, and so does the watch. */
static void pass_watch_on(struct child *earlier, struct child *child)
{
    if (earlier->watch == NULL)
        return;
    child->watch = earlier->watch;
    child->identity = earlier->identity;
    child_watch_set_owner(child->watch, child);
    earlier->watch = NULL;
}

/* The next image of EARLIER's process. The process may have been told to have ended before that
 * image was heard of: the end is the new one's. */
static struct child *add_after_exec(struct daemon *profd, struct child *earlier,
                                    const struct child_introduction *who)
{
    struct child *child = add(profd, who);

    if (child != NULL) {
        pass_ending_on(child, earlier);
        child->process_start_ns = earlier->process_start_ns;
        child->cpu_before_ns = earlier->cpu_before_ns;
    }
    if (earlier->state == CHILD_ENDED)
        correct_to_exec(earlier, who->start_ns);
    else {
        if (child != NULL)
            pass_watch_on(earlier, child);
        end_child(profd, earlier, VERDICT_EXECED, 0, who->start_ns);
    }
    return child;
}

/* EARLIER was taken for a silent one, and has said hello all the same. */
static struct child *add_instead(struct daemon *profd, struct child *earlier,
                                 const struct child_introduction *who)
{
    struct child *child = add(profd, who);

    if (child != NULL) {
        take_ending(child, earlier);
        child->image = earlier->image;
        forget(profd, earlier);
    }
    return child;
}

/* Whether EARLIER, a silent one, runs programs itself, as valgrind and emulators do: it is still
 * there, and it is the program inside, with its agent, that says hello. */
static bool has_program_inside(const struct child *earlier, const struct child_introduction *who)
{
    return earlier->is_silent && earlier->state != CHILD_ENDED &&
           child_meet(earlier, who) != CHILD_CAME_BEFORE &&
           process_runs_program(who->pid, earlier->executable);
}

static struct child *meet(struct daemon *profd, const struct child_introduction *who)
{
    struct child *earlier = child_table_find_latest(&profd->children, who->pid);
    struct child *dormant = child_table_find_dormant(&profd->children, who->pid, who->start_ns);

    if (dormant != NULL)
        return dormant;
    if (earlier == NULL)
        return add(profd, who);
    if (child_was_mistaken(earlier, who) || has_program_inside(earlier, who))
        return add_instead(profd, earlier, who);
    switch (child_meet(earlier, who)) {
    case CHILD_IS_SAME_IMAGE:
        forget_connection(profd, earlier);
        child_reconnect(earlier);
        return earlier;
    case CHILD_DID_EXEC:
        return add_after_exec(profd, earlier, who);
    case CHILD_REUSES_PID:
        end_child(profd, earlier, VERDICT_VANISHED, 0, who->start_ns);
        break;
    case CHILD_CAME_BEFORE:
        return add_before(profd, earlier, who);
    case CHILD_IS_NEW:
        break;
    }
    return add(profd, who);
}

static void turn_away_old_protocol(struct connection *connection, const struct message_hello *hello)
{
    struct message_welcome welcome = { .protocol_version = PROTOCOL_VERSION,
                                       .session.thread_filters = { "", 0 } };

    log_warn("%d speaks version %llu of the protocol, this profd version %d: it is not profiled",
             connection_peer(connection)->pid, (unsigned long long)hello->protocol_version,
             PROTOCOL_VERSION);
    if (outbox_welcome(connection, MESSAGE_WELCOME, &welcome) == 0)
        connection_finish(connection, -EPROTONOSUPPORT, LAST_ANSWER_MS);
}

/* 0 when the hello is one to go on with; *ARENA_FD is then ours; -1 when it has an obstacle
 * instead. */
static int check_hello(struct daemon *profd, struct connection *connection,
                       const struct message_hello *hello, int *fds, size_t fd_count, int *arena_fd)
{
    const struct peer_credentials *peer = connection_peer(connection);
    struct compact_plan plan;

    if (hello->protocol_version != PROTOCOL_VERSION) {
        turn_away_old_protocol(connection, hello);
        return -EPROTONOSUPPORT;
    }
    if (!may_connect(profd, peer)) {
        log_warn_of_many("refused %d of user %u: neither ours nor supervised", peer->pid,
                         peer->uid);
        return -EPERM;
    }
    if (fd_count == 0 && (hello->obstacle != OBSTACLE_NONE || hello->gave_arena))
        return 0;
    if (fd_count != 1 || compact_plan_read(fds[0], &plan) < 0) {
        log_warn_of_many("refused %d: its hello came without an arena", peer->pid);
        return -EBADMSG;
    }
    *arena_fd = fds[0];
    fds[0] = -1;
    return 0;
}

static void welcome(struct daemon *profd, struct child *child)
{
    struct message_welcome message = { .protocol_version = PROTOCOL_VERSION };

    session_describe(&profd->session, &message.session);
    outbox_welcome_with_ledger(child->connection, &message, profd->memory.ledger_fd);
}

static void watch(struct daemon *profd, struct child *child, int pidfd)
{
    if (pidfd < 0)
        return;
    child_watch_stop(child->watch);
    child->watch = NULL;
    int error = child_watch_start(&profd->loop, pidfd, &watch_events, child, &child->watch);
    if (error < 0)
        log_warn("cannot watch %d for its end: %s", child->pid, uv_strerror(error));
}

static struct child_introduction introduce(const struct message_hello *hello, pid_t peer_pid,
                                           int pidfd)
{
    return (struct child_introduction){
        .pid = peer_pid > 0 ? peer_pid : (pid_t)hello->pid,
        .parent_pid = (pid_t)hello->parent_pid,
        .start_ns = hello->start_ns,
        .identity = pidfd >= 0 ? pidfd_identity(pidfd) : 0,
        .is_fork = hello->is_fork != 0,
        .executable = hello->executable.bytes,
        .executable_length = hello->executable.length,
        .first_argument = hello->command_line.bytes,
        .first_argument_length = strnlen(hello->command_line.bytes, hello->command_line.length),
    };
}

/* What CHILD records into, or why it does not. A child that says hello again may have got one
 * meanwhile; what it recorded is never exchanged for an obstacle. */
static void take_arena(struct child *child, const struct message_hello *hello, int arena_fd)
{
    if (arena_fd < 0 && child->arena_fd >= 0)
        return;
    if (child->arena_fd >= 0)
        close(child->arena_fd);
    child->arena_fd = arena_fd;
    child->is_dormant = child->has_woken = false;
    child->lease_owner = hello->lease_owner;
    child->obstacle = (enum recording_obstacle)hello->obstacle;
    memory_add_child(child);
    if (arena_fd < 0)
        log_warn_of_many("%d (%s) cannot record: %s", child->pid, child->executable,
                         recording_obstacle_text(child->obstacle));
}

/* Makes CONNECTION, ARENA_FD and PIDFD those of CHILD. */
static void attach(struct daemon *profd, struct child *child, struct connection *connection,
                   const struct message_hello *hello, int arena_fd, int pidfd)
{
    child->connection = connection;
    child->profd = profd;
    connection_set_events(connection, &agent_connection_events, child);
    connection_set_deadline(connection, 0);
    watch(profd, child, pidfd);
    take_arena(child, hello, arena_fd);
    if (child->first_argument == NULL) /* of one that was dormant */
        child->first_argument = strndup(hello->command_line.bytes, hello->command_line.length);
    child->is_alone = hello->is_alone != 0;
    child->is_fork = hello->is_fork != 0;
    if (child->is_alone)
        drop_connection(child); /* nobody is at the other end */
}

/* --- Those that have nothing to tell so far --- */

/* A fork has its parent's arguments. */
static void take_first_argument(struct child *child, const struct child *parent)
{
    if (child->is_fork && child->first_argument == NULL && parent != NULL &&
        parent->first_argument != NULL)
        child->first_argument = strdup(parent->first_argument); /* else it is not known */
}

void agents_add_dormant(struct daemon *profd, const struct child_introduction *who)
{
    struct child *child = meet(profd, who);
    const struct child *parent = child_table_find_latest(&profd->children, who->parent_pid);

    if (child == NULL || child->is_alone)
        return;
    child->profd = profd;
    child->is_fork = who->is_fork;
    child->is_alone = true;
    child->is_dormant = true;
    take_first_argument(child, parent);
    child->is_unwatched = child->watch == NULL;
    profd->unwatched += child->is_unwatched;
    if (!child->is_unwatched) /* the watch is that of the program before; others are looked for */
        process_title_learn_first_argument(child);
    child->started_generation = profd->session.generation;
    const struct child *latest = child_table_find_latest(&profd->children, child->pid);
    if (latest != child)
        end_child(profd, child, VERDICT_EXECED, 0, latest->start_ns);
}

void agents_note_woken(struct daemon *profd, pid_t pid, uint64_t start_ns)
{
    struct child *child = child_table_find_dormant(&profd->children, pid, start_ns);

    if (child != NULL)
        child->has_woken = true;
}

/* CHILD, which may have ended long ago, is watched from here on, or it is gone. Who waited for it
 * tells of that a moment later, so the end is taken for one that nobody saw the second time only.
 */
static void look_for_dormant(struct daemon *profd, struct child *child)
{
    bool needs_watch = child->state != CHILD_ENDED && child->watch == NULL;
    int pidfd = needs_watch ? pidfd_of_process(child->pid) : -1;

    if (needs_watch && pidfd < 0 && !child->is_missing) {
        child->is_missing = true;
        return;
    }
    child->is_unwatched = false;
    profd->unwatched--;
    if (pidfd >= 0) {
        child->identity = pidfd_identity(pidfd);
        watch(profd, child, pidfd);
        process_title_learn_first_argument(child);
    } else if (needs_watch) {
        end_child(profd, child, VERDICT_VANISHED, 0, uv_hrtime());
    }
}

void agents_watch_dormant(struct daemon *profd)
{
    struct child *previous, *child = profd->children.last;

    for (size_t left = profd->unwatched; child != NULL && left > 0; child = previous) {
        previous = child->previous;
        left -= child->is_unwatched;
        if (child->is_unwatched)
            look_for_dormant(profd, child);
    }
}

/* What a dormant child has recorded since it woke, though its end was known before its hello. */
static void store_late(struct daemon *profd, struct child *child)
{
    drop_connection(child);
    stop_watching(child);
    process_title_recall(child);
    profd->names -= child->is_name;
    child->is_name = false;
    store(profd, child);
}

int agents_hello(struct daemon *profd, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count)
{
    struct message_hello hello;
    int arena_fd = -1;
    int error = message_get_hello(payload, bytes, &hello);

    if (error == 0)
        error = check_hello(profd, connection, &hello, fds, fd_count, &arena_fd);
    if (error < 0)
        goto refused;
    census_read(profd); /* what the process told before its hello */

    const struct peer_credentials peer = *connection_peer(connection);
    struct child_introduction who = introduce(&hello, peer.pid, pidfd);
    struct child *child = meet(profd, &who);
    if (child == NULL) {
        error = -ENOMEM;
        goto refused;
    }
    attach(profd, child, connection, &hello, arena_fd, pidfd);
    if (child->is_alone && child->arena_fd >= 0)
        child->is_kept = keeper_link_keep(&profd->keeper, child->lease_owner, child->pid, peer.uid,
                                          payload, bytes, child->arena_fd) == 0;
    else
        stop_keeping(profd, child); /* its agent has a descriptor, and comes back with that */
    if (session_is_on(&profd->session) && hello.generation == profd->session.generation)
        child->started_generation = profd->session.generation;
    log_debug("%d (%s) said hello", child->pid, child->executable);
    restart_note_hello(profd, hello.lease_owner);
    if (child->state == CHILD_ENDED) {
        store_late(profd, child);
        return 0;
    }
    if (!child->is_alone)
        welcome(profd, child);
    const struct child *latest = child_table_find_latest(&profd->children, child->pid);
    if (latest != child)
        end_child(profd, child, VERDICT_EXECED, 0, latest->start_ns);
    else if (child->is_alone && (child->is_reaped || child->watch == NULL))
        end_child(profd, child, VERDICT_VANISHED, 0, uv_hrtime()); /* no connection will tell */
    return 0;

refused:
    if (error != -EPROTONOSUPPORT)
        connection_close(connection, error);
    if (arena_fd >= 0)
        close(arena_fd);
    if (pidfd >= 0)
        close(pidfd);
    return error;
}

/* --- What a keeper had --- */

/* Of the process that said hello then; -1 when it has ended, also if its pid is another's by now.
 */
static int pidfd_of_greeter(const struct message_hello *hello, pid_t pid)
{
    struct process_sighting sighting;
    int pidfd = pidfd_of_process(pid);

    if (pidfd >= 0 && (!process_sight(pid, &sighting) || sighting.start_ns > hello->start_ns)) {
        close(pidfd);
        return -1;
    }
    return pidfd;
}

/* As after a hello of a process that is alone. ARENA_FD and PIDFD are the child's. */
static void readmit(struct daemon *profd, const struct message_hello *hello,
                    const struct keeper_message *message, int arena_fd, int pidfd)
{
    const struct child_introduction who = introduce(hello, message->pid, pidfd);
    struct child *child = meet(profd, &who);

    if (child == NULL) {
        log_warn("no memory to go on with %d, whose arena was kept", message->pid);
        close(arena_fd);
        if (pidfd >= 0)
            close(pidfd);
        return;
    }
    child->profd = profd;
    child->is_kept = true;
    child->is_alone = true;
    child->is_fork = hello->is_fork != 0;
    watch(profd, child, pidfd);
    take_arena(child, hello, arena_fd);
    if (session_is_on(&profd->session) && hello->generation == profd->session.generation)
        child->started_generation = profd->session.generation;
    if (pidfd < 0)
        end_child(profd, child, VERDICT_VANISHED, 0, uv_hrtime());
}

static void on_kept_arena(const struct keeper_message *message, int fd, void *context)
{
    struct daemon *profd = context;
    struct message_hello hello;
    struct compact_plan plan;
    int error = message_get_hello(message->hello, message->hello_bytes, &hello);

    if (error == 0)
        error = compact_plan_read(fd, &plan);
    if (error == 0) {
        readmit(profd, &hello, message, fd, pidfd_of_greeter(&hello, message->pid));
        return;
    }
    log_warn("cannot go on with %d, whose arena was kept: %s", message->pid, uv_strerror(error));
    close(fd);
}

void agents_readmit_kept(struct daemon *profd)
{
    int error = keeper_link_fetch(&profd->keeper, on_kept_arena, profd);

    if (error < 0)
        log_warn("profd-keeper did not give everything that it has (%s); what is missing is told "
                 "as unseen",
                 uv_strerror(error));
}

/* --- The end of sessions, and of profd --- */

void agents_forget_ended(struct daemon *profd)
{
    struct child *next;

    for (struct child *child = profd->children.first; child != NULL; child = next) {
        next = child->next;
        if (child->state != CHILD_ENDED)
            continue;
        child->exit = NULL;
        if (child->is_copying)
            child->is_unwanted = true;
        else
            forget(profd, child);
    }
    exit_store_clear(&profd->exits);
    profd->forgotten = 0;
    memory_note_ended(profd);
}

void agents_forget_replaced(struct daemon *profd)
{
    struct child *next;

    for (struct child *child = profd->children.first; child != NULL; child = next) {
        next = child->next;
        if (!child->is_alone || child->state == CHILD_ENDED ||
            !process_runs_other_program(child->pid, child->executable))
            continue;
        drop_connection(child);
        stop_watching(child);
        forget(profd, child);
    }
}

void agents_note_expired(void *owner, const struct block_account *account)
{
    struct child *child = owner;

    child->exit = NULL;
    child->has_expired = true;
    child->expired = *account;
    keep_name(child->profd, child);
}

void agents_close(struct daemon *profd)
{
    struct child *next;

    for (struct child *child = profd->children.first; child != NULL; child = next) {
        next = child->next;
        drop_connection(child);
        stop_watching(child);
        child->exit = NULL;
        if (child->is_copying)
            child->is_unwanted = true;
        else
            forget(profd, child);
    }
    exit_store_clear(&profd->exits);
}
