/* What the files of the sampling signal share: what is in the kernel (sampling_signal.c), and the
 * handler (sampling_signal_handler.c). Nobody else includes it. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H
#define PROFD_AGENT_SAMPLING_SIGNAL_INSIDE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "child-agent/sampler/sampling_signal.h"

/* Of a signal that has our handler in the kernel; by number. */
struct program_signal {
    _Atomic bool has_ours;
    struct sigaction action; /* what the program wants */
};

extern struct program_signal program_signals[NSIG];

/* The process that the handler is for: not its children that it shares memory with. */
pid_t sampling_signal_owner(void);

/* Ours, for all signals that it is installed for. */
void sampling_signal_handle(int number, siginfo_t *info, void *context);

static inline bool sampling_signal_has_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

#endif
