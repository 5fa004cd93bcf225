/* The sampling signal: its handler, and the program's own use of the same signal.
 *
 * The handler only copies. A signal that the sampler did not ask for belongs to the program and
 * goes to the action that the program set, which the agent keeps while its own handler is
 * installed. */
#ifndef PROFD_AGENT_SAMPLING_SIGNAL_H
#define PROFD_AGENT_SAMPLING_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* Chooses the signal; from the constructor. */
void sampling_signal_initialize(int number);

int sampling_signal_number(void);

/* Installs the handler. Idempotent; from the thread that starts a session. 0 or -errno. */
int sampling_signal_install(void);

/* In the calling thread, which is the agent's, the signal does nothing but end a wait. */
void sampling_signal_only_wakes(void);

/* A mask for a wait that the signal may end: it blocks all others. */
void sampling_signal_waking_mask(sigset_t *mask);

/* Lets the signal through on the calling thread. */
void sampling_signal_unblock(void);

/* The calling thread took the signal of INFO in its hand without its handler being run. True when
 * it was for a sample, which there is none of then. */
bool sampling_signal_withdraw_request(const siginfo_t *info);

/* Whether the program has a handler of its own for the signal. */
bool sampling_signal_is_handled_by_program(void);

/* sigaction() as the program sees it for the sampling signal: takes ACTION (may be NULL) as the
 * program's own, and tells the previous one. Returns false while the handler is not installed: the
 * program's call then goes to the kernel. */
bool sampling_signal_program_action(const struct sigaction *action, struct sigaction *old_action);

#endif
