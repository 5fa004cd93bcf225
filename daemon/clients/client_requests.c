/* What clients ask for that waits for its turn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "common/thread_filters.h"
#include "common/time_units.h"
#include "daemon/capture/capture_selection.h"
#include "daemon/clients/client_messages.h"
#include "daemon/clients/clients.h"
#include "daemon/options.h"
#include "daemon/requests/requests.h"
#include "daemon/triggers/trigger_set.h"

enum {
    DEFAULT_INTERVAL_NS = 1000 * 1000,
    /* Below this a sampler does nothing but wake up. */
    SMALLEST_MEMORY_LIMIT = OPTIONS_MIN_MEMORY_MEGABYTES << 20,
};

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

static void enqueue_request(struct client *client, struct request *request, uint64_t id)
{
    int error = request == NULL ? -ENOMEM : requests_add(client->clients->requests, request);

    if (error == -EBUSY)
        client_reply(client, id, error, "too many requests are waiting; try again");
    else if (error < 0)
        client_reply(client, id, error, "profd is out of memory for the request; try again");
}

int client_on_simple(struct client *client, enum request_kind kind, const uint8_t *payload,
                     size_t bytes)
{
    struct message_request message;
    int error = message_get_request(payload, bytes, &message);

    if (error == 0)
        enqueue_request(client, make_request(client, kind, message.id), message.id);
    return error;
}

static const char *check_start(const struct message_client_start *message)
{
    if (message->interval_ns != 0 && message->interval_ns < MESSAGE_MIN_INTERVAL_NS)
        return "the interval is too short; use at least 10us";
    if (message->memory_limit_bytes != 0 && message->memory_limit_bytes < SMALLEST_MEMORY_LIMIT)
        return "the memory limit is too small; use at least 1M";
    if (message->memory_limit_bytes > OPTIONS_MAX_MEMORY_BYTES)
        return "the memory limit is too large; use at most 64G";
    if (message->thread_filters.length > MESSAGE_MAX_FILTERS)
        return "the thread filters are too long";
    return NULL;
}

/* No filters are none; NULL, or a refusal. */
static const char *check_filters(const char *filters)
{
    if (filters[0] == '\0' || thread_filters_are_valid(filters))
        return NULL;
    return "the thread filters are not a comma-separated list of names and pid:PID";
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
        return "profd is out of memory for the request; try again";
    if (trigger_set_read(message->triggers.bytes, message->triggers.length, message->output.bytes,
                         message->output.length, message->max_files, request->triggers,
                         &refusal) < 0)
        return refusal;
    request->triggers->last_ms = message->trigger_last_ms;
    trigger_set_marker_lines(request->triggers, request->settings.marker_triggers);
    request->output_fd = fds[0];
    fds[0] = -1;
    return NULL;
}

int client_on_start(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
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
                                           : client->clients->memory_limit_bytes;
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
    enqueue_request(client, request, message.id);
    return 0;
}

/* From now, not from when its turn comes: it may have to wait for other captures. */
static uint64_t time_before(uint64_t milliseconds)
{
    uint64_t now_ns = uv_hrtime();

    return milliseconds < now_ns / NS_PER_MS ? now_ns - milliseconds * NS_PER_MS : 0;
}

int client_on_capture(struct client *client, const uint8_t *payload, size_t bytes, int *fds,
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
    enqueue_request(client, request, message.id);
    return 0;
}
