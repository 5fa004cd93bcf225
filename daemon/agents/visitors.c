#include "daemon/agents/visitors.h"

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
    struct visitor *next;
};

static void free_visitor(struct visitor *visitor)
{
    struct visitor **link = &visitor->visitors->first;

    while (*link != visitor)
        link = &(*link)->next;
    *link = visitor->next;
    if (!visitor->is_private)
        admission_leave(&visitor->visitors->admission, visitor->uid);
    if (visitor->pidfd >= 0)
        close(visitor->pidfd);
    free(visitor);
}

/* Of a stranger, who held nothing but the connection until now. */
static int find_process(const struct visitor *visitor, const struct connection *connection)
{
    int pidfd = pidfd_of_peer(visitor->fd, connection_peer(connection)->pid);
    return pidfd < 0 ? -1 : pidfd;
}

static int introduce_visitor(struct visitor *visitor, struct connection *connection, unsigned kind,
                             const uint8_t *payload, size_t bytes, int *fds, size_t fd_count)
{
    const struct visitors *visitors = visitor->visitors;

    if (kind == MESSAGE_HELLO) {
        int pidfd = visitor->pidfd >= 0 ? visitor->pidfd : find_process(visitor, connection);
        visitor->pidfd = -1;
        return visitors->events->on_agent(connection, pidfd, payload, bytes, fds, fd_count,
                                          visitors->context);
    }
    if (kind == MESSAGE_LINE)
        return visitors->events->on_line(connection, visitors->context);
    if (kind == MESSAGE_CLIENT_HELLO)
        return visitors->events->on_client(connection, visitor->is_private, payload, bytes,
                                           visitors->context);
    log_warn_of(connection_peer(connection)->pid, "%d connected and sent no hello",
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
        log_warn_of_many(connection_peer(connection)->pid, "%d connected but sent nothing",
                         connection_peer(connection)->pid);
    else if (reason == -EPROTO)
        log_warn_of_many(connection_peer(connection)->pid,
                         "closed connection from %d: malformed message",
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
    visitor->next = who->visitors->first;
    who->visitors->first = visitor;
    connection_set_deadline(visitor->connection, deadline_ms);
    return 0;
}

static void admit_visitor(struct visitors *visitors, int fd, const struct peer_credentials *peer)
{
    struct visitor who = { .visitors = visitors, .fd = fd, .pidfd = -1, .uid = peer->uid };
    bool is_stranger = admission_is_stranger(&visitors->admission, peer->uid);

    /* Taken now: the process may end before its hello is read. */
    if (!is_stranger)
        who.pidfd = pidfd_of_peer(fd, peer->pid);
    if (who.pidfd < 0)
        who.pidfd = -1;
    int error = add_visitor(&who, is_stranger ? ADMISSION_STRANGER_MS : ADMISSION_OWNER_MS);
    if (error < 0) {
        admission_leave(&visitors->admission, peer->uid);
        log_warn_of(peer->pid, "cannot take the connection of %d: %s", peer->pid,
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
        log_warn("cannot determine the limit of descriptors: %s", strerror(errno));
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
    for (struct visitor *visitor = visitors->first; visitor != NULL; visitor = visitor->next)
        connection_close(visitor->connection, -ESHUTDOWN);
}
