/* Handlers of the program that block the sampling signal while they run.
 *
 * A sample that falls due meanwhile is taken when such a handler has returned: to a call that it
 * cut short, perhaps, which is to fail with EINTR then and not to be made again
 * (snapshot_restart_system_call()). So the program's handler is called by one of ours, which leaves
 * word of where it returned to. Signals that a thread brings upon itself are left alone, and so is
 * what is installed past the C library.
 *
 * As safe in signal handlers as sigaction(). */
#ifndef PROFD_AGENT_MASKING_HANDLERS_H
#define PROFD_AGENT_MASKING_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* sigaction() as the program sees it, for a signal that cannot be ours. 0, or -1 and errno. */
int masking_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action);

/* Whether the program's handler of NUMBER is called by ours. */
bool masking_handlers_have(int number);

/* Whether one has just returned to where CONTEXT is, in the calling thread, which is registered,
 * and the sampling signal that it blocked came before anything else ran there. In a handler of that
 * signal, which has CONTEXT. True once for each return. */
bool masking_handlers_returned_to(const ucontext_t *context);

/* In a forked child. */
void masking_handlers_after_fork_child(void);

#endif
