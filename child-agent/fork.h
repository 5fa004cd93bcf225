/* fork, in three steps side by side: what is held, what is let go, what is made anew.
 *
 * The child becomes a process of its own at once: new arena, new connection, and the session that
 * its parent had. vfork and posix_spawn run no such steps and need none: their child borrows this
 * process until it execs. */
#ifndef PROFD_AGENT_FORK_H
#define PROFD_AGENT_FORK_H

#include "child-agent/agent_address.h"

/* Registers the three steps; from the constructor. Children say hello at ADDRESS (copied; with an
 * empty path nowhere). 0 or -errno. */
int fork_follow(const struct agent_address *address);

#endif
