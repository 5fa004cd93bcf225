/* Whether a process has agent threads, and how profd learns about it.
 *
 * A process with one thread needs no agent thread: it samples itself, and profd reads its arena as
 * it reads those of dead processes. It says hello and is then alone until it creates a thread.
 * While no session is active it rests (child-agent/resting.h). */
#ifndef PROFD_AGENT_AGENT_PRESENCE_H
#define PROFD_AGENT_AGENT_PRESENCE_H

#include "child-agent/agent_address.h"

/* Says hello at ADDRESS, and starts an agent thread if one is needed. With an empty path it says
 * hello to nobody; a thread is then needed only for the session. Called from the constructor and in
 * a forked child, while the process has one thread. Returns 0, or -errno if nobody controls this
 * process. */
int agent_presence_begin(const struct agent_address *address);

/* Starts the agent threads of a process that has none, because the program is about to create its
 * second thread or asks for something that needs one. Otherwise does nothing. Not in signal
 * handlers. */
void agent_presence_ensure_thread(void);

/* Called when the agent's threads are about to end because they are in the program's way. Until
 * agent_presence_return_threads() nobody brings them back. */
void agent_presence_give_way(void);

/* Brings them back now, if there are places for them; else when the program makes a thread or
 * waits, at most once a second. */
void agent_presence_return_threads(void);

/* Makes agent_presence_ensure_thread() do nothing from now on. If another thread is inside that
 * function, waits until it is done, but about a second at most. Not in signal handlers. */
void agent_presence_forgo_threads(void);

#endif
