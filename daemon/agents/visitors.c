#include "daemon/agents/visitors.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/children/pidfd.h"
#include "daemon/log.h"
#include "ipc/connection.h"
#include "ipc/messages.h"

/* Every system allows that many descriptors. */
enum { SMALLEST_LIMIT = 1024 };

struct visitor {
    struct visitors *visitors;
    struct connection *connection;
    int fd;    /* the connection's */
    int pidfd; /* owned; -1: none */
    uid_t uid; /* under which it entered */
    bool is_private;
    bool is_admitted; /* counts as a silent connection of UID */
    TAILQ_ENTRY(visitor) link;
};

/* It has no descriptor of its own and no place among the silent ones afterwards. */
static void release_place(struct visitor *visitor)
{
    if (visitor->is_admitted)
        admission_leave(&visitor->visitors->admission, visitor->uid);
    visitor->is_admitted = false;
    if (visitor->pidfd >= 0)
        close(visitor->pidfd);
    visitor->pidfd = -1;
}

static void free_visitor(struct visitor *visitor)
{
    TAILQ_REMOVE(&visitor->visitors->all, visitor, link);
    release_place(visitor);
    free(visitor);
}

/* A stranger held nothing but the connection until now. */
static void find_process(struct visitor *visitor, const struct connection *connection)
{
    if (visitor->pidfd < 0)
        visitor->pidfd = pidfd_of_peer(visitor->fd, connection_peer(connection)->pid);
    if (visitor->pidfd < 0)
        visitor->pidfd = -1;
}

static int introduce_visitor(struct visitor *visitor, struct connection *connection, unsigned kind,
                             const uint8_t *payload, size_t bytes, int *fds, size_t fd_count)
{
    const struct visitors *visitors = visitor->visitors;

    if (kind == MESSAGE_HELLO) {
        find_process(visitor, connection);
        int pidfd = visitor->pidfd;
        visitor->pidfd = -1;
        return visitors->events->on_agent(connection, pidfd, payload, bytes, fds, fd_count,
                                          visitors->context);
    }
    if (kind == MESSAGE_PROGRAM) {
        find_process(visitor, connection);
        visitors->events->on_program(connection, visitor->pidfd, payload, bytes, fds, fd_count,
                                     visitors->context);
        connection_close(connection, -ESHUTDOWN);
        return -ESHUTDOWN;
    }
    if (kind == MESSAGE_LINE)
        return visitors->events->on_line(connection, visitors->context);
    if (kind == MESSAGE_CLIENT_HELLO)
        return visitors->events->on_client(connection, visitor->is_private, payload, bytes,
                                           visitors->context);
    log_warn_of(connection_peer(connection)->pid,
                "closed the connection from %d: its first message was not a hello",
                connection_peer(connection)->pid);
    connection_close(connection, -EPROTO);
    return -EPROTO;
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct visitor *visitor = owner;

    if (introduce_visitor(visitor, connection, kind, payload, bytes, fds, fd_count) == 0)
        free_visitor(visitor);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct visitor *visitor = owner;
    const struct visitors *visitors = visitor->visitors;
    bool was_private = visitor->is_private;

    if (reason == -ETIMEDOUT)
        log_warn_of_many(connection_peer(connection)->pid,
                         "closed the connection from %d: it sent nothing in time",
                         connection_peer(connection)->pid);
    else if (reason == -EPROTO)
        log_warn_of_many(connection_peer(connection)->pid,
                         "closed the connection from %d: malformed message",
                         connection_peer(connection)->pid);
    free_visitor(visitor);
    if (was_private)
        visitors->events->on_private_gone(visitors->context);
}

static const struct connection_events visitor_events = { on_message, on_closed };

/* Takes over FD and what WHO owns, on every path. */
static int add_visitor(const struct visitor *who, uint64_t deadline_ms)
{
    struct visitor *visitor = malloc(sizeof(*visitor));
    int error = -ENOMEM;

    if (visitor != NULL) {
        *visitor = *who;
        error = connection_accept(who->visitors->loop, who->fd, &visitor_events, visitor,
                                  &visitor->connection);
    } else {
        close(who->fd);
    }
    if (error < 0) {
        if (who->pidfd >= 0)
            close(who->pidfd);
        free(visitor);
        return error;
    }
    TAILQ_INSERT_TAIL(&who->visitors->all, visitor, link);
    connection_set_deadline(visitor->connection, deadline_ms);
    return 0;
}

static bool is_silent_owner(const struct visitor *visitor)
{
    return visitor->is_admitted &&
           !admission_is_stranger(&visitor->visitors->admission, visitor->uid);
}

/* Before it are only strangers, who are few, and those that close in this turn of the loop. NULL:
 * none. */
static struct visitor *find_oldest_of_owner(const struct visitors *visitors)
{
    struct visitor *visitor = TAILQ_FIRST(&visitors->all);

    while (visitor != NULL && !is_silent_owner(visitor))
        visitor = TAILQ_NEXT(visitor, link);
    return visitor;
}

/* Before the newest, which counts already, is among them: it is about to say what it is. */
static void make_room_for_owner(struct visitors *visitors)
{
    if (!admission_owner_is_over(&visitors->admission))
        return;
    struct visitor *oldest = find_oldest_of_owner(visitors);
    assert(oldest != NULL); /* nobody is over with one */
    pid_t pid = connection_peer(oldest->connection)->pid;
    log_warn_of_many(pid, "closed the connection from %d, which sent nothing: too many are idle",
                     pid);
    release_place(oldest);
    connection_close(oldest->connection, -ECONNABORTED);
}

static void admit_visitor(struct visitors *visitors, int fd, const struct peer_credentials *peer)
{
    struct visitor who = {
        .visitors = visitors, .fd = fd, .pidfd = -1, .uid = peer->uid, .is_admitted = true
    };
    bool is_stranger = admission_is_stranger(&visitors->admission, peer->uid);

    make_room_for_owner(visitors);
    /* Taken now: the process may end before its hello is read. */
    if (!is_stranger)
        who.pidfd = pidfd_of_peer(fd, peer->pid);
    if (who.pidfd < 0)
        who.pidfd = -1;
    int error = add_visitor(&who, is_stranger ? ADMISSION_STRANGER_MS : ADMISSION_OWNER_MS);
    if (error < 0) {
        admission_leave(&visitors->admission, peer->uid);
        log_warn_of(peer->pid, "cannot accept the connection from %d: %s", peer->pid,
                    uv_strerror(error));
    }
}

void visitors_on_accept(struct listener *listener, int fd, const struct peer_credentials *peer,
                        void *owner)
{
    struct visitors *visitors = owner;
    (void)listener;

    if (admission_enter(&visitors->admission, peer->uid, fd)) {
        admit_visitor(visitors, fd, peer);
        return;
    }
    close(fd);
    log_warn_of_many(peer->pid,
                     "rejected %d of user %u: too many idle connections from unknown processes",
                     peer->pid, peer->uid);
}

void visitors_init(struct visitors *visitors, uv_loop_t *loop, const struct visitors_events *events,
                   void *context)
{
    struct rlimit limit = { .rlim_cur = SMALLEST_LIMIT };

    *visitors = (struct visitors){ .loop = loop, .events = events, .context = context };
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        log_warn("cannot determine the limit on open descriptors: %s", strerror(errno));
    TAILQ_INIT(&visitors->all);
    admission_init(&visitors->admission, geteuid(), limit.rlim_cur);
}

int visitors_add_private(struct visitors *visitors, int fd)
{
    /* It came through an exec; a command that had it too would keep profctl waiting for a profd
     * that has gone. */
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    const struct visitor who = { .visitors = visitors, .fd = fd, .pidfd = -1, .is_private = true };
    return add_visitor(&who, ADMISSION_OWNER_MS);
}

void visitors_close(struct visitors *visitors)
{
    for (struct visitor *visitor = TAILQ_FIRST(&visitors->all); visitor != NULL;
         visitor = TAILQ_NEXT(visitor, link))
        connection_close(visitor->connection, -ESHUTDOWN);
}
