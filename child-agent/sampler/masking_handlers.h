/* Handlers of the program that may run on a signal stack on which the agent's would not fit as
 * well: they block the sampling signal while they run, and nobody sees that. Handlers that are
 * installed past the C library are left alone.
 *
 * As safe in signal handlers as sigaction(). */
#ifndef PROFD_AGENT_MASKING_HANDLERS_H
#define PROFD_AGENT_MASKING_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* sigaction() as the program sees it, for a signal that cannot be the agent's. Returns 0, or -1
 * with errno. */
int masking_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action);

/* Returns whether the kernel has another action for NUMBER than the program set. */
bool masking_handlers_have(int number);

/* Called when a thread of the program has got a signal stack of so many BYTES. If that is small
 * (small_stacks.h), all handlers that run on signal stacks block the sampling signal from now
 * on. */
void masking_handlers_note_stack(size_t bytes);

/* Called in a forked child. */
void masking_handlers_after_fork_child(void);

#endif
