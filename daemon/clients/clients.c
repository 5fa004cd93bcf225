#include "daemon/clients/clients.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/access.h"
#include "daemon/clients/client_messages.h"
#include "daemon/log.h"
#include "daemon/outbox.h"
#include "ipc/connection.h"

enum { LAST_ANSWER_MS = 2000 };

/* --- Answers --- */

static int send_reply(struct connection *connection, uint64_t id, int error, const char *text)
{
    struct message_reply reply = { .id = id, .error = error, .text = { text, strlen(text) } };
    return outbox_reply(connection, MESSAGE_REPLY, &reply);
}

/* A client whose connection cannot take an answer closes by itself, which on_closed tells. */
void client_reply(struct client *client, uint64_t id, int error, const char *text)
{
    send_reply(client->connection, id, error, text);
}

void client_send_capture_progress(struct client *client,
                                  const struct message_capture_progress *message)
{
    /* One that reads slowly needs no more of them. */
    if (connection_queued_bytes(client->connection) == 0)
        outbox_capture_progress(client->connection, MESSAGE_CAPTURE_PROGRESS, message);
}

void client_send_capture_done(struct client *client, const struct message_capture_done *message)
{
    outbox_capture_done(client->connection, MESSAGE_CAPTURE_DONE, message);
}

void client_send_command_exited(struct client *client, const struct message_command_exited *message)
{
    outbox_command_exited(client->connection, MESSAGE_COMMAND_EXITED, message);
}

/* --- The connection --- */

static int dispatch_message(struct client *client, unsigned kind, const uint8_t *payload,
                            size_t bytes, int *fds, size_t fd_count)
{
    switch (kind) {
    case MESSAGE_CLIENT_START:
        return client_on_start(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_STOP:
        return client_on_simple(client, REQUEST_STOP, payload, bytes);
    case MESSAGE_CLIENT_PAUSE:
        return client_on_simple(client, REQUEST_PAUSE, payload, bytes);
    case MESSAGE_CLIENT_RESUME:
        return client_on_simple(client, REQUEST_RESUME, payload, bytes);
    case MESSAGE_CLIENT_PAUSE_SAMPLING:
        return client_on_simple(client, REQUEST_PAUSE_SAMPLING, payload, bytes);
    case MESSAGE_CLIENT_RESUME_SAMPLING:
        return client_on_simple(client, REQUEST_RESUME_SAMPLING, payload, bytes);
    case MESSAGE_CLIENT_STATUS:
        return client_on_status(client, payload, bytes);
    case MESSAGE_CLIENT_CAPTURE:
        return client_on_capture(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_LAUNCH:
        return client_on_launch(client, payload, bytes);
    case MESSAGE_CLIENT_SIGNAL:
        return client_on_signal(client, payload, bytes);
    case MESSAGE_CLIENT_TRIGGER:
        return client_on_trigger(client, payload, bytes);
    case MESSAGE_CLIENT_GROUPS:
        return client_on_groups(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_SHUTDOWN:
        return client_on_shutdown(client, payload, bytes);
    default:
        return client_on_unknown(client, payload, bytes);
    }
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    int error = dispatch_message(owner, kind, payload, bytes, fds, fd_count);

    if (error < 0) {
        log_warn("disconnected a client that sent an unexpected message (%s)",
                 message_kind_name(kind));
        connection_close(connection, error);
    }
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct client *client = owner;
    struct clients *clients = client->clients;
    struct client **link = &clients->first;
    (void)connection;

    if (reason == -ENOBUFS)
        log_warn("disconnected a client that does not read its replies");
    while (*link != client)
        link = &(*link)->next;
    *link = client->next;
    clients->events->on_gone(client, clients->context);
    free(client);
}

static const struct connection_events client_events = { on_message, on_closed };

static void turn_client_away(struct connection *connection, int error, const char *text)
{
    log_warn_of(connection_peer(connection)->pid, "rejected %d: %s",
                connection_peer(connection)->pid, text);
    if (send_reply(connection, 0, error, text) == 0)
        connection_finish(connection, error, LAST_ANSWER_MS);
}

/* A program's sessions are those of the process at the other end, whatever it says. */
static struct session_owner owner_of(const struct message_client_hello *hello,
                                     const struct peer_credentials *peer)
{
    return hello->is_program ? (struct session_owner){ SESSION_OWNER_PROGRAM, peer->pid }
                             : session_owner_user;
}

void clients_init(struct clients *clients, const struct clients_views *views,
                  const struct clients_events *events, void *context)
{
    *clients = (struct clients){
        .access = views->access,
        .requests = views->requests,
        .census = views->census,
        .launch = views->launch,
        .supervisor = views->supervisor,
        .triggers = views->triggers,
        .monitoring = views->monitoring,
        .status = views->status,
        .memory_limit_bytes = views->memory_limit_bytes,
        .events = events,
        .context = context,
    };
}

int clients_hello(struct clients *clients, struct connection *connection, bool is_private,
                  const uint8_t *payload, size_t bytes)
{
    const struct peer_credentials *peer = connection_peer(connection);
    struct message_client_hello hello;
    int error = message_get_client_hello(payload, bytes, &hello);

    if (error < 0) {
        connection_close(connection, error);
        return error;
    }
    if (!protocol_version_is_understood(hello.protocol_version)) {
        turn_client_away(
            connection, -EPROTONOSUPPORT,
            "this profd speaks another version of the protocol; install profctl and profd of "
            "one version");
        return -EPROTONOSUPPORT;
    }
    enum access_level level = access_level_of(clients->access, connection);
    if (level == ACCESS_NONE) {
        turn_client_away(connection, -EPERM,
                         "only the user that profd runs as, root, and members of the group of "
                         "--control-group may control it");
        return -EPERM;
    }

    struct client *client = malloc(sizeof(*client));
    if (client == NULL) {
        turn_client_away(connection, -ENOMEM, "profd is out of memory for another client");
        return -ENOMEM;
    }
    *client = (struct client){
        .clients = clients,
        .connection = connection,
        .owner = owner_of(&hello, peer),
        .is_private = is_private,
        .is_owner = level == ACCESS_OWNER,
        .next = clients->first,
    };
    clients->first = client;
    connection_set_events(connection, &client_events, client);
    connection_set_deadline(connection, 0);
    return 0;
}

size_t clients_count(const struct clients *clients)
{
    size_t count = 0;

    for (const struct client *client = clients->first; client != NULL; client = client->next)
        count++;
    return count;
}

uint32_t clients_group_needs(const struct clients *clients)
{
    uint32_t needs = 0;

    for (const struct client *client = clients->first; client != NULL; client = client->next)
        needs |= client->group_needs;
    return needs;
}

void clients_close(struct clients *clients)
{
    for (struct client *client = clients->first; client != NULL; client = client->next)
        connection_finish(client->connection, -ESHUTDOWN, LAST_ANSWER_MS);
}
