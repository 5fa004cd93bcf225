/* Connections that have not said yet what they are: an agent, a client, a line, or one report of a
 * program.
 *
 * The first message decides, and must come soon. Any other message ends the connection, with one
 * line in the log. Until then strangers get only a few of profd's descriptors, and the owner's
 * programs a limited share, in which newer connections replace older ones
 * (daemon/agents/admission.h). Loop thread. */
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

/* Called according to the first message of CONNECTION. Those with a value return 0 if CONNECTION
 * now belongs to the callee, or a negative errno if it is closing, which was logged. */
struct visitors_events {
    /* An agent's hello. PIDFD (-1: none), the descriptor of its process, is taken over on every
     * path. */
    int (*on_agent)(struct connection *connection, int pidfd, const uint8_t *payload, size_t bytes,
                    int *fds, size_t fd_count, void *context);
    /* A process in another pid namespace than ours tells of a program, in the one message of
     * CONNECTION, which is closed afterwards. PIDFD (-1: none) is that of the process; all
     * descriptors are borrowed. */
    void (*on_program)(struct connection *connection, int pidfd, const uint8_t *payload,
                       size_t bytes, const int *fds, size_t fd_count, void *context);
    /* It is a line (daemon/agents/lines.h). */
    int (*on_line)(struct connection *connection, void *context);
    /* A client's hello, through the socket or the private connection. */
    int (*on_client)(struct connection *connection, bool is_private, const uint8_t *payload,
                     size_t bytes, void *context);
    /* The private connection has ended without a hello. */
    void (*on_private_gone)(void *context);
};

struct visitors {
    uv_loop_t *loop;
    const struct visitors_events *events;
    void *context;
    /* Visitors, oldest first … */
    TAILQ_HEAD(visitor_list, visitor) all;
    struct admission admission; /* … and whether more may come */
};

/* Initializes VISITORS. Call it before connections are accepted, once the descriptor limit has its
 * final value. All arguments are borrowed. */
void visitors_init(struct visitors *visitors, uv_loop_t *loop, const struct visitors_events *events,
                   void *context);

/* A listener_on_accept; OWNER is the struct visitors. */
void visitors_on_accept(struct listener *listener, int fd, const struct peer_credentials *peer,
                        void *owner);

/* Serves FD (taken over on every path) as the connection of the private client. */
int visitors_add_private(struct visitors *visitors, int fd);

void visitors_close(struct visitors *visitors);

#endif
