/* The worker that writes a trigger's capture: `profctl capture`, in the folder that a client
 * passed.
 *
 * profd itself opens no file for a client; the worker names functions, compresses, and puts the
 * file in place at once or not at all, as any capture. One at a time. Loop thread. */
#ifndef PROFD_DAEMON_TRIGGER_WORKER_H
#define PROFD_DAEMON_TRIGGER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TRIGGER_WORKER_TEXT_BYTES = 512 };

struct trigger_worker {
    pid_t pid;     /* 0: none runs */
    int output_fd; /* owned: what it says */
    int status_fd; /* owned: how its start went */
};

/* Starts PROGRAM (profctl) for the profd at SOCKET, to write NAME from within DIRECTORY_FD
 * (borrowed), with what was recorded in the last LAST_MS (0: everything). 0, or a negative errno.
 */
int trigger_worker_start(struct trigger_worker *worker, const char *program, const char *socket,
                         int directory_fd, const char *name, uint64_t last_ms);

/* The worker ended with WAIT_STATUS. 0 when the capture was written, or a negative errno with why
 * not in TEXT (one line); TEXT also holds what it said of a capture that was written, or "". */
int trigger_worker_finish(struct trigger_worker *worker, int wait_status,
                          char text[TRIGGER_WORKER_TEXT_BYTES]);

#endif
