/* A line to profd for processes that cannot see its socket any more.
 *
 * A process that goes to another root directory, as Chromium's zygote does, keeps a connection from
 * before. It is inherited by the children that it forks, and each of them passes one end of a new
 * pair of sockets to profd by it: to profd that is a connection like those that it accepts, with
 * the child at the other end.
 *
 * The line is closed by exec, and before a filter of system calls is set: who confines itself keeps
 * no way out of ours. One thread at a time. */
#ifndef PROFD_AGENT_AGENT_LINE_H
#define PROFD_AGENT_AGENT_LINE_H

#include "child-agent/agent_address.h"

/* Opens the line to the profd at ADDRESS, unless there is one. 0, or -errno as
 * agent_address_connect(); -EOPNOTSUPP for a profd that knows no lines. */
int agent_line_open(const struct agent_address *address);

/* A connection to profd by the line, out of the way of the program's descriptors; non-blocking and
 * close-on-exec. Negative: -ENOTCONN without a line, or another errno. */
int agent_line_connect(void);

/* Safe to repeat. */
void agent_line_close(void);

#endif
