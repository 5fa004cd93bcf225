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
#include <sys/types.h>
#include <uv.h>

struct client;
struct command;
struct daemon;

enum {
    /* What a server needs to finish its requests, before SIGKILL. */
    SHUT_DOWN_GRACE_MS = 5000,
};

enum { SUPERVISOR_SIGNALS = 8 };

struct supervisor {
    struct command *commands; /* that run */
    uv_signal_t child_signal, continue_signal;
    uv_signal_t signals[SUPERVISOR_SIGNALS];
    uv_timer_t grace;
    bool is_shutting_down;
    bool is_grace_over;
};

/* Becomes the reaper and catches signals. */
int supervisor_init(struct daemon *profd);
void supervisor_close(struct daemon *profd);

/* Sends SIGNAL_NUMBER to the groups of CLIENT's commands. -ESRCH when it has none. */
int supervisor_signal(struct daemon *profd, struct client *client, int signal_number);

/* PID was reaped. Whether it ever was a process of the session, unlike a command that could not
 * run; then its command is over, if it was one. */
bool supervisor_has_run(struct daemon *profd, pid_t pid);
void supervisor_note_reaped(struct daemon *profd, pid_t pid, int wait_status);

void supervisor_note_client_gone(struct daemon *profd, struct client *client);

/* Ends all commands (SIGTERM, then SIGKILL) and programs (as they want it), then profd. */
void supervisor_shut_down(struct daemon *profd);

/* A program is over for good. */
void supervisor_note_programs(struct daemon *profd);

#endif
