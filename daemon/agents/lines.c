#include "daemon/agents/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/log.h"
#include "ipc/connection.h"
#include "ipc/messages.h"

struct line {
    struct lines *lines;
    struct connection *connection;
    struct line *next;
};

static int read_socket_option(int fd, int option)
{
    int value;
    socklen_t length = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : -1;
}

typedef int socket_name_reader(int fd, struct sockaddr *name, socklen_t *length);

static bool has_no_name(int fd, socket_name_reader *read_name)
{
    struct sockaddr_un name;
    socklen_t length = sizeof(name);
    return read_name(fd, (struct sockaddr *)&name, &length) == 0 && length <= sizeof(sa_family_t);
}

/* Whatever else came would keep the loop waiting, or tell of another process than the one at the
 * other end. A connection that was made by way of a listener, whose name one of its ends has, tells
 * its client who listened, which may have been root before it became somebody else, and its server
 * who connected, in the belief that it talks to somebody else than profd. */
static bool is_connection(int fd)
{
    return read_socket_option(fd, SO_DOMAIN) == AF_UNIX &&
           read_socket_option(fd, SO_TYPE) == SOCK_STREAM &&
           read_socket_option(fd, SO_ACCEPTCONN) == 0 && has_no_name(fd, getsockname) &&
           has_no_name(fd, getpeername);
}

/* FD is taken over if it is one. */
static int take_connection(struct line *line, int *fd)
{
    struct peer_credentials peer;
    if (!is_connection(*fd))
        return -EPROTO;
    int error = socket_peer(*fd, &peer);
    if (error == 0 && fcntl(*fd, F_SETFL, O_NONBLOCK) < 0)
        error = -errno;
    if (error < 0)
        return error;
    line->lines->events->on_connection(*fd, &peer, line->lines->context);
    *fd = -1;
    return 0;
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct line *line = owner;
    (void)payload;
    (void)bytes;
    int error =
        kind == MESSAGE_CONNECTION && fd_count == 1 ? take_connection(line, &fds[0]) : -EPROTO;
    if (error < 0) {
        log_warn_of(
            connection_peer(connection)->pid,
            "closed a connection from %d: it may only pass on connections, and sent something else",
            connection_peer(connection)->pid);
        connection_close(connection, error);
    }
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct line *line = owner;
    struct line **link = &line->lines->first;
    (void)connection;
    (void)reason;
    while (*link != line)
        link = &(*link)->next;
    *link = line->next;
    free(line);
}

static const struct connection_events line_events = { on_message, on_closed };

void lines_init(struct lines *lines, const struct lines_events *events, void *context)
{
    *lines = (struct lines){ .events = events, .context = context };
}

int lines_add(struct lines *lines, struct connection *connection)
{
    struct line *line = malloc(sizeof(*line));
    if (line == NULL) {
        connection_close(connection, -ENOMEM);
        return -ENOMEM;
    }
    *line = (struct line){ lines, connection, lines->first };
    lines->first = line;
    connection_set_events(connection, &line_events, line);
    connection_set_deadline(connection, 0);
    return 0;
}

void lines_close(struct lines *lines)
{
    for (struct line *line = lines->first; line != NULL; line = line->next)
        connection_close(line->connection, -ESHUTDOWN);
}
