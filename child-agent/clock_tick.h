/* A tick of a thread's clock, and everything that it does in a process without an agent thread. */
#ifndef PROFD_AGENT_CLOCK_TICK_H
#define PROFD_AGENT_CLOCK_TICK_H

#include <signal.h>

/* Handles a tick of the calling thread's clock, in its signal handler, with the INFO and CONTEXT of
 * the signal. Takes a sample if a session wants one; otherwise does what brings the process into a
 * session. */
void clock_tick_take(const siginfo_t *info, void *context);

#endif
