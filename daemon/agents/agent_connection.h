/* What an agent says after its hello, and who is told. Thin: the owner of the connection is its
 * child. */
#ifndef PROFD_DAEMON_AGENT_CONNECTION_H
#define PROFD_DAEMON_AGENT_CONNECTION_H

#include "ipc/connection.h"

extern const struct connection_events agent_connection_events;

#endif
