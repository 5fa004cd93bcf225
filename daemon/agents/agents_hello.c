/* A hello: whose it is, and what it brings. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "daemon/access.h"
#include "daemon/agents/agent_connection.h"
#include "daemon/agents/agents_inside.h"
#include "daemon/children/pidfd.h"
#include "daemon/children/process_list.h"
#include "daemon/children/process_title.h"
#include "daemon/children/process_tree.h"
#include "daemon/keeping/keeper_link.h"
#include "daemon/limit/memory.h"
#include "daemon/log.h"
#include "daemon/memory/compact_arena.h"
#include "daemon/outbox.h"
#include "daemon/session.h"
#include "ipc/connection.h"

/* For agents that are turned away: time to read the answer. */
enum { LAST_ANSWER_MS = 2000 };

/* A process that is gone has no ancestors; its parent may have reported it, though. */
static bool is_supervised(struct agents *agents, pid_t pid)
{
    if (process_descends_from(pid, getpid()))
        return true;
    if (kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    agents->events->on_news_wanted(agents->context);
    return child_table_find_latest(agents->children, pid) != NULL;
}

bool agents_may_connect(struct agents *agents, const struct peer_credentials *peer)
{
    return access_takes_agent(agents->access, peer->uid) || is_supervised(agents, peer->pid);
}

static void turn_away_other_protocol(struct connection *connection,
                                     const struct message_hello *hello)
{
    struct message_welcome welcome = { .protocol_version = PROTOCOL_MAJOR,
                                       .session.thread_filters = { "", 0 } };

    log_warn_of(connection_peer(connection)->pid,
                "not profiling %d: its agent uses version %llu of the protocol and profd version "
                "%d; restart whichever is older",
                connection_peer(connection)->pid,
                (unsigned long long)protocol_version_major(hello->protocol_version),
                PROTOCOL_MAJOR);
    if (outbox_welcome(connection, MESSAGE_WELCOME, &welcome) == 0)
        connection_finish(connection, -EPROTONOSUPPORT, LAST_ANSWER_MS);
}

/* 0 when the hello is accepted; *ARENA_FD is then the caller's, or -1 when the process has an
 * obstacle instead. */
static int check_hello(struct agents *agents, struct connection *connection,
                       const struct message_hello *hello, int *fds, size_t fd_count, int *arena_fd)
{
    const struct peer_credentials *peer = connection_peer(connection);
    struct compact_plan plan;

    if (!protocol_version_is_understood(hello->protocol_version)) {
        turn_away_other_protocol(connection, hello);
        return -EPROTONOSUPPORT;
    }
    if (!agents_may_connect(agents, peer)) {
        log_warn_of_many(
            peer->pid, "rejected %d of user %u: not started by profd, and --agents all is not set",
            peer->pid, peer->uid);
        return -EPERM;
    }
    if (fd_count == 0 && (hello->obstacle != OBSTACLE_NONE || hello->gave_arena))
        return 0;
    if (fd_count != 1 || compact_plan_read(fds[0], &plan) < 0) {
        log_warn_of_many(peer->pid, "rejected %d: its hello came without an arena", peer->pid);
        return -EBADMSG;
    }
    *arena_fd = fds[0];
    fds[0] = -1;
    return 0;
}

static void welcome_agent(struct agents *agents, struct child *child)
{
    struct message_welcome message = {
        .protocol_version = protocol_version_with(child->protocol_minor),
    };

    session_describe(agents->session, &message.session);
    outbox_welcome_with_ledger(child->connection, &message, agents->memory->ledger_fd);
}

/* The others are in the arena. */
static size_t first_argument_bytes(const struct message_hello *hello)
{
    return strnlen(hello->command_line.bytes, hello->command_line.length);
}

/* The sender's parent as it is numbered here, where its own numbers are of another namespace. */
static pid_t find_parent(const struct message_hello *hello, pid_t peer_pid)
{
    struct process_sighting sighting;
    if (peer_pid <= 0 || peer_pid == hello->pid)
        return (pid_t)hello->parent_pid;
    return process_sight(peer_pid, &sighting) ? sighting.parent_pid : 0;
}

struct child_introduction agents_introduce(const struct message_hello *hello, pid_t peer_pid,
                                           int pidfd)
{
    return (struct child_introduction){
        .pid = peer_pid > 0 ? peer_pid : (pid_t)hello->pid,
        .parent_pid = find_parent(hello, peer_pid),
        .start_ns = hello->start_ns,
        .identity = pidfd >= 0 ? pidfd_identity(pidfd) : 0,
        .is_fork = hello->is_fork != 0,
        .executable = hello->executable.bytes,
        .executable_length = hello->executable.length,
        .arguments = hello->command_line.bytes,
        .arguments_bytes = first_argument_bytes(hello),
    };
}

/* Whether anything that CHILD recorded is, or was, kept. */
static bool has_recorded(const struct child *child)
{
    return child->arena_fd >= 0 ||
           (child->kept != CHILD_KEPT_NOTHING && child->kept != CHILD_KEPT_NAME);
}

/* Whether a hello of CHILD leaves its arena as it is. An arena is never exchanged for an obstacle,
 * when a child says hello again; and what is kept of one that has ended is complete. */
static bool is_arena_settled(const struct child *child, int arena_fd)
{
    return has_recorded(child) && (arena_fd < 0 || child->state == CHILD_ENDED);
}

/* Why there is no arena. Whoever gave it away gave it to a profd that left this one nothing. */
static enum recording_obstacle obstacle_of(const struct message_hello *hello, int arena_fd)
{
    bool is_lost = arena_fd < 0 && hello->obstacle == OBSTACLE_NONE;
    return is_lost ? OBSTACLE_LOST : (enum recording_obstacle)hello->obstacle;
}

/* Whether the answer to its hello lets CHILD bring an arena with the next one: it gets the ledger
 * that its user may not open, or hears that its arena is lost, if that was not its obstacle BEFORE.
 */
static bool may_bring_arena(const struct child *child, enum recording_obstacle before)
{
    return child->obstacle == OBSTACLE_OTHER_USER ||
           (child->obstacle == OBSTACLE_LOST && before != OBSTACLE_LOST);
}

void agents_take_arena(struct child *child, const struct message_hello *hello, int arena_fd)
{
    const enum recording_obstacle before = child->obstacle;

    if (is_arena_settled(child, arena_fd)) {
        if (arena_fd >= 0)
            close(arena_fd);
        return;
    }
    if (child->arena_fd >= 0)
        close(child->arena_fd);
    child->arena_fd = arena_fd;
    if (arena_fd >= 0 && child->kept != CHILD_KEPT_ARENA && child->kept != CHILD_KEPT_TWICE)
        child_set_kept(child->agents->children, child, CHILD_KEPT_ARENA);
    if (child->dormancy != CHILD_AWAKE)
        child_set_dormancy(child, CHILD_AWAKE);
    child->lease_owner = hello->lease_owner;
    child->obstacle = obstacle_of(hello, arena_fd);
    memory_add_child(child->agents->memory, child);
    if (arena_fd < 0 && !may_bring_arena(child, before))
        log_warn_of_many(child->pid, "%d (%s) cannot record: %s", child->pid, child->executable,
                         recording_obstacle_text(child->obstacle));
}

/* CHILD's arena has the numbers that the process has in its own namespace. */
static void number_arena(const struct child *child, const struct message_hello *hello, int arena_fd)
{
    if (arena_fd < 0 || child->pid == hello->pid)
        return;
    int error = arena_file_set_process(arena_fd, child->pid, child->parent_pid);
    if (error < 0)
        log_warn_of_many(child->pid, "captures will show %d (%s) as process %lld: %s", child->pid,
                         child->executable, (long long)hello->pid, uv_strerror(error));
}

/* Makes CONNECTION, ARENA_FD and PIDFD those of CHILD. */
static void attach_agent(struct agents *agents, struct child *child, struct connection *connection,
                         const struct message_hello *hello, int arena_fd, int pidfd)
{
    if (child->connection != NULL) /* of one that said that it was dormant, and was not */
        agents_drop_connection(child);
    child->connection = connection;
    child->agents = agents;
    connection_set_events(connection, &agent_connection_events, child);
    connection_set_deadline(connection, 0);
    agents_watch(agents, child, pidfd);
    number_arena(child, hello, arena_fd);
    agents_take_arena(child, hello, arena_fd);
    if (child->arguments == NULL) /* of one that was dormant */
        child_set_arguments(child, hello->command_line.bytes, first_argument_bytes(hello));
    child_set_agent(child, hello->is_alone ? CHILD_IS_ALONE : CHILD_LISTENS);
    child->is_fork = hello->is_fork != 0;
    child->protocol_minor = protocol_version_minor(hello->protocol_version);
    if (child->agent == CHILD_IS_ALONE)
        agents_drop_connection(child); /* nobody is at the other end */
}

/* Keeps what a dormant child recorded after it woke, although its end was known before its hello.
 */
static void store_late(struct agents *agents, struct child *child)
{
    agents_drop_connection(child);
    agents_stop_watching(child);
    process_title_recall(child);
    agents_store(agents, child);
}

/* An agent without a thread cannot come back to the next profd with its descriptor, as others do.
 */
static void settle_keeping(struct agents *agents, struct child *child, uid_t uid,
                           const uint8_t *payload, size_t bytes, bool has_given_arena)
{
    if (child->agent == CHILD_IS_ALONE && child->arena_fd >= 0)
        agents_keep(agents, child, uid, payload, bytes);
    else if (has_given_arena)
        agents_stop_keeping(agents, child);
}

/* The sender of HELLO, by its process' id in CONNECTION. -ENOMEM. */
static int meet_sender(struct agents *agents, struct connection *connection,
                       const struct message_hello *hello, int pidfd, struct child **child)
{
    struct child_introduction who =
        agents_introduce(hello, connection_peer(connection)->pid, pidfd);

    agents->events->on_news_wanted(agents->context); /* what the process told before its hello */
    *child = agents_meet(agents, &who);
    return *child == NULL ? -ENOMEM : 0;
}

/* CHILD exists, unless its process has become another program or is gone, which a child without a
 * connection cannot show by losing it. */
static void receive_agent(struct agents *agents, struct child *child)
{
    const struct child *latest = child_table_find_latest(agents->children, child->pid);

    if (latest != child)
        agents_end(agents, child, VERDICT_EXECED, 0, latest->start_ns);
    else if (child->agent == CHILD_IS_ALONE && (child->wait.is_known || child->watch == NULL))
        agents_end(agents, child, VERDICT_VANISHED, 0, uv_hrtime());
    else
        agents->events->on_loan_request(child, agents->context);
}

static void refuse_hello(struct connection *connection, int error, int arena_fd, int pidfd)
{
    if (error != -EPROTONOSUPPORT) /* which is told before the connection ends */
        connection_close(connection, error);
    if (arena_fd >= 0)
        close(arena_fd);
    if (pidfd >= 0)
        close(pidfd);
}

int agents_hello(struct agents *agents, struct connection *connection, int pidfd,
                 const uint8_t *payload, size_t bytes, int *fds, size_t fd_count)
{
    struct message_hello hello;
    struct child *child = NULL;
    int arena_fd = -1;
    const uid_t uid = connection_peer(connection)->uid;
    int error = message_get_hello(payload, bytes, &hello);

    if (error == 0)
        error = check_hello(agents, connection, &hello, fds, fd_count, &arena_fd);
    if (error == 0)
        error = meet_sender(agents, connection, &hello, pidfd, &child);
    if (error != 0) {
        refuse_hello(connection, error, arena_fd, pidfd);
        return error;
    }
    attach_agent(agents, child, connection, &hello, arena_fd, pidfd);
    settle_keeping(agents, child, uid, payload, bytes, arena_fd >= 0);
    log_debug_of(child->pid, "%d (%s) said hello", child->pid, child->executable);
    agents->events->on_hello(hello.lease_owner, agents->context);
    if (child->state == CHILD_ENDED) {
        store_late(agents, child);
        return 0;
    }
    if (child->agent != CHILD_IS_ALONE)
        welcome_agent(agents, child);
    receive_agent(agents, child);
    return 0;
}
