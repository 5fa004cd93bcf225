#include "profctl/client/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"
#include "ipc/ledger_file.h"
#include "ipc/socket.h"
#include "profctl/client/client_state.h"

/* Until a profd that others keep busy has let us in. */
enum { CONNECT_PATIENCE_MS = 10 * MS_PER_S };

/* --- Life cycle --- */

/* THEIRS is the newest minor version of the protocol that profd understands. */
static bool say_hello(struct client *client, uint32_t theirs, struct failure *failure)
{
    struct message_client_hello message = { .protocol_version = protocol_version_with(theirs) };
    uint8_t frame[64];
    long bytes = message_put_client_hello(frame, sizeof(frame), MESSAGE_CLIENT_HELLO, &message);
    int error =
        bytes < 0 ? (int)bytes : connection_send(client->connection, frame, (size_t)bytes, NULL, 0);

    client->protocol_minor = theirs;
    if (error < 0)
        client_tell_unreached(client, error, failure);
    return error == 0;
}

static struct client *new_client(struct failure *failure)
{
    struct client *client = calloc(1, sizeof(*client));
    int error = client != NULL ? uv_loop_init(&client->loop) : -ENOMEM;

    if (error == 0)
        return client;
    free(client);
    failure_set(failure, EXIT_CODE_FAILED, "cannot start an event loop: %s", strerror(-error));
    return NULL;
}

bool client_connect(const char *socket, struct client **out, struct failure *failure)
{
    struct client *client = new_client(failure);
    int error;

    if (client == NULL)
        return false;
    error = socket_path(socket, client->where);
    if (error < 0)
        snprintf(client->where, sizeof(client->where), "%s", socket != NULL ? socket : "");
    if (error == 0)
        error = connection_connect(&client->loop, client->where, CONNECT_PATIENCE_MS,
                                   &client_events, client, &client->connection);
    if (error < 0)
        client_tell_unreached(client, error, failure);
    if (error < 0 || !say_hello(client, ledger_file_protocol_minor(client->where), failure)) {
        client_close(client);
        return false;
    }
    *out = client;
    return true;
}

bool client_adopt(int fd, struct client **out, struct failure *failure)
{
    struct client *client = new_client(failure);
    int error;

    if (client == NULL) {
        close(fd);
        return false;
    }
    error = connection_accept(&client->loop, fd, &client_events, client, &client->connection);
    if (error < 0)
        client_tell_unreached(client, error, failure);
    if (error < 0 || !say_hello(client, PROTOCOL_MINOR, failure)) {
        client_close(client);
        return false;
    }
    *out = client;
    return true;
}

void client_close(struct client *client)
{
    if (client == NULL)
        return;
    if (client->connection != NULL)
        connection_close(client->connection, -ESHUTDOWN);
    uv_run(&client->loop, UV_RUN_DEFAULT);
    uv_loop_close(&client->loop);
    free(client->status_json);
    free(client);
}

uv_loop_t *client_loop(struct client *client)
{
    return &client->loop;
}

/* --- One request --- */

bool client_wait(struct client *client, struct failure *failure)
{
    if (client->connection != NULL)
        uv_run(&client->loop, UV_RUN_ONCE);
    if (client->connection != NULL)
        return true;
    client_tell_lost(client, failure);
    return false;
}

static bool await_reply(struct client *client, char *warning, struct failure *failure)
{
    while (!client->is_answered)
        if (client->connection == NULL || !client_wait(client, failure)) {
            if (client->is_answered)
                break;
            client_tell_lost(client, failure);
            return false;
        }
    client->silence_ms = 0;
    if (client->connection != NULL)
        connection_set_deadline(client->connection, 0);
    if (client->reply_error < 0) {
        failure_set(failure, client->is_turned_away ? EXIT_CODE_NO_DAEMON : EXIT_CODE_FAILED, "%s",
                    client->reply_text[0] != '\0' ? client->reply_text
                                                  : strerror(-(int)client->reply_error));
        return false;
    }
    if (warning != NULL)
        memcpy(warning, client->reply_text, sizeof(client->reply_text));
    return true;
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}

bool client_request(struct client *client, const uint8_t *message, long bytes, const int *fds,
                    size_t fd_count, char *warning, struct failure *failure)
{
    int error;

    if (bytes < 0) {
        close_all(fds, fd_count);
        failure_set(failure, EXIT_CODE_FAILED, "cannot make the request: %s",
                    strerror((int)-bytes));
        return false;
    }
    if (client->connection == NULL) {
        close_all(fds, fd_count);
        client_tell_lost(client, failure);
        return false;
    }
    client->is_answered = false;
    error = connection_send(client->connection, message, (size_t)bytes, fds, fd_count);
    if (error < 0 && error != -ENOTCONN && error != -EPIPE) {
        client_tell_unreached(client, error, failure);
        return false;
    }
    connection_set_deadline(client->connection, client->silence_ms);
    return await_reply(client, warning, failure);
}

uint64_t client_begin_request(struct client *client, uint64_t silence_ms)
{
    client->silence_ms = silence_ms;
    return ++client->last_id;
}
