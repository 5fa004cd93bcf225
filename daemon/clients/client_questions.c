/* What clients ask for that is answered at once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/census/census.h"
#include "daemon/clients/client_messages.h"
#include "daemon/clients/clients.h"
#include "daemon/clients/status_document.h"
#include "daemon/groups/monitoring.h"
#include "daemon/outbox.h"
#include "daemon/programs/command.h"
#include "daemon/programs/launch.h"
#include "daemon/programs/supervisor.h"
#include "daemon/triggers/triggers.h"

int client_on_status(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);
    if (error < 0)
        return error;

    census_take(client->clients->census);
    char *json = status_document_make(client->clients->status);
    if (json == NULL) {
        client_reply(client, message.id, -ENOMEM,
                     "profd is out of memory for its status; try again");
        return 0;
    }
    struct message_status status = { .id = message.id, .json = { json, strlen(json) } };
    error = outbox_status(client->connection, MESSAGE_STATUS, &status);
    free(json);
    client_reply(client, message.id, error, error < 0 ? "the status cannot be sent" : "");
    return 0;
}

/* What a command runs as is profd's user, with its privileges, and profd's life is its manager's.
 */
static const char owner_only[] = "only root and the user that profd runs as may ask for that";

int client_on_launch(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_launch message;
    char text[COMMAND_TEXT_BYTES];
    int error = message_get_client_launch(payload, bytes, &message);

    if (error < 0)
        return error;
    int refusal = -EPERM;
    if (client->is_owner)
        refusal = launch_for_client(client->clients->launch, client, &message, text);
    if (refusal < 0)
        client_reply(client, message.id, refusal, client->is_owner ? text : owner_only);
    return 0;
}

int client_on_signal(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_signal message;
    int error = message_get_client_signal(payload, bytes, &message);
    if (error < 0)
        return error;

    error = supervisor_signal(client->clients->supervisor, client, (int)message.signal_number);
    client_reply(client, message.id, error,
                 error == -ESRCH ? "this client has no command that is running"
                                 : (error < 0 ? "the signal cannot be sent" : ""));
    return 0;
}

int client_on_trigger(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_trigger message;
    char name[TRIGGER_NAME_BYTES];
    int error = message_get_client_trigger(payload, bytes, &message);
    if (error < 0)
        return error;

    snprintf(name, sizeof(name), "%.*s", (int)message.name.length, message.name.bytes);
    triggers_ask(client->clients->triggers, client, message.id, name);
    return 0;
}

int client_on_groups(struct client *client, const uint8_t *payload, size_t bytes, const int *fds,
                     size_t fd_count)
{
    struct message_client_groups message;
    int error = message_get_client_groups(payload, bytes, &message);
    if (error < 0)
        return error;

    bool is_news = (message.needs & ~(uint64_t)client->clients->monitoring->needs) != 0;
    client->group_needs = (uint32_t)message.needs;
    client->clients->events->on_needs(client->clients->context);
    error = fd_count == 1 ? monitoring_write_snapshot(client->clients->monitoring, fds[0]) : 0;
    client_reply(client, message.id, error,
                 error < 0 ? "cannot write the snapshot"
                           : (is_news ? "groups were not being measured yet" : ""));
    return 0;
}

int client_on_shutdown(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0 && !client->is_owner) {
        client_reply(client, message.id, -EPERM, owner_only);
    } else if (error == 0) {
        client_reply(client, message.id, 0, "");
        supervisor_shut_down(client->clients->supervisor);
    }
    return error;
}

/* What a newer profctl asks for: all requests begin with their number. */
int client_on_unknown(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0)
        client_reply(client, message.id, -EOPNOTSUPP,
                     "this profd is older than profctl and cannot do that; restart profd after an "
                     "upgrade");
    return error;
}
