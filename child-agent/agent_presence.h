/* Whether a process has threads of ours, and how profd gets to know it.
 *
 * A process of one thread needs none: it samples itself, and profd reads its arena as of the dead.
 * It says hello, and is then alone with itself until it makes a thread. While no session is on it
 * rests (child-agent/resting.h). */
#ifndef PROFD_AGENT_AGENT_PRESENCE_H
#define PROFD_AGENT_AGENT_PRESENCE_H

#include "child-agent/agent_address.h"

/* Says hello at ADDRESS, with a thread of ours if that is needed. With an empty path to nobody:
 * only the session may need a thread. From the constructor and in a forked child, while the process
 * has one thread. 0 or -errno: then nobody steers this process. */
int agent_presence_begin(const struct agent_address *address);

/* A process without threads of ours gets them now: the program is about to have a second thread, or
 * asks for something that takes one. Nothing when it has them. Not in signal handlers. */
void agent_presence_ensure_thread(void);

/* From here on agent_presence_ensure_thread() does nothing; what another thread is doing there has
 * been done when this comes back, or takes more than a second. Not in signal handlers. */
void agent_presence_forgo_threads(void);

#endif
