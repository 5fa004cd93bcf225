/* The commands that profd runs, and everything below them.
 *
 * Each command is a process group of its own, with the environment that its agents need. profd is
 * the subreaper of all its descendants: an orphaned grandchild becomes its child. Signals sent to
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
struct message_command_exited;
struct process_remains;
struct program;

struct supervisor_events {
    /* COMMAND is running, or could not be run: then TEXT says why, and its failure is set. */
    void (*on_started)(const struct command *command, const char *text, void *context);
    /* PID, a command or any other process, was reaped; REMAINS were read before that. Unless it is
     * a worker of another part, supervisor_note_reaped() must be called. */
    void (*on_reaped)(pid_t pid, int wait_status, const struct process_remains *remains,
                      void *context);
    /* COMMAND, which was running, has ended as MESSAGE says. */
    void (*on_exited)(const struct command *command, const struct message_command_exited *message,
                      void *context);
    /* A command has been removed from the list: that of PROGRAM (NULL: of none) or, if IS_MAIN, the
     * one whose EXIT_STATUS becomes profd's. */
    void (*on_ended)(struct program *program, bool is_main, int exit_status, void *context);
    /* profd was sent a signal that may be meant for its command. */
    void (*on_signal)(int signal_number, void *context);
    /* Everything is to end: stop the programs by their own settings; and: have they ended? */
    void (*on_shut_down)(void *context);
    bool (*have_programs_ended)(void *context);
    /* Everything has ended. */
    void (*on_over)(void *context);
};

enum {
    /* How long a server may take to finish its requests before SIGKILL. */
    SHUT_DOWN_GRACE_MS = 5000,
};

enum { SUPERVISOR_SIGNALS = 8 };

struct supervisor {
    uv_loop_t *loop;
    const struct supervisor_events *events;
    void *context;
    struct command *commands; /* those that are running */
    uv_signal_t child_signal, continue_signal;
    uv_signal_t signals[SUPERVISOR_SIGNALS];
    uv_timer_t grace;
    bool is_shutting_down;
    bool is_grace_over;
};

/* Becomes the subreaper and catches signals. *SUPERVISOR is zeroed before. Returns 0 or a negative
 * errno; supervisor_close() is needed either way. */
int supervisor_init(struct supervisor *supervisor, uv_loop_t *loop,
                    const struct supervisor_events *events, void *context);
void supervisor_close(struct supervisor *supervisor);

/* Sends SIGNAL_NUMBER to all commands except those of programs. */
void supervisor_pass_on(const struct supervisor *supervisor, int signal_number);

/* Sends SIGNAL_NUMBER to the process groups of CLIENT's commands. Returns 0, or -ESRCH if it has
 * none. */
int supervisor_signal(const struct supervisor *supervisor, const struct client *client,
                      int signal_number);

/* PID was reaped. The first tells whether it ever was a process of the session: a command that
 * could not be run was not. The second ends its command, if it was one. */
bool supervisor_has_run(const struct supervisor *supervisor, pid_t pid);
void supervisor_note_reaped(struct supervisor *supervisor, pid_t pid, int wait_status);

void supervisor_note_client_gone(struct supervisor *supervisor, const struct client *client);

/* Ends all commands (SIGTERM, then SIGKILL) and programs (by their settings); then on_over comes.
 * Safe to repeat. */
void supervisor_shut_down(struct supervisor *supervisor);

/* A program is over for good. */
void supervisor_note_programs(struct supervisor *supervisor);

#endif
