/* What the files of the client share: its state, and how a request is sent and answered. */
#ifndef PROFD_PROFCTL_CLIENT_STATE_H
#define PROFD_PROFCTL_CLIENT_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>
#include <uv.h>

#include "common/time_units.h"
#include "ipc/connection.h"
#include "profctl/client/client.h"

/* Longer than profd gives its children to acknowledge; a profd that says nothing for so long is
 * stopped or stuck. */
enum { CLIENT_REPLY_TIMEOUT_MS = 20 * MS_PER_S };

struct client {
    uv_loop_t loop;
    struct connection *connection;                           /* NULL: closed */
    int close_reason;                                        /* negative once it is */
    char where[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* for messages; "" our own profd */

    uint32_t protocol_minor; /* the newest that profd understands */
    uint64_t last_id;        /* of the request that is being answered */
    bool is_answered;
    bool is_turned_away; /* … before any request was looked at */
    int64_t reply_error;
    char reply_text[CLIENT_TEXT_BYTES];

    uint64_t silence_ms; /* how long profd may say nothing while a request waits */
    char *status_json;   /* owned */
    struct capture_result *capture;
    client_on_progress on_progress;
    void *progress_context;

    bool has_exited;
    int exit_status;
};

/* What profd says goes into the struct client that owns the connection. */
extern const struct connection_events client_events;

/* --- Requests --- */

/* The id of the next request, during which profd may be silent for so long. */
uint64_t client_begin_request(struct client *client, uint64_t silence_ms);

/* Sends the message of BYTES at MESSAGE (negative: it could not be made) with FDS, which it
 * closes on every path, and waits for its reply. WARNING (may be NULL) gets profd's remark. False
 * with FAILURE filled. */
bool client_request(struct client *client, const uint8_t *message, long bytes, const int *fds,
                    size_t fd_count, char *warning, struct failure *failure);

/* --- Failures --- */

/* There is no way to profd, or none for a message: ERR says why. */
void client_tell_unreached(const struct client *client, int error, struct failure *failure);

/* The connection has ended. */
void client_tell_lost(const struct client *client, struct failure *failure);

#endif
