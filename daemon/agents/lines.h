/* Lines: connections of agents through which other connections are handed over.
 *
 * A process that can no longer see profd's socket has a line from before, and its children inherit
 * it. Each child sends one end of a pair of sockets through it, which is served like an accepted
 * connection: the kernel knows who made it. Nothing else is sent through a line, not even a
 * connection to a listener. It ends with the last process that has it. Loop thread. */
#ifndef PROFD_DAEMON_LINES_H
#define PROFD_DAEMON_LINES_H

#include <uv.h>

struct connection;
struct line;
struct peer_credentials;

struct lines_events {
    /* FD, which stays the caller's, is a connection of PEER. */
    void (*on_connection)(int fd, const struct peer_credentials *peer, void *context);
};

struct lines {
    const struct lines_events *events;
    void *context;
    struct line *first;
};

/* Initializes LINES. EVENTS and CONTEXT are borrowed. */
void lines_init(struct lines *lines, const struct lines_events *events, void *context);

/* Makes CONNECTION a line. Returns 0, or -ENOMEM: it stays the caller's and is closing. */
int lines_add(struct lines *lines, struct connection *connection);

/* Closes all lines; they are gone once the loop has run. */
void lines_close(struct lines *lines);

#endif
