/* What the files of the sampling signal share: the kernel's state (sampling_signal.c) and the
 * handler (sampling_signal_handler.c). Included by nothing else. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H
#define PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"

extern struct program_signal program_signals[NSIG];

/* The process that the handler is for, as opposed to its children that share its memory. */
pid_t sampling_signal_owner(void);

/* The agent's handler, for all signals for which it is installed. */
void sampling_signal_handle(int number, siginfo_t *info, void *context);

/* Returns whether the program's handler with ACTION may run where ours does not fit as well. */
bool sampling_signal_lacks_room(const struct sigaction *action);

/* Called when the program's handler of NUMBER was to run only once. Only in handlers: the lock of
 * actions is then held by another thread, if at all. */
void sampling_signal_reset_action(int number);

#endif
