/* Shared by the files of the client: its state, and how a request is sent and answered. */
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

/* Longer than profd waits for its children to acknowledge. A profd that is silent for so long is
 * stopped or stuck. */
enum { CLIENT_REPLY_TIMEOUT_MS = 20 * MS_PER_S };

struct client {
    uv_loop_t loop;
    struct connection *connection;                           /* NULL: closed */
    int close_reason;                                        /* negative once it is */
    char where[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* for messages; "": a private profd */

    uint32_t protocol_minor; /* the newest that profd understands */
    uint64_t last_id;        /* of the pending request */
    bool is_answered;
    bool is_turned_away; /* … before any request was processed */
    int64_t reply_error;
    char reply_text[CLIENT_TEXT_BYTES];

    uint64_t silence_ms; /* how long profd may be silent while a request is pending */
    char *status_json;   /* owned */
    struct capture_result *capture;
    client_on_progress on_progress;
    void *progress_context;

    bool has_exited;
    int exit_status;
};

/* Store what profd sends in the struct client that owns the connection. */
extern const struct connection_events client_events;

/* --- Requests --- */

/* Returns the id of the next request, during which profd may be silent for SILENCE_MS. */
uint64_t client_begin_request(struct client *client, uint64_t silence_ms);

/* Sends MESSAGE, BYTES long (negative: it could not be made), with FDS, which are closed on every
 * path, and waits for the reply. WARNING (may be NULL) receives profd's remark. Returns false with
 * FAILURE filled. */
bool client_request(struct client *client, const uint8_t *message, long bytes, const int *fds,
                    size_t fd_count, char *warning, struct failure *failure);

/* --- Failures --- */

/* Fills FAILURE: profd, or a message to it, could not be reached because of ERROR. */
void client_tell_unreached(const struct client *client, int error, struct failure *failure);

/* Fills FAILURE: the connection has ended. */
void client_tell_lost(const struct client *client, struct failure *failure);

#endif
