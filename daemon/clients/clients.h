/* The clients of profd, profctl among them: what they ask for, and what they are told.
 *
 * daemon/access.h decides who may ask for what. Loop thread. */
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

/* What clients look at, or work on; borrowed. */
struct clients_views {
    const struct access *access;
    struct requests *requests;
    struct census *census;
    struct launch *launch;
    struct supervisor *supervisor;
    struct triggers *triggers;
    struct monitoring *monitoring;
    const struct status_view *status;
    uint64_t memory_limit_bytes; /* of sessions that give none */
};

struct clients_events {
    /* CLIENT has disconnected and is in no list any more; it is freed after this. */
    void (*on_gone)(struct client *client, void *context);
    /* What clients need measured of performance groups may have changed. */
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
    struct session_owner owner; /* of the sessions that it starts and stops */
    bool is_private;            /* profd ends with it */
    bool is_owner;              /* profd's own user or root, not just a member of the group */
    uint32_t group_needs;       /* enum group_needs; see daemon/groups/monitoring.h */
    struct client *next;
};

/* EVENTS and CONTEXT are borrowed. */
void clients_init(struct clients *clients, const struct clients_views *views,
                  const struct clients_events *events, void *context);

/* Handles a client's hello, the first message of CONNECTION. Returns 0: the connection now belongs
 * to a client here; or a negative errno: it remains the caller's, and is closing after an answer
 * that says why. */
int clients_hello(struct clients *clients, struct connection *connection, bool is_private,
                  const uint8_t *payload, size_t bytes);

/* Tells CLIENT that its request ID is finished: ERROR is 0 or a negative errno, TEXT is for people
 * ("": none). */
void client_reply(struct client *client, uint64_t id, int error, const char *text);

void client_send_capture_progress(struct client *client,
                                  const struct message_capture_progress *message);
void client_send_capture_done(struct client *client, const struct message_capture_done *message);
void client_send_command_exited(struct client *client,
                                const struct message_command_exited *message);

/* The number of connected clients, and what all of them together need measured of groups. */
size_t clients_count(const struct clients *clients);
uint32_t clients_group_needs(const struct clients *clients);

/* Closes each connection, when profd ends, as soon as everything queued for it has been sent. */
void clients_close(struct clients *clients);

#endif
