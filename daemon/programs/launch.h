/* From a request or profd's own command line to a command that runs with an agent. Loop thread. */
#ifndef PROFD_DAEMON_LAUNCH_H
#define PROFD_DAEMON_LAUNCH_H

#include "daemon/programs/config.h"
#include "ipc/messages.h"

struct client;
struct command;
struct daemon;

/* Runs profd's own command (--). 0, or a negative errno that was logged. */
int launch_main(struct daemon *profd, char **arguments);

/* Runs a program of the config; *OUT is the supervisor's. Errors as launch_main(). */
int launch_program(struct daemon *profd, const struct program_config *config, struct command **out);

/* Runs a client's command; the client gets the reply when it runs or cannot, and later its end. */
void launch_for_client(struct daemon *profd, struct client *client,
                       const struct message_client_launch *message);

#endif
