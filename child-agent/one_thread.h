/* Makes the agent's threads, which a program with one thread does not know about, step aside where
 * they would show. The kernel allows some calls only to processes with one thread, and the C
 * library ends a process only when the last of all its threads ends. */
#ifndef PROFD_AGENT_ONE_THREAD_H
#define PROFD_AGENT_ONE_THREAD_H

#include <stdbool.h>

/* Returns whether at most one thread of the program is known, so that only the agent makes the
 * process multithreaded. */
bool one_thread_is_known(void);

/* Ends the agent's threads after a last sample. What was recorded is kept. Any thread but the
 * agent's. */
void one_thread_stop_agent_threads(void);

/* A joined thread leaves the kernel's list of the process a little later: whoever needs that looks
 * so often, with such a rest in between. Preserves errno. */
enum { ONE_THREAD_LOOKS = 200 };
void one_thread_rest_between_looks(void);

/* Ends the agent's threads, calls CHANGE(ARGUMENT), which changes something that the kernel keeps
 * for each thread, and starts them again, now or when there is a place. The new threads inherit the
 * change from the calling thread, as if the process had always had just one thread. Preserves the
 * errno of CHANGE and returns its result. */
int one_thread_around(int (*change)(void *argument), void *argument);

/* Makes the arena, if there is none, while the agent's threads are stopped: an agent with its own
 * table of descriptors can give profd only an arena that existed when it started. Returns 0, or an
 * error as process_arena_make(). */
int one_thread_make_arena(void);

/* Like one_thread_make_arena(), for any thread of the program; several may call it at once. Also
 * returns errors of program_call_begin(). */
int one_thread_make_shared_arena(void);

/* Ends the agent's threads for good, because they cannot exist where the process is going.
 * Recording that needs no agent thread continues. Not in signal handlers. */
void one_thread_do_without_agent_threads(void);

#endif
