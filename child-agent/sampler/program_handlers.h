/* The program's handlers of signals that cannot be the agent's.
 *
 * A sample that falls due while such a handler runs, or just when it returns, may be taken where it
 * has returned to, possibly a system call that it interrupted. That call must then fail with EINTR
 * and must not be made again. So a handler of the agent calls the program's handler and marks the
 * call (interrupted_call.h). Those that may run on a signal stack on which ours would not fit as
 * well also block the sampling signal.
 *
 * Handlers of signals that a thread causes itself, such as SIGSEGV, are not called by ours.
 * Handlers that were set before the agent began, by constructors, or past the C library, are left
 * alone. A child that shares memory with this process, but not its handlers, runs those that are
 * set here later in place of those that it was born with.
 *
 * As safe in signal handlers as sigaction(). */
#ifndef PROFD_AGENT_PROGRAM_HANDLERS_H
#define PROFD_AGENT_PROGRAM_HANDLERS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* sigaction() as the program sees it, for a signal that cannot be the agent's. Returns 0, or -1
 * with errno. */
int program_handlers_set(int number, const struct sigaction *action, struct sigaction *old_action);

/* signal(), or another of that kind, as the program sees it. REAL is the C library's, which decides
 * what is blocked and whether calls are made again (siginterrupt()). */
typedef __sighandler_t simple_setter(int number, __sighandler_t handler);
__sighandler_t program_handlers_set_simply(simple_setter *real, int number, __sighandler_t handler);

/* Called when a thread of the program has got a signal stack of so many BYTES. If that is small
 * (small_stacks.h), all handlers that run on signal stacks block the sampling signal from now
 * on. */
void program_handlers_note_stack(size_t bytes);

/* Called in a forked child. */
void program_handlers_after_fork_child(void);

#endif
