/* The agent's own threads, which a program of one thread does not know of, make way where they
 * would show: the kernel grants some calls to processes with one thread only, and the C library
 * ends a process with the last of all its threads. */
#ifndef PROFD_AGENT_ONE_THREAD_H
#define PROFD_AGENT_ONE_THREAD_H

#include <stdbool.h>

/* Whether no more than one thread of the program is known: then only the agent makes the process
 * one of many threads. */
bool one_thread_is_known(void);

/* Ends them, after the last sample; what was recorded stays. Any thread but those. */
void one_thread_stop_agent_threads(void);

/* Ends them around CHANGE(ARGUMENT), which changes what the kernel keeps for each thread; those
 * that come after it have it from the calling thread, as if the process had always had just one.
 * Keeps errno of CHANGE and returns its result. */
int one_thread_around(int (*change)(void *argument), void *argument);

/* Makes the arena, if there is none, around them: an agent with a table of descriptors of its own
 * can only give profd an arena that was there when it began. 0, or errors as process_arena_make().
 */
int one_thread_make_arena(void);

/* The same for any thread of the program, several of which may come at once. Errors of
 * program_call_begin(), too. */
int one_thread_make_shared_arena(void);

/* Ends the agent's threads, which may not live where the process goes; what is recorded without
 * them still is. Not in signal handlers. */
void one_thread_do_without_agent_threads(void);

#endif
