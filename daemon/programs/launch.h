/* From a request or profd's own command line to a command that runs with an agent. Loop thread. */
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

/* What commands and their agents are told; all borrowed. */
struct launch {
    struct supervisor *supervisor; /* that runs them */
    const struct install_paths *paths;
    const char *socket_path;
    const struct session *session;
};

/* Runs profd's own command (--). 0, or a negative errno that was logged. */
int launch_main(const struct launch *launch, char **arguments);

/* Runs a program of the config; *OUT is the supervisor's. Errors as launch_main(). */
int launch_program(const struct launch *launch, const struct program_config *config,
                   struct command **out);

/* Runs a command of CLIENT, as MESSAGE says; the supervisor tells when it runs or cannot, and later
 * its end. A negative errno with one line in TEXT: nothing is told of it. */
int launch_for_client(const struct launch *launch, struct client *client,
                      const struct message_client_launch *message, char text[COMMAND_TEXT_BYTES]);

#endif
