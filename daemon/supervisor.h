/* The commands that profd runs, and everything below them.
 *
 * Each command is a process group of its own, with the environment that its agents need. profd is
 * the reaper of all its descendants: a daemonised grandchild becomes its child. Signals sent to
 * profd go to the command that it was started with, whose exit status becomes its own. Loop thread.
 */
#ifndef PROFD_DAEMON_SUPERVISOR_H
#define PROFD_DAEMON_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "ipc/messages.h"

struct client;
struct daemon;

enum {
    /* What a server needs to finish its requests, before SIGKILL. */
    SHUT_DOWN_GRACE_MS = 5000,
    COMMAND_NAME_BYTES = 128,
};

struct command {
    struct daemon *profd;
    pid_t pid; /* and process group */
    char name[COMMAND_NAME_BYTES];
    struct client *launcher; /* NULL: profd's own, or gone */
    uint64_t request_id;
    bool is_main;     /* profd's exit status is its */
    bool is_starting; /* whether it runs is not known yet */
    int failure;      /* negative errno: why it never ran; 0 */
    int terminal_fd;  /* that it was given; -1: none */
    uv_poll_t start;  /* of the descriptor that tells how the start went */
    int start_fd;
    struct command *next;
};

enum { SUPERVISOR_SIGNALS = 8 };

struct supervisor {
    struct command *commands; /* that run */
    uv_signal_t child_signal, continue_signal;
    uv_signal_t signals[SUPERVISOR_SIGNALS];
    uv_timer_t grace;
    bool is_shutting_down;
};

/* Becomes the reaper and catches signals. */
int supervisor_init(struct daemon *profd);
void supervisor_close(struct daemon *profd);

/* Runs profd's own command (--). 0, or a negative errno that was logged. */
int supervisor_run_main(struct daemon *profd, char **arguments);

/* Runs a client's command; the client gets the reply when it runs or can't, and later its end. */
void supervisor_launch(struct daemon *profd, struct client *client,
                       const struct message_client_launch *message);

/* Sends SIGNAL_NUMBER to the groups of CLIENT's commands. -ESRCH when it has none. */
int supervisor_signal(struct daemon *profd, struct client *client, int signal_number);

void supervisor_note_client_gone(struct daemon *profd, struct client *client);

/* Ends all commands (SIGTERM, then SIGKILL), then profd. */
void supervisor_shut_down(struct daemon *profd);

#endif
