/* The worker that writes a trigger's capture: `profctl capture`, in the folder that the client
 * passed.
 *
 * profd itself opens no file for a client. The worker names functions, compresses, and puts the
 * file in place as a whole or not at all, like any capture. One worker at a time. Loop thread. */
#ifndef PROFD_DAEMON_TRIGGER_WORKER_H
#define PROFD_DAEMON_TRIGGER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { TRIGGER_WORKER_TEXT_BYTES = 512 };

struct trigger_worker {
    pid_t pid;     /* 0: none runs */
    int output_fd; /* owned: what it printed */
    int status_fd; /* owned: how its start went */
};

/* Starts PROGRAM (profctl) for the profd at SOCKET, to write NAME in DIRECTORY_FD (borrowed), with
 * what was recorded in the last LAST_MS (0: everything). Returns 0 or a negative errno. */
int trigger_worker_start(struct trigger_worker *worker, const char *program, const char *socket,
                         int directory_fd, const char *name, uint64_t last_ms);

/* The worker ended with WAIT_STATUS. Returns 0 if the capture was written, with the worker's remark
 * about it ("": none) in TEXT; or a negative errno with the reason, one line, in TEXT. */
int trigger_worker_finish(struct trigger_worker *worker, int wait_status,
                          char text[TRIGGER_WORKER_TEXT_BYTES]);

#endif
