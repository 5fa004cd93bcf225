/* A line to profd, for processes that can no longer see its socket.
 *
 * A process that changes its root directory, as Chromium's zygote does, keeps a connection that it
 * made before. Its forked children inherit it. Each child creates a new pair of sockets and sends
 * one end to profd over the line. To profd this is a connection like those that it accepts, with
 * the child at the other end.
 *
 * The line is closed by exec, and also before a filter of system calls is set: a process that
 * confines itself must not keep a way out because of the agent. One thread at a time, unless stated
 * otherwise. */
#ifndef PROFD_AGENT_AGENT_LINE_H
#define PROFD_AGENT_AGENT_LINE_H

#include "child-agent/agent_address.h"

/* Opens the line to the profd at ADDRESS, unless it is already open. Returns 0, -errno as
 * agent_address_connect(), or -EOPNOTSUPP if profd does not know lines. */
int agent_line_open(const struct agent_address *address);

/* Makes a connection to profd over the line. Returns its descriptor, which is out of the way of the
 * program's descriptors, non-blocking and close-on-exec. Returns -ENOTCONN without a line, or
 * another negative errno. Any thread, also between vfork and exec. */
int agent_line_connect(void);

/* Makes a connection to the profd at ADDRESS, or over the line where its socket cannot be seen.
 * Returns as agent_address_connect(). Any thread, also between vfork and exec. */
int agent_line_reach_profd(const struct agent_address *address);

/* Closes the line. May be called again. */
void agent_line_close(void);

#endif
