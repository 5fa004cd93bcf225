/* What sigaction() has in common with the other functions by which programs set handlers.
 *
 * Any thread; async-signal-safe. */
#ifndef PROFD_AGENT_INTERPOSE_SIGNALS_H
#define PROFD_AGENT_INTERPOSE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Returns whether what this process does with NUMBER is for sampling_signal_program_action(). */
bool interpose_signals_are_ours(int number);

/* Called before the program sets ACTION, while the agent is enabled. */
void interpose_signals_prepare(int number, const struct sigaction *action);

/* Makes ACTION, which the kernel has for NUMBER, the one that the program set. */
void interpose_signals_show(int number, struct sigaction *action);

#endif
