/* Runs commands with an agent, for requests and for profd's own command line. Loop thread. */
#ifndef PROFD_DAEMON_LAUNCH_H
#define PROFD_DAEMON_LAUNCH_H

#include "daemon/programs/command.h"
#include "daemon/programs/config.h"
#include "ipc/messages.h"

struct client;
struct command;
struct install_paths;
struct session;
struct supervisor;

/* What commands and their agents need; all borrowed. */
struct launch {
    struct supervisor *supervisor; /* runs them */
    const struct install_paths *paths;
    const char *socket_path;
    const struct session *session;
};

/* Runs profd's own command (--). Returns 0, or a negative errno, which has been logged. */
int launch_main(const struct launch *launch, char **arguments);

/* Runs a program of the config; the supervisor owns *OUT. Errors are those of launch_main(). */
int launch_program(const struct launch *launch, const struct program_config *config,
                   struct command **out);

/* Runs the command of MESSAGE for CLIENT. Returns 0: then the supervisor reports whether it runs,
 * and later its end; or a negative errno with one line in TEXT: then nothing is reported. */
int launch_for_client(const struct launch *launch, struct client *client,
                      const struct message_client_launch *message, char text[COMMAND_TEXT_BYTES]);

#endif
