/* The request for a capture. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/time_units.h"
#include "profctl/client/client_state.h"

enum {
    /* On top of what the capture may take: profd reports progress meanwhile, so this is silence. */
    SILENCE_MS = 30 * MS_PER_S,
    FRAME_BYTES = 2 * MESSAGE_MAX_SELECTION + MESSAGE_MAX_FILTERS + 256,
};

static struct message_string message_text(const char *text)
{
    return (struct message_string){ text, text != NULL ? strlen(text) : 0 };
}

static bool can_be_wished(const struct client *client, const struct capture_wish *wish,
                          struct failure *failure)
{
    if (!wish->is_raw || client->protocol_minor >= PROTOCOL_MINOR_OF_RAW_CAPTURES)
        return true;
    failure_set(failure, EXIT_CODE_FAILED,
                "profd at %s does not support raw captures; restart it, or write .json.gz",
                client->where);
    return false;
}

bool client_capture(struct client *client, int output_fd, const struct capture_wish *wish,
                    client_on_progress on_progress, void *context, struct capture_result *result,
                    struct failure *failure)
{
    struct message_client_capture message = {
        .id = client_begin_request(client, wish->timeout_ms + SILENCE_MS),
        .stop = wish->stop,
        .timeout_ms = wish->timeout_ms,
        .last_ms = wish->last_ms,
        .pids = message_text(wish->pids),
        .names = message_text(wish->processes),
        .thread_filters = message_text(wish->threads),
        .is_raw = wish->is_raw,
    };
    static uint8_t frame[FRAME_BYTES];
    long bytes = message_put_client_capture_for(client->protocol_minor, frame, sizeof(frame),
                                                MESSAGE_CLIENT_CAPTURE, &message);
    bool done;

    if (!can_be_wished(client, wish, failure))
        return false;
    int fd = fcntl(output_fd, F_DUPFD_CLOEXEC, 0); /* sending closes it */
    if (fd < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot pass the output to profd: %s",
                    strerror(errno));
        return false;
    }
    *result = (struct capture_result){ .may_be_empty = wish->threads != NULL };
    client->capture = result;
    client->on_progress = on_progress;
    client->progress_context = context;
    done = client_request(client, frame, bytes, &fd, 1, NULL, failure);
    client->capture = NULL;
    client->on_progress = NULL;
    return done;
}
