#include "daemon/requests/client_connection.h"
#include "common/time_units.h"
#include "daemon/capture/capture_selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/thread_filters.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/outbox.h"
#include "daemon/programs/launch.h"
#include "daemon/requests/status_document.h"
#include "daemon/when.h"

enum {
    LAST_ANSWER_MS = 2000,
    DEFAULT_INTERVAL_NS = 1000 * 1000,
    /* Below this a sampler does nothing but wake up. */
    SMALLEST_MEMORY_LIMIT = OPTIONS_MIN_MEMORY_MEGABYTES << 20,
};

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

/* --- Requests for the queue --- */

static struct request *make_request(struct client *client, enum request_kind kind, uint64_t id)
{
    struct request *request = calloc(1, sizeof(*request));

    if (request == NULL)
        return NULL;
    request->kind = kind;
    request->client = client;
    request->owner = client->owner;
    request->id = id;
    request->output_fd = -1;
    return request;
}

static void enqueue(struct client *client, struct request *request, uint64_t id)
{
    int error = request == NULL ? -ENOMEM : requests_add(client->profd, request);

    if (error == -EBUSY)
        client_reply(client, id, error, "too many requests wait for profd; try again");
    else if (error < 0)
        client_reply(client, id, error, "profd has no memory for the request");
}

static int on_simple(struct client *client, enum request_kind kind, const uint8_t *payload,
                     size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0)
        enqueue(client, make_request(client, kind, message.id), message.id);
    return error;
}

static const char *check_start(const struct message_client_start *message)
{
    if (message->interval_ns != 0 && message->interval_ns < MESSAGE_MIN_INTERVAL_NS)
        return "the interval is too short; at least 10us";
    if (message->memory_limit_bytes != 0 && message->memory_limit_bytes < SMALLEST_MEMORY_LIMIT)
        return "the memory limit is too small; at least 1M";
    if (message->memory_limit_bytes > OPTIONS_MAX_MEMORY_BYTES)
        return "the memory limit is too large; at most 64G";
    if (message->thread_filters.length > MESSAGE_MAX_FILTERS)
        return "the thread filters are too long";
    return NULL;
}

/* No filters are none; NULL, or a refusal. */
static const char *check_filters(const char *filters)
{
    if (filters[0] == '\0' || thread_filters_are_valid(filters))
        return NULL;
    return "the thread filters are not names and pid:PID, comma-separated";
}

/* What the session shall write by itself. NULL, or a refusal. */
static const char *take_triggers(struct request *request,
                                 const struct message_client_start *message, int *fds,
                                 size_t fd_count)
{
    const char *refusal;

    if (message->output.length == 0 && message->triggers.length == 0)
        return NULL;
    if (fd_count != 1)
        return "triggers need a folder for their captures";
    request->triggers = malloc(sizeof(*request->triggers));
    if (request->triggers == NULL)
        return "profd has no memory for the request";
    if (trigger_set_read(message->triggers.bytes, message->triggers.length, message->output.bytes,
                         message->output.length, message->most_files, request->triggers,
                         &refusal) < 0)
        return refusal;
    request->triggers->last_ms = message->trigger_last_ms;
    trigger_set_marker_lines(request->triggers, request->settings.marker_triggers);
    request->output_fd = fds[0];
    fds[0] = -1;
    return NULL;
}

static int on_start(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
                    size_t fd_count)
{
    struct message_client_start message;
    int error = message_get_client_start(payload, bytes, &message);
    if (error < 0)
        return error;

    const char *refusal = check_start(&message);
    if (refusal != NULL) {
        client_reply(client, message.id, -EINVAL, refusal);
        return 0;
    }
    struct request *request = make_request(client, REQUEST_START, message.id);
    if (request != NULL) {
        struct session_settings *settings = &request->settings;
        settings->interval_ns = message.interval_ns ? message.interval_ns : DEFAULT_INTERVAL_NS;
        settings->memory_limit_bytes = message.memory_limit_bytes
                                           ? message.memory_limit_bytes
                                           : client->profd->options.memory_limit_bytes;
        settings->features = message.features;
        settings->allocation_interval_bytes = message.allocation_interval_bytes;
        settings->clock = (enum sampling_clock)message.clock;
        memcpy(settings->thread_filters, message.thread_filters.bytes,
               message.thread_filters.length);
        request->duration_ms = message.duration_ms;
        refusal = check_filters(settings->thread_filters);
        if (refusal == NULL)
            refusal = take_triggers(request, &message, fds, fd_count);
    }
    if (refusal != NULL) {
        request_free(request);
        client_reply(client, message.id, -EINVAL, refusal);
        return 0;
    }
    enqueue(client, request, message.id);
    return 0;
}

/* From now, not from when its turn comes: it may have to wait for other captures. */
static uint64_t time_before(uint64_t milliseconds)
{
    uint64_t now_ns = uv_hrtime();

    return milliseconds < now_ns / NS_PER_MS ? now_ns - milliseconds * NS_PER_MS : 0;
}

static int on_capture(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
                      size_t fd_count)
{
    struct message_client_capture message;
    int error = message_get_client_capture(payload, bytes, &message);
    if (error < 0)
        return error;

    if (fd_count != 1) {
        client_reply(client, message.id, -EPROTO, "a capture needs one descriptor to write to");
        return 0;
    }
    struct request *request = make_request(client, REQUEST_CAPTURE, message.id);
    if (request != NULL)
        request->selection = malloc(sizeof(*request->selection));
    if (request != NULL && request->selection == NULL) {
        request_free(request);
        request = NULL;
    }
    if (request != NULL) {
        capture_selection_read(&message, request->selection);
        request->stop_after = message.stop != 0;
        request->timeout_ms = message.timeout_ms;
        request->is_raw = message.is_raw != 0;
        request->since_ns = message.last_ms != 0 ? time_before(message.last_ms) : 0;
        request->output_fd = fds[0];
        fds[0] = -1;
    }
    enqueue(client, request, message.id);
    return 0;
}

/* --- Requests that are answered at once --- */

static int on_status(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);
    if (error < 0)
        return error;

    census_take(&client->profd->census);
    char *json = status_document_make(client->profd);
    if (json == NULL) {
        client_reply(client, message.id, -ENOMEM, "profd has no memory for its status");
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
static const char owner_only[] = "only the user that profd runs as, and root, may ask for that";

static int on_launch(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_launch message;
    char text[COMMAND_TEXT_BYTES];
    int error = message_get_client_launch(payload, bytes, &message);

    if (error < 0)
        return error;
    int refusal = -EPERM;
    if (client->is_owner)
        refusal = launch_for_client(&client->profd->launch, client, &message, text);
    if (refusal < 0)
        client_reply(client, message.id, refusal, client->is_owner ? text : owner_only);
    return 0;
}

static int on_signal(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_signal message;
    int error = message_get_client_signal(payload, bytes, &message);
    if (error < 0)
        return error;

    error = supervisor_signal(&client->profd->supervisor, client, (int)message.signal_number);
    client_reply(client, message.id, error,
                 error == -ESRCH ? "no command of this client runs"
                                 : (error < 0 ? "the signal cannot be sent" : ""));
    return 0;
}

static int on_trigger(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_client_trigger message;
    char name[TRIGGER_NAME_BYTES];
    int error = message_get_client_trigger(payload, bytes, &message);
    if (error < 0)
        return error;

    snprintf(name, sizeof(name), "%.*s", (int)message.name.length, message.name.bytes);
    triggers_ask(&client->profd->triggers, client, message.id, name);
    return 0;
}

static int on_groups(struct client *client, const uint8_t *payload, size_t bytes, const int *fds,
                     size_t fd_count)
{
    struct message_client_groups message;
    int error = message_get_client_groups(payload, bytes, &message);
    if (error < 0)
        return error;

    bool is_news = (message.needs & ~(uint64_t)client->profd->monitoring.needs) != 0;
    client->group_needs = (uint32_t)message.needs;
    when_group_needs_change(client->profd);
    error = fd_count == 1 ? monitoring_write_snapshot(&client->profd->monitoring, fds[0]) : 0;
    client_reply(client, message.id, error,
                 error < 0 ? "the snapshot cannot be written"
                           : (is_news ? "nobody had asked for groups so far" : ""));
    return 0;
}

static int on_shutdown(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0 && !client->is_owner) {
        client_reply(client, message.id, -EPERM, owner_only);
    } else if (error == 0) {
        client_reply(client, message.id, 0, "");
        supervisor_shut_down(&client->profd->supervisor);
    }
    return error;
}

/* What a newer profctl asks for: all requests begin with their number. */
static int on_unknown(struct client *client, const uint8_t *payload, size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0)
        client_reply(client, message.id, -EOPNOTSUPP,
                     "this profd is older than profctl and cannot do that; restart profd after an "
                     "upgrade");
    return error;
}

/* --- The connection --- */

static int dispatch(struct client *client, unsigned kind, const uint8_t *payload, size_t bytes,
                    int *fds, size_t fd_count)
{
    switch (kind) {
    case MESSAGE_CLIENT_START:
        return on_start(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_STOP:
        return on_simple(client, REQUEST_STOP, payload, bytes);
    case MESSAGE_CLIENT_PAUSE:
        return on_simple(client, REQUEST_PAUSE, payload, bytes);
    case MESSAGE_CLIENT_RESUME:
        return on_simple(client, REQUEST_RESUME, payload, bytes);
    case MESSAGE_CLIENT_PAUSE_SAMPLING:
        return on_simple(client, REQUEST_PAUSE_SAMPLING, payload, bytes);
    case MESSAGE_CLIENT_RESUME_SAMPLING:
        return on_simple(client, REQUEST_RESUME_SAMPLING, payload, bytes);
    case MESSAGE_CLIENT_STATUS:
        return on_status(client, payload, bytes);
    case MESSAGE_CLIENT_CAPTURE:
        return on_capture(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_LAUNCH:
        return on_launch(client, payload, bytes);
    case MESSAGE_CLIENT_SIGNAL:
        return on_signal(client, payload, bytes);
    case MESSAGE_CLIENT_TRIGGER:
        return on_trigger(client, payload, bytes);
    case MESSAGE_CLIENT_GROUPS:
        return on_groups(client, payload, bytes, fds, fd_count);
    case MESSAGE_CLIENT_SHUTDOWN:
        return on_shutdown(client, payload, bytes);
    default:
        return on_unknown(client, payload, bytes);
    }
}

static void on_message(struct connection *connection, unsigned kind, const uint8_t *payload,
                       size_t bytes, int *fds, size_t fd_count, void *owner)
{
    int error = dispatch(owner, kind, payload, bytes, fds, fd_count);

    if (error < 0) {
        log_warn("a client sent a message that cannot be used (%s)", message_kind_name(kind));
        connection_close(connection, error);
    }
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    struct client *client = owner;
    struct daemon *profd = client->profd;
    struct client **link = &profd->clients;
    (void)connection;

    if (reason == -ENOBUFS)
        log_warn("hung up on a client that does not read its answers");
    while (*link != client)
        link = &(*link)->next;
    *link = client->next;
    when_client_goes(profd, client);
    free(client);
}

static const struct connection_events client_events = { on_message, on_closed };

static void turn_away(struct connection *connection, int error, const char *text)
{
    log_warn_of(connection_peer(connection)->pid, "turned away %d: %s",
                connection_peer(connection)->pid, text);
    if (send_reply(connection, 0, error, text) == 0)
        connection_finish(connection, error, LAST_ANSWER_MS);
}

/* A program's sessions are those of the process at the other end, whatever it says. */
static struct session_owner owner_of(const struct message_client_hello *hello,
                                     const struct peer_credentials *peer)
{
    return hello->is_program ? (struct session_owner){ SESSION_OWNER_PROGRAM, peer->pid }
                             : (struct session_owner){ SESSION_OWNER_USER, 0 };
}

int client_hello(struct daemon *profd, struct connection *connection, bool is_private,
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
        turn_away(connection, -EPROTONOSUPPORT,
                  "this profd speaks another version of the protocol; install profctl and profd of "
                  "one version");
        return -EPROTONOSUPPORT;
    }
    enum access_level level = access_level_of(&profd->access, connection);
    if (level == ACCESS_NONE) {
        turn_away(connection, -EPERM,
                  "only the user that profd runs as, root, and members of the group of "
                  "--control-group may control it");
        return -EPERM;
    }

    struct client *client = malloc(sizeof(*client));
    if (client == NULL) {
        turn_away(connection, -ENOMEM, "profd has no memory for another client");
        return -ENOMEM;
    }
    *client = (struct client){
        .profd = profd,
        .connection = connection,
        .owner = owner_of(&hello, peer),
        .is_private = is_private,
        .is_owner = level == ACCESS_OWNER,
        .next = profd->clients,
    };
    profd->clients = client;
    connection_set_events(connection, &client_events, client);
    connection_set_deadline(connection, 0);
    return 0;
}

void clients_close(struct daemon *profd)
{
    for (struct client *client = profd->clients; client != NULL; client = client->next)
        connection_finish(client->connection, -ESHUTDOWN, LAST_ANSWER_MS);
}
