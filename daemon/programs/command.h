/* One command that profd runs: its start, of which the client that asked is told, and its end.
 *
 * A process group of its own. It is on the supervisor's list from its start until it is forgotten.
 * Loop thread. */
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
    COMMAND_TEXT_BYTES = 512, /* of what is said of one that cannot run */
};

struct command {
    struct supervisor *supervisor;
    pid_t pid; /* and process group */
    char name[COMMAND_NAME_BYTES];
    struct client *launcher; /* NULL: profd's own, or gone */
    uint64_t request_id;
    struct program *program;                   /* of the config; NULL: none */
    bool is_main;                              /* profd's exit status is its */
    bool is_starting;                          /* whether it runs is not known yet */
    int failure;                               /* negative errno: why it never ran; 0 */
    char executable[COMMAND_EXECUTABLE_BYTES]; /* "" when it cannot be told */
    uint64_t start_ns;                         /* it was about to be started */
    enum recording_obstacle obstacle;          /* why it won't be profiled, as it seems */
    int terminal_fd;                           /* that it was given; -1: none */
    uv_poll_t start;                           /* of the descriptor that tells how the start went */
    int start_fd;
    struct command *next;
};

/* For the command line that begins with NAME; with the terminal, when it is ours. NULL: no memory.
 */
struct command *command_make(struct supervisor *supervisor, const char *name);

/* Starts COMMAND (taken over on every path). 0: whether it runs is told later, as an event of the
 * supervisor's, and in the log. */
int command_start(struct command *command, char **arguments, char **environment,
                  const char *directory);

/* Looks whether the start is over, and tells it once. */
void command_settle_start(struct command *command);

/* Tells that it ended, unless it never ran. */
void command_tell_exit(const struct command *command, int wait_status);

/* What profd exits with when its own command ended so. */
int command_exit_status(const struct command *command, int wait_status);

/* Takes COMMAND off the list; it is freed from the loop. */
void command_forget(struct command *command);

#endif
