/* One command that profd runs: its start, which is reported to the client that asked for it, and
 * its end.
 *
 * It is a process group of its own, and on the supervisor's list from its start until it is
 * forgotten. Loop thread. */
#ifndef PROFD_DAEMON_COMMAND_H
#define PROFD_DAEMON_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "ipc/messages.h"

struct client;
struct program;
struct supervisor;

enum {
    COMMAND_NAME_BYTES = 128,
    COMMAND_EXECUTABLE_BYTES = 1024,
    COMMAND_TEXT_BYTES = 512, /* of the message about one that cannot run */
};

struct command {
    struct supervisor *supervisor;
    pid_t pid; /* and process group */
    char name[COMMAND_NAME_BYTES];
    struct client *launcher; /* NULL: profd itself, or disconnected */
    uint64_t request_id;
    struct program *program; /* of the config; NULL: none */
    bool is_main;            /* its exit status becomes profd's */
    bool is_starting;        /* it is not known yet whether it runs */
    int failure;             /* the negative errno that kept it from running; or 0 */
    char executable[COMMAND_EXECUTABLE_BYTES]; /* "": not known */
    uint64_t start_ns;                         /* just before it was started */
    enum recording_obstacle obstacle;          /* why it will probably not be profiled */
    int terminal_fd;                           /* the terminal that it was given; -1: none */
    uv_poll_t start;                           /* of start_fd, which tells how the start went */
    int start_fd;
    struct command *next;
};

/* Makes a command for the command line that begins with NAME, with the terminal if it is ours.
 * NULL: out of memory. */
struct command *command_make(struct supervisor *supervisor, const char *name);

/* Starts COMMAND (taken over on every path). Returns 0: then the supervisor's event and the log
 * tell later whether it runs; or a negative errno. */
int command_start(struct command *command, char **arguments, char **environment,
                  const char *directory);

/* Checks whether the start is over, and if so reports it, once. */
void command_settle_start(struct command *command);

/* Reports that it ended, unless it never ran. */
void command_tell_exit(const struct command *command, int wait_status);

/* The exit status of profd for its own command that ended with WAIT_STATUS. */
int command_exit_status(const struct command *command, int wait_status);

/* Removes COMMAND from the list; the loop frees it. */
void command_forget(struct command *command);

#endif
