/* profctl's end of the connection to profd: sends requests, one at a time, and receives the
 * replies.
 *
 * A request blocks until it is answered, and runs the client's event loop meanwhile; callbacks come
 * from that loop. Errors are reported in a struct failure. One thread. */
#ifndef PROFD_PROFCTL_CLIENT_H
#define PROFD_PROFCTL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/messages.h"
#include "profctl/capture/capture_result.h"
#include "profctl/failure.h"

struct client; /* opaque */

/* Called while a capture is being made. */
typedef void (*client_on_progress)(const struct message_capture_progress *progress, void *context);

/* Connects to the profd at SOCKET (NULL: the default socket). Returns false with FAILURE filled:
 * EXIT_CODE_NO_DAEMON if it cannot connect. */
bool client_connect(const char *socket, struct client **out, struct failure *failure);
/* Uses the connected socket FD, which is taken over on every path, to talk to a private profd.
 * Returns false with FAILURE filled. */
bool client_adopt(int fd, struct client **out, struct failure *failure);
/* Closes the connection and frees CLIENT. NULL is allowed. */
void client_close(struct client *client);

/* Returns the event loop, for timers and signals of the owner, who closes them before
 * client_close(). */
uv_loop_t *client_loop(struct client *client);

/* --- Requests. WARNING (may be NULL) receives profd's remark on what it did; "": none. Each
 * returns false with FAILURE filled. --- */

enum { CLIENT_TEXT_BYTES = MESSAGE_MAX_TEXT + 1 };

/* Sends a request without parameters: MESSAGE_CLIENT_STOP, _PAUSE, _RESUME or _SHUTDOWN. */
bool client_ask(struct client *client, enum message_kind kind, char warning[CLIENT_TEXT_BYTES],
                struct failure *failure);
/* Starts SESSION, whose id is set here. FOLDER (-1: none; taken over) is where captures of its
 * triggers are written. */
bool client_start_session(struct client *client, struct message_client_start *session, int folder,
                          char warning[CLIENT_TEXT_BYTES], struct failure *failure);
/* Makes profd write the capture of trigger NAME, and waits for it. TEXT receives the name of its
 * file. */
bool client_trigger(struct client *client, const char *name, char text[CLIENT_TEXT_BYTES],
                    struct failure *failure);
/* Stores the status document, terminated, in *JSON. The caller frees it. */
bool client_status(struct client *client, char **json, struct failure *failure);
/* Sets what is needed of performance groups from now on (enum group_needs), and has a snapshot of
 * them written to the file FILE_FD (-1: none), which stays the caller's. */
bool client_groups(struct client *client, uint32_t needs, int file_fd,
                   char remark[CLIENT_TEXT_BYTES], struct failure *failure);
/* The parameters of a capture. */
struct capture_wish {
    bool stop;           /* stop the session when done */
    uint64_t timeout_ms; /* for gathering all processes */
    uint64_t last_ms;    /* only what was recorded in the last LAST_MS; 0: everything */
    bool is_raw;         /* json/raw_capture.h instead of JSON */
    const char *pids, *processes, *threads; /* comma-separated; NULL or "": all */
};
/* Has profd write a capture to OUTPUT_FD, which stays the caller's. After success RESULT must be
 * freed with capture_result_free(). */
bool client_capture(struct client *client, int output_fd, const struct capture_wish *wish,
                    client_on_progress on_progress, void *context, struct capture_result *result,
                    struct failure *failure);
/* Starts COMMAND (NULL-terminated) in our directory with our environment. Fails with
 * EXIT_CODE_NOT_FOUND or EXIT_CODE_NOT_EXECUTABLE if that is the reason. */
bool client_launch(struct client *client, char *const *command, struct failure *failure);
/* Sends a signal to the launched command; does not wait for the answer. */
void client_signal(struct client *client, int signal_number);

/* --- The launched command --- */

/* Returns whether it has ended; *EXIT_STATUS is then what a shell would report (128 + N for signal
 * N). */
bool client_command_exited(const struct client *client, int *exit_status);

/* Runs the loop until something happens. Returns false if profd has gone. */
bool client_wait(struct client *client, struct failure *failure);

#endif
