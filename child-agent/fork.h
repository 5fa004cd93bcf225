/* fork, in three steps side by side: what is held, what is let go, what is made anew.
 *
 * The child becomes a process of its own at once: new arena, new connection, and the session that
 * its parent had. vfork and posix_spawn run no such steps and need none: their child borrows this
 * process until it execs.
 *
 * Handlers of the program may do there what they like, also wait for threads. So the agent holds
 * its locks only while no handler runs: its first step is the last one before the fork, and letting
 * go is the first thing after it. Making anew comes where the constructor put it: after the
 * handlers of allocators, since threads need memory. */
#ifndef PROFD_AGENT_FORK_H
#define PROFD_AGENT_FORK_H

#include "child-agent/agent_address.h"

/* Registers the steps that hold and let go, which do nothing before the constructor has run. The
 * earlier, the fewer handlers run while locks are held: before the first handler of the program is
 * registered if that can be had. Any thread; once is enough. 0 or -errno. */
int fork_be_first(void);

/* Registers all steps; from the constructor. Children say hello at ADDRESS (copied; with an
 * empty path nowhere). 0 or -errno. */
int fork_follow(const struct agent_address *address);

#endif
