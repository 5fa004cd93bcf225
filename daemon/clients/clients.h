/* profctl's side of profd: what clients ask for, and what they are told.
 *
 * Who may ask is decided by daemon/access.h. Loop thread. */
#ifndef PROFD_DAEMON_CLIENTS_H
#define PROFD_DAEMON_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/session_parts.h"
#include "ipc/messages.h"

struct access;
struct census;
struct client;
struct connection;
struct launch;
struct monitoring;
struct requests;
struct status_view;
struct supervisor;
struct triggers;

/* What they look at, or work on; borrowed. */
struct clients_views {
    const struct access *access;
    struct requests *requests;
    struct census *census;
    struct launch *launch;
    struct supervisor *supervisor;
    struct triggers *triggers;
    struct monitoring *monitoring;
    const struct status_view *status;
    uint64_t memory_limit_bytes; /* of sessions that say none */
};

struct clients_events {
    /* CLIENT has hung up and is in no list now; it is freed after this. */
    void (*on_gone)(struct client *client, void *context);
    /* The demand for measures of performance groups may have changed. */
    void (*on_needs)(void *context);
};

struct clients {
    const struct access *access;
    struct requests *requests;
    struct census *census;
    struct launch *launch;
    struct supervisor *supervisor;
    struct triggers *triggers;
    struct monitoring *monitoring;
    const struct status_view *status;
    uint64_t memory_limit_bytes;
    const struct clients_events *events;
    void *context;
    struct client *first; /* connected ones */
};

struct client {
    struct clients *clients;
    struct connection *connection;
    struct session_owner owner; /* of the sessions that it begins and ends */
    bool is_private;            /* profd ends with it */
    bool is_owner;              /* it is of profd's own user or root, not only of the group */
    uint32_t group_needs;       /* enum group_needs; see daemon/groups/monitoring.h */
    struct client *next;
};

/* EVENTS and CONTEXT are borrowed. */
void clients_init(struct clients *clients, const struct clients_views *views,
                  const struct clients_events *events, void *context);

/* The first message of CONNECTION is a client's hello. 0: the connection now belongs to a client
 * here. Negative: it stays the caller's and is closing, after an answer that says why. */
int clients_hello(struct clients *clients, struct connection *connection, bool is_private,
                  const uint8_t *payload, size_t bytes);

/* The end of request ID: ERROR 0 or a negative errno, TEXT for people ("": none). */
void client_reply(struct client *client, uint64_t id, int error, const char *text);

void client_send_capture_progress(struct client *client,
                                  const struct message_capture_progress *message);
void client_send_capture_done(struct client *client, const struct message_capture_done *message);
void client_send_command_exited(struct client *client,
                                const struct message_command_exited *message);

/* How many are connected, and what they want measured of groups, all together. */
size_t clients_count(const struct clients *clients);
uint32_t clients_group_needs(const struct clients *clients);

/* At profd's end: closes all as soon as what they are told is sent. */
void clients_close(struct clients *clients);

#endif
