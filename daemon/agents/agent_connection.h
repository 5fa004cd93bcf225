/* Handles the messages that an agent sends after its hello, and passes them on. The owner of the
 * connection is its child. */
#ifndef PROFD_DAEMON_AGENT_CONNECTION_H
#define PROFD_DAEMON_AGENT_CONNECTION_H

#include "ipc/connection.h"

extern const struct connection_events agent_connection_events;

#endif
