/* Dormancy: a process that has nothing to record so far.
 *
 * Most processes of a build or a shell script end before a clock ticks once. Such a one tells the
 * census ring that it is there, arms the clock of its only thread, and has neither arena nor
 * session. The first tick wakes it, or the first thing that the program records, its second thread,
 * and whatever would put profd out of its reach: it then makes its arena and says hello, as of its
 * beginning. What ends dormant is in the capture with its name, its CPU time and how it ended.
 *
 *     awake ──begin──▶ dormant ──tick, record, thread …──▶ unheard ──hello, thread──▶ awake
 *                        │ ▲
 *             session over ▼ │ the next one (child-agent/resting.h)
 *                      forsaken ──thread──▶ awake
 *
 * Unheard is a process whose hello could not be sent, since profd is stopped or busy: it tries
 * again at each tick and before its end. Only under a profd that leaves processes alone
 * (child-agent/agent_presence.h). One thread, and its signal handlers. */
#ifndef PROFD_AGENT_DORMANCY_H
#define PROFD_AGENT_DORMANCY_H

#include <signal.h>
#include <stdbool.h>

#include "child-agent/agent_address.h"
#include "child-agent/core.h"
#include "child-agent/session_settings.h"

/* Makes the process dormant, for a session with SETTINGS (NULL: the parent's, in a forked child) of
 * the profd at ADDRESS. False when it cannot be, or must not: then it is to start at once. From the
 * constructor and in a forked child. */
bool dormancy_begin(const struct session_settings *settings, const struct agent_address *address);

/* Wakes the process if it is dormant and its session is still on. Where it cannot be done, in a
 * handler that interrupted the agent itself, the next tick makes up for it. No thread is made. */
void dormancy_wake(void);

/* A tick of the thread's clock has something to do here. */
static inline bool dormancy_needs_tick(void)
{
    return core_local.is_dormant || core_local.is_unheard;
}

/* In the handler, with the signal of the thread's clock: wakes the process, or tries again to be
 * heard. Whether a sample may be taken. */
bool dormancy_tick(const siginfo_t *info);

/* The process is about to end, or to become another program: its title is looked at for the last
 * time, and what it recorded is worth one more try. */
void dormancy_prepare_leaving(void);

/* Before the process gets a second thread. True when it has got a thread of ours by this. */
bool dormancy_leave(void);

/* In a forked child, first. */
void dormancy_after_fork_child(void);

#endif
