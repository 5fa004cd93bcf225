/* Dormancy: the state of a process that has had nothing to record so far.
 *
 * Most processes of a build or a shell script end before their clock ticks once. Such a process
 * reports itself to the census ring and arms the clock of its only thread; it has neither arena nor
 * session. It is woken by its first tick, the first thing that the program records, its second
 * thread, and anything that would put profd out of its reach. It then creates its arena and says
 * hello, dated back to its beginning. A process that ends while dormant is in the capture with its
 * name, its CPU time and how it ended.
 *
 *     awake ──begin──▶ dormant ──tick, record, thread …──▶ unheard ──hello, thread──▶ awake
 *                        │ ▲
 *             session over ▼ │ the next one (child-agent/resting.h)
 *                      forsaken ──thread──▶ awake
 *
 * A process is unheard if its hello could not be sent because profd is stopped or busy. It tries
 * again at each tick and before its end. Dormancy is used only with a profd that leaves processes
 * alone (child-agent/agent_presence.h). Called by the only thread and its signal handlers. */
#ifndef PROFD_AGENT_DORMANCY_H
#define PROFD_AGENT_DORMANCY_H

#include <signal.h>
#include <stdbool.h>

#include "child-agent/agent_address.h"
#include "child-agent/core.h"
#include "child-agent/session_settings.h"

/* Makes the process dormant, for a session with SETTINGS (NULL: those of the parent, in a forked
 * child) of the profd at ADDRESS. Returns false if that is not possible or not allowed; the process
 * must then start at once. Called from the constructor and in a forked child. */
bool dormancy_begin(const struct session_settings *settings, const struct agent_address *address);

/* Wakes the process if it is dormant and its session is still active. If that is not possible, in a
 * handler that interrupted the agent itself, the next tick does it. Creates no thread. */
void dormancy_wake(void);

/* Returns whether a tick of the thread's clock has something to do here. */
static inline bool dormancy_needs_tick(void)
{
    return core_local.is_dormant || core_local.is_unheard;
}

/* Called in the handler of the thread's clock, with the INFO of its signal. Wakes the process, or
 * tries again to say hello. Returns whether a sample may be taken. */
bool dormancy_tick(const siginfo_t *info);

/* Called when the process is about to end or to run another program. Reads its title for the last
 * time, and tries once more to say hello for what it has recorded. */
void dormancy_prepare_leaving(void);

/* Called when the process is about to end: dormancy_prepare_leaving(), and a dormant process whose
 * end may not be reported says what it has used. Async-signal-safe. */
void dormancy_prepare_end(void);

/* Called before the process creates its second thread. Returns true if this has started an agent
 * thread. */
bool dormancy_leave(void);

/* Called first in a forked child. */
void dormancy_after_fork_child(void);

#endif
