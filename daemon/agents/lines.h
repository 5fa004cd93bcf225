/* Lines: connections of agents by which others are handed over.
 *
 * A process that cannot see profd's socket any more has one from before, and so have its children.
 * Each child sends one end of a pair of sockets, which is served like a connection that was
 * accepted: the kernel knows who made it. A line says nothing else, no connection to a listener
 * either, and ends when the last process
 * that has it does. Loop thread. */
#ifndef PROFD_DAEMON_LINES_H
#define PROFD_DAEMON_LINES_H

#include <uv.h>

struct connection;
struct line;
struct peer_credentials;

struct lines_events {
    /* FD, the caller's, is a connection of PEER. */
    void (*on_connection)(int fd, const struct peer_credentials *peer, void *context);
};

struct lines {
    const struct lines_events *events;
    void *context;
    struct line *first;
};

/* EVENTS and CONTEXT are borrowed. */
void lines_init(struct lines *lines, const struct lines_events *events, void *context);

/* CONNECTION is a line from here on: 0. -ENOMEM: it stays the caller's, and is closing. */
int lines_add(struct lines *lines, struct connection *connection);

/* Closes them all; they are gone when the loop has run. */
void lines_close(struct lines *lines);

#endif
