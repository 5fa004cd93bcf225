/* Following fork, in three steps: hold, let go, and recreate.
 *
 * The child becomes a process of its own at once, with a new arena, a new connection, and its
 * parent's session. vfork and posix_spawn run no such steps and need none, since their child
 * borrows this process until it execs. clone() and _Fork() run nobody's handlers; there the
 * interposed calls carry out the agent's steps.
 *
 * The program's own handlers may do anything, including waiting for threads. So the agent holds its
 * locks only while no handler runs: its first step is the last one before the fork, and it lets go
 * first thing after the fork. It recreates its state where the constructor put that step: after the
 * handlers of allocators, since threads need memory. */
#ifndef PROFD_AGENT_FORK_H
#define PROFD_AGENT_FORK_H

#include <stdbool.h>

#include "child-agent/agent_address.h"

/* Registers the steps that hold and let go. They do nothing before the constructor has run. The
 * earlier this is called, the fewer handlers run while locks are held; it should come before the
 * program registers its first handler. Any thread; one call is enough. Returns 0 or -errno. */
int fork_be_first(void);

/* Registers all steps. Called by the constructor. Children say hello at ADDRESS (copied; with an
 * empty path, nowhere). Returns 0 or -errno. */
int fork_follow(const struct agent_address *address);

/* Called before the program copies its process without fork(), by clone() or _Fork(). Holds what
 * fork() would hold. Returns true if the copy will be followed; one of the two functions below must
 * then be called. Returns false if it cannot be followed, so that the copy is made as if there were
 * no agent: another thread may hold locks that nobody would release in the child, which may need an
 * agent thread. */
bool fork_copy_begin(void);
void fork_copy_end_in_parent(void);

/* Makes the child a process of its own, as after fork(). Needs as much stack as is usual. */
void fork_copy_end_in_child(void);

/* Called when the process, or one that shares its root directory, is about to go where profd's
 * socket cannot be seen. Wakes the process if it is dormant, and keeps a line to profd
 * (agent_line.h) for its children. Preserves errno. */
void fork_prepare_for_other_root(void);

#endif
