/* profctl's end of the conversation with profd: requests, one after the other, and their replies.
 *
 * A request blocks until it is answered, running the client's event loop; call-backs come from
 * there. What goes wrong is told in a struct failure. One thread. */
#ifndef PROFD_PROFCTL_CLIENT_H
#define PROFD_PROFCTL_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/messages.h"
#include "profctl/capture/capture_result.h"
#include "profctl/failure.h"

struct client; /* opaque */

/* Told while a capture is being made. */
typedef void (*client_on_progress)(const struct message_capture_progress *progress, void *context);

/* Connects to the profd at SOCKET (NULL: the usual place). EXIT_CODE_NO_DAEMON when it cannot. */
bool client_connect(const char *socket, struct client **out, struct failure *failure);
/* Talks over the connected socket FD, which it takes on every path, to a profd of our own. */
bool client_adopt(int fd, struct client **out, struct failure *failure);
/* Hangs up. NULL is allowed. */
void client_close(struct client *client);

/* For timers and signals of the owner, who closes them before client_close(). */
uv_loop_t *client_loop(struct client *client);

/* --- Requests. WARNING (may be NULL) gets profd's remark on what it did; "" none. --- */

enum { CLIENT_TEXT_BYTES = MESSAGE_MAX_TEXT + 1 };

/* MESSAGE_CLIENT_STOP, _PAUSE, _RESUME or _SHUTDOWN. */
bool client_ask(struct client *client, enum message_kind kind, char warning[CLIENT_TEXT_BYTES],
                struct failure *failure);
/* Begins SESSION, which gets its id here. FOLDER is where captures of its triggers go (-1: it has
 * none), and is taken. */
bool client_start_session(struct client *client, struct message_client_start *session, int folder,
                          char warning[CLIENT_TEXT_BYTES], struct failure *failure);
/* Has the capture of trigger NAME written; waits for it. TEXT gets its file. */
bool client_trigger(struct client *client, const char *name, char text[CLIENT_TEXT_BYTES],
                    struct failure *failure);
/* *JSON is the status document, terminated; the caller frees it. */
bool client_status(struct client *client, char **json, struct failure *failure);
/* What is needed of performance groups from here on (enum group_needs), and a snapshot of them into
 * FILE_FD (-1: none), a file that stays the caller's. */
bool client_groups(struct client *client, uint32_t needs, int file_fd,
                   char remark[CLIENT_TEXT_BYTES], struct failure *failure);
/* What is asked for. */
struct capture_wish {
    bool stop;                              /* the session, when done */
    uint64_t timeout_ms;                    /* for the whole gathering */
    uint64_t last_ms;                       /* only what was recorded in so long; 0: everything */
    bool is_raw;                            /* json/raw_capture.h instead of JSON */
    const char *pids, *processes, *threads; /* comma-separated; NULL or "": all */
};
/* profd writes the capture to OUTPUT_FD, which stays the caller's. RESULT needs
 * capture_result_free() when it succeeded. */
bool client_capture(struct client *client, int output_fd, const struct capture_wish *wish,
                    client_on_progress on_progress, void *context, struct capture_result *result,
                    struct failure *failure);
/* Starts COMMAND (NULL-terminated) in our directory with our environment. EXIT_CODE_NOT_FOUND or
 * _NOT_EXECUTABLE when that is why it failed. */
bool client_launch(struct client *client, char *const *command, struct failure *failure);
/* Passes a signal on to what was launched; doesn't wait for the answer. */
void client_signal(struct client *client, int signal_number);

/* --- The launched command --- */

/* True once it has ended; *EXIT_STATUS is what a shell would say (128 + N for signal N). */
bool client_command_exited(const struct client *client, int *exit_status);

/* Runs the loop until something happened. False when profd has gone. */
bool client_wait(struct client *client, struct failure *failure);

#endif
