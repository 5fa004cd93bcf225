/* Connections that have not said yet what they are: an agent or a client.
 *
 * The first message decides, and must come soon. Any other message ends the connection, with one
 * line in the log. Until then strangers get only a few of profd's descriptors, and the owner's
 * programs a share, which the newest of them have (daemon/agents/admission.h). Loop thread. */
#ifndef PROFD_DAEMON_VISITORS_H
#define PROFD_DAEMON_VISITORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#include "daemon/agents/admission.h"

struct connection;
struct listener;
struct peer_credentials;
struct visitor;

/* What the first message of CONNECTION is: 0 when that belongs to somebody now; negative when it is
 * closing, which was logged. */
struct visitors_events {
    /* An agent's hello. PIDFD (-1: none), that of its process, is taken over on every path. */
    int (*on_agent)(struct connection *connection, int pidfd, const uint8_t *payload, size_t bytes,
                    int *fds, size_t fd_count, void *context);
    /* It is a line (daemon/agents/lines.h). */
    int (*on_line)(struct connection *connection, void *context);
    /* A client's hello, by the socket, or by the private connection. */
    int (*on_client)(struct connection *connection, bool is_private, const uint8_t *payload,
                     size_t bytes, void *context);
    /* The private connection has ended without one. */
    void (*on_private_gone)(void *context);
};

struct visitors {
    uv_loop_t *loop;
    const struct visitors_events *events;
    void *context;
    /* Those that have not said yet what they are, oldest first … */
    TAILQ_HEAD(visitor_list, visitor) all;
    struct admission admission; /* … and whether more of them may come */
};

/* Before anybody may come, with the limit of descriptors as it stays. All is borrowed. */
void visitors_init(struct visitors *visitors, uv_loop_t *loop, const struct visitors_events *events,
                   void *context);

/* A listener_on_accept; OWNER is the struct visitors. */
void visitors_on_accept(struct listener *listener, int fd, const struct peer_credentials *peer,
                        void *owner);

/* Serves FD (taken over on every path) as the private client's. */
int visitors_add_private(struct visitors *visitors, int fd);

void visitors_close(struct visitors *visitors);

#endif
