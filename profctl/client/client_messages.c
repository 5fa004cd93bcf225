/* What profd says: into the client, and into what the request under way gave for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/client/client_state.h"

static void copy_text(char *out, size_t capacity, struct message_string text)
{
    size_t length = text.length < capacity - 1 ? text.length : capacity - 1;

    memcpy(out, text.bytes, length);
    out[length] = '\0';
}

static int take_reply(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_reply reply;
    int error = message_get_reply(payload, bytes, &reply);

    if (error < 0)
        return error;
    /* id 0 answers the hello, and is sent only to turn us away. */
    if (reply.id != client->last_id && reply.id != 0)
        return 0;
    client->is_answered = true;
    client->is_turned_away = reply.id == 0;
    client->reply_error = reply.error;
    copy_text(client->reply_text, sizeof(client->reply_text), reply.text);
    return 0;
}

static int take_status(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_status status;
    int error = message_get_status(payload, bytes, &status);

    if (error < 0)
        return error;
    free(client->status_json);
    client->status_json = strndup(status.json.bytes, status.json.length);
    return client->status_json != NULL ? 0 : -ENOMEM;
}

static int take_progress(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_capture_progress progress;
    int error = message_get_capture_progress(payload, bytes, &progress);

    if (error == 0 && progress.id == client->last_id && client->on_progress != NULL)
        client->on_progress(&progress, client->progress_context);
    return error;
}

static int take_capture_done(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_capture_done done;
    int error = message_get_capture_done(payload, bytes, &done);

    if (error < 0 || client->capture == NULL || done.id != client->last_id)
        return error;
    return capture_result_take(client->capture, &done);
}

static int take_exited(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_command_exited exited;
    int error = message_get_command_exited(payload, bytes, &exited);

    if (error < 0)
        return error;
    client->has_exited = true;
    client->exit_status =
        exited.is_signal ? EXIT_CODE_SIGNAL_BASE + (int)exited.code : (int)exited.code;
    return 0;
}

static int take_message(struct client *client, unsigned kind, const uint8_t *payload, size_t bytes)
{
    switch (kind) {
    case MESSAGE_REPLY:
        return take_reply(client, payload, bytes);
    case MESSAGE_STATUS:
        return take_status(client, payload, bytes);
    case MESSAGE_CAPTURE_PROGRESS:
        return take_progress(client, payload, bytes);
    case MESSAGE_CAPTURE_DONE:
        return take_capture_done(client, payload, bytes);
    case MESSAGE_COMMAND_EXITED:
        return take_exited(client, payload, bytes);
    default:
        return 0;
    }
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    struct client *client = owner;
    int error = take_message(client, kind, payload, bytes);

    (void)fds;
    (void)fd_count;
    connection_set_deadline(connection, client->silence_ms);
    if (error < 0)
        connection_close(connection, error);
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct client *client = owner;

    (void)connection;
    client->connection = NULL;
    client->close_reason = reason;
}

const struct connection_events client_events = { on_message, on_closed };
