/* The agent's work in a process without an agent thread: beginning and ending sessions, and saying
 * hello. The handler of the only thread's clock does it, or a call from the program. It runs on a
 * stack of its own, since the program may be on the stack of a coroutine.
 *
 * Called by the only thread and its signal handlers. */
#ifndef PROFD_AGENT_HANDLER_WORK_H
#define PROFD_AGENT_HANDLER_WORK_H

#include <stdbool.h>

/* Returns whether such work is possible: the calling handler has not interrupted code that holds
 * what the work needs. */
bool handler_work_is_possible(void);

/* Runs WORK on that stack. All signals must be blocked. WORK must not call this function again. */
void handler_work_do(void (*work)(void));

/* Runs CHANGE with all signals blocked, if that is possible. Preserves errno. */
void handler_work_do_undisturbed(void (*change)(void));

#endif
