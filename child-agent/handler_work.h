/* Work of the agent in a process without a thread of ours: sessions that begin and end, and hellos.
 * The handler of the only thread's clock does it, or a call of the program, on a stack of its own:
 * the program may be on that of a coroutine.
 *
 * One thread, and its signal handlers. */
#ifndef PROFD_AGENT_HANDLER_WORK_H
#define PROFD_AGENT_HANDLER_WORK_H

#include <stdbool.h>

/* Whether the calling handler interrupted nobody who holds what such work needs. */
bool handler_work_is_possible(void);

/* Does WORK on the stack for it, which it does not do again. All signals are blocked. */
void handler_work_do(void (*work)(void));

/* Does CHANGE with all signals blocked where it is possible. errno stays. */
void handler_work_do_undisturbed(void (*change)(void));

#endif
