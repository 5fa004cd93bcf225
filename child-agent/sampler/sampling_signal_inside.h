/* What the files of the sampling signal share: what is in the kernel (sampling_signal.c), and the
 * handler (sampling_signal_handler.c). Nobody else includes it. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H
#define PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H

#include <signal.h>
#include <sys/types.h>

#include "child-agent/sampler/program_signal.h"
#include "child-agent/sampler/sampling_signal.h"

extern struct program_signal program_signals[NSIG];

/* The process that the handler is for: not its children that it shares memory with. */
pid_t sampling_signal_owner(void);

/* Ours, for all signals that it is installed for. */
void sampling_signal_handle(int number, siginfo_t *info, void *context);

/* The program's handler of NUMBER was one for a single time. In handlers: whoever holds the lock of
 * actions is another thread. */
void sampling_signal_reset_action(int number);

#endif
