/* Requests that are one message and its reply. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "common/output_pattern.h"
#include "common/time_units.h"
#include "common/trigger.h"
#include "profctl/client/client_state.h"

/* Of one asked for by name: others may be written before. */
enum { TRIGGER_TIMEOUT_MS = 120 * MS_PER_S };

bool client_ask(struct client *client, enum message_kind kind, char warning[CLIENT_TEXT_BYTES],
                struct failure *failure)
{
    struct message_request message = {
        .id = client_begin_request(client, CLIENT_REPLY_TIMEOUT_MS),
    };
    uint8_t frame[256];
    long bytes = message_put_request(frame, sizeof(frame), kind, &message);

    return client_request(client, frame, bytes, NULL, 0, warning, failure);
}

bool client_start_session(struct client *client, struct message_client_start *session, int folder,
                          char warning[CLIENT_TEXT_BYTES], struct failure *failure)
{
    static uint8_t frame[MESSAGE_MAX_FILTERS + MESSAGE_MAX_TRIGGERS + OUTPUT_PATTERN_BYTES + 256];

    session->id = client_begin_request(client, CLIENT_REPLY_TIMEOUT_MS);
    long bytes = message_put_client_start(frame, sizeof(frame), MESSAGE_CLIENT_START, session);
    return client_request(client, frame, bytes, &folder, folder >= 0 ? 1 : 0, warning, failure);
}

bool client_trigger(struct client *client, const char *name, char text[CLIENT_TEXT_BYTES],
                    struct failure *failure)
{
    struct message_client_trigger message = {
        .id = client_begin_request(client, TRIGGER_TIMEOUT_MS),
        .name = { name, strlen(name) },
    };
    uint8_t frame[256];

    if (!trigger_name_is_valid(name, strlen(name))) {
        failure_set(failure, EXIT_CODE_USAGE, "'%s' is not a valid trigger name", name);
        return false;
    }
    long bytes = message_put_client_trigger(frame, sizeof(frame), MESSAGE_CLIENT_TRIGGER, &message);
    return client_request(client, frame, bytes, NULL, 0, text, failure);
}

bool client_status(struct client *client, char **json, struct failure *failure)
{
    if (!client_ask(client, MESSAGE_CLIENT_STATUS, NULL, failure))
        return false;
    if (client->status_json == NULL) {
        failure_set(failure, EXIT_CODE_FAILED, "profd answered without a status; restart it");
        return false;
    }
    *json = client->status_json;
    client->status_json = NULL;
    return true;
}

bool client_groups(struct client *client, uint32_t needs, int file_fd,
                   char remark[CLIENT_TEXT_BYTES], struct failure *failure)
{
    struct message_client_groups message = {
        .id = client_begin_request(client, CLIENT_REPLY_TIMEOUT_MS),
        .needs = needs,
    };
    uint8_t frame[64];
    int fd = file_fd >= 0 ? fcntl(file_fd, F_DUPFD_CLOEXEC, 0) : -1; /* sending closes it */
    long bytes = message_put_client_groups(frame, sizeof(frame), MESSAGE_CLIENT_GROUPS, &message);

    if (file_fd >= 0 && fd < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot pass a file to profd: %s", strerror(errno));
        return false;
    }
    return client_request(client, frame, bytes, &fd, fd >= 0 ? 1 : 0, remark, failure);
}
