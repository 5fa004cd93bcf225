#include "daemon/children/visitors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/children/agents.h"
#include "daemon/children/pidfd.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/requests/client_connection.h"

/* Agents and clients say hello at once; a frozen one may hold its place for so long. */
enum { HELLO_DEADLINE_MS = 10 * 1000 };

struct visitor {
    struct daemon *profd;
    struct connection *connection;
    int pidfd; /* owned; -1: none */
    bool is_private;
    struct visitor *next;
};

static void free_visitor(struct visitor *visitor)
{
    struct visitor **link = &visitor->profd->visitors;

    while (*link != visitor)
        link = &(*link)->next;
    *link = visitor->next;
    if (visitor->pidfd >= 0)
        close(visitor->pidfd);
    free(visitor);
}

static int introduce(struct visitor *visitor, struct connection *connection, unsigned kind,
                     const uint8_t *payload, size_t bytes, int *fds, size_t fd_count)
{
    if (kind == MESSAGE_HELLO) {
        int pidfd = visitor->pidfd;
        visitor->pidfd = -1;
        return agents_hello(visitor->profd, connection, pidfd, payload, bytes, fds, fd_count);
    }
    if (kind == MESSAGE_CLIENT_HELLO)
        return client_hello(visitor->profd, connection, visitor->is_private, payload, bytes);
    log_warn("%d connected and sent no hello", connection_peer(connection)->pid);
    connection_close(connection, -EPROTO);
    return -EPROTO;
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct visitor *visitor = owner;

    if (introduce(visitor, connection, kind, payload, bytes, fds, fd_count) == 0)
        free_visitor(visitor);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct visitor *visitor = owner;
    struct daemon *profd = visitor->profd;
    bool was_private = visitor->is_private;

    if (reason == -ETIMEDOUT)
        log_warn_of_many("%d connected and said nothing", connection_peer(connection)->pid);
    else if (reason == -EPROTO)
        log_warn_of_many("hung up on %d: what it sent is no message",
                         connection_peer(connection)->pid);
    free_visitor(visitor);
    if (was_private)
        daemon_end(profd, 0);
}

static const struct connection_events visitor_events = { on_message, on_closed };

/* Takes over FD and PIDFD on every path. */
static int add(struct daemon *profd, int fd, int pidfd, bool is_private)
{
    struct visitor *visitor = malloc(sizeof(*visitor));
    int error = -ENOMEM;

    if (visitor != NULL) {
        *visitor = (struct visitor){ .profd = profd, .pidfd = pidfd, .is_private = is_private };
        error = connection_accept(&profd->loop, fd, &visitor_events, visitor, &visitor->connection);
    } else {
        close(fd);
    }
    if (error < 0) {
        if (pidfd >= 0)
            close(pidfd);
        free(visitor);
        return error;
    }
    visitor->next = profd->visitors;
    profd->visitors = visitor;
    connection_set_deadline(visitor->connection, HELLO_DEADLINE_MS);
    return 0;
}

void visitors_on_accept(struct listener *listener, int fd, const struct peer_credentials *peer,
                        void *owner)
{
    struct daemon *profd = owner;
    (void)listener;

    /* Taken now: the process may end before its hello is read. */
    int pidfd = pidfd_of_peer(fd, peer->pid);
    int error = add(profd, fd, pidfd < 0 ? -1 : pidfd, false);
    if (error < 0)
        log_warn("can't take the connection of %d: %s", peer->pid, uv_strerror(error));
}

int visitors_add_private(struct daemon *profd, int fd)
{
    /* It came through an exec; a command that had it too would keep profctl waiting for a profd
     * that has gone. */
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return -errno;
    return add(profd, fd, -1, true);
}

void visitors_close(struct daemon *profd)
{
    for (struct visitor *visitor = profd->visitors; visitor != NULL; visitor = visitor->next)
        connection_close(visitor->connection, -ESHUTDOWN);
}
