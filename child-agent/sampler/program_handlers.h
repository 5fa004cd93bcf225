/* The program's handlers of signals that cannot be the agent's.
 *
 * A sample that falls due while such a handler runs, or just when it returns, may be taken where it
 * has returned to, possibly a system call that it interrupted. That call must then fail with EINTR
 * and must not be made again. So the kernel gets a handler of the agent in place of the program's,
 * which calls that and marks the call (interrupted_call.h). Each handler of the program has one of
 * its own for ever: whoever reads it from the kernel and calls it, or sets it again, for whatever
 * signal, gets what he means.
 *
 * Handlers of signals that a thread causes itself, such as SIGSEGV, are not called by ours.
 * Handlers that were set before the agent began, by constructors, or past the C library, are left
 * alone, and so are further ones when a program has very many.
 *
 * Any thread; async-signal-safe. Makes no system call. */
#ifndef PROFD_AGENT_PROGRAM_HANDLERS_H
#define PROFD_AGENT_PROGRAM_HANDLERS_H

#include <signal.h>

enum { PROGRAM_HANDLERS_MOST = 256 };

/* Returns what the kernel is to have for HANDLER of NUMBER, which may want more arguments: one of
 * the agent's that calls it, or HANDLER itself. */
__sighandler_t program_handler_to_install(int number, __sighandler_t handler);

/* Returns the context that a sample taken at CONTEXT is of (both ucontext_t): where handlers of
 * the program were called at the same moment and have not begun, what they interrupted. */
void *program_handler_sampled_context(void *context);

/* Returns the program's handler for what the kernel has as INSTALLED. */
__sighandler_t program_handler_of(__sighandler_t installed);

#endif
