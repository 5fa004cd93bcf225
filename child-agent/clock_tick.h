/* A tick of a thread's clock, and all that goes with it in a process without a thread of ours. */
#ifndef PROFD_AGENT_CLOCK_TICK_H
#define PROFD_AGENT_CLOCK_TICK_H

#include <signal.h>

/* In the handler of the calling thread's clock, with INFO and CONTEXT of the signal: a sample if
 * there is a session that wants one, and else what brings the process to one. */
void clock_tick_take(const siginfo_t *info, void *context);

#endif
