/* fork, in three steps side by side: what is held, what is let go, what is made anew.
 *
 * The child becomes a process of its own at once: new arena, new connection, and the session that
 * its parent had. vfork and posix_spawn run no such steps and need none: their child borrows this
 * process until it execs. clone() and _Fork() run no handlers of anybody; there the interposed
 * calls take the agent's steps.
 *
 * Handlers of the program may do there what they like, also wait for threads. So the agent holds
 * its locks only while no handler runs: its first step is the last one before the fork, and letting
 * go is the first thing after it. Making anew comes where the constructor put it: after the
 * handlers of allocators, since threads need memory. */
#ifndef PROFD_AGENT_FORK_H
#define PROFD_AGENT_FORK_H

#include <stdbool.h>

#include "child-agent/agent_address.h"

/* Registers the steps that hold and let go, which do nothing before the constructor has run. The
 * earlier, the fewer handlers run while locks are held: before the first handler of the program is
 * registered if that can be had. Any thread; once is enough. 0 or -errno. */
int fork_be_first(void);

/* Registers all steps; from the constructor. Children say hello at ADDRESS (copied; with an
 * empty path nowhere). 0 or -errno. */
int fork_follow(const struct agent_address *address);

/* Before the program makes a copy of its process past fork(), by clone() or _Fork(): holds what
 * fork() would hold. False when the copy cannot be followed and is made as if there were no agent:
 * another thread may have locks that nobody would open in the child, which may need a thread of
 * ours. One of the two calls below comes next if it is true. */
bool fork_copy_begin(void);
void fork_copy_end_in_parent(void);

/* The child is a process of its own when this comes back, as after fork(). It takes a usual
 * stack's room. */
void fork_copy_end_in_child(void);

/* The process, or one that shares its root directory, is about to go where profd's socket cannot be
 * seen: it wakes if it is dormant, and keeps a line to profd (agent_line.h) for its children. errno
 * stays. */
void fork_prepare_for_other_root(void);

#endif
