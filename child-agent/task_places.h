/* Places for tasks: how many threads and processes there may be is limited, by RLIMIT_NPROC or a
 * cgroup, and the agent's threads count as well. They give way to the program's. */
#ifndef PROFD_AGENT_TASK_PLACES_H
#define PROFD_AGENT_TASK_PLACES_H

#include <stdbool.h>

/* Called when there was no place (EAGAIN) for a thread or a process of the program. Ends the
 * agent's threads, so that the program can try again. Returns false if that would change nothing:
 * there are none, or they have ended for nothing a moment ago. Any thread but the agent's; not in
 * signal handlers. Preserves errno. */
bool task_places_leave(void);

/* Called after task_places_leave(), when the program has tried again; HAS_PLACE: with success.
 * Brings the agent's threads back if there are places, or else later, when the program makes a
 * thread. Not in a forked child. Preserves errno. */
void task_places_return(bool has_place);

/* Returns what MAKE(ARGUMENT) does, which makes a thread or a process for the program: 0 or an
 * errno number. If there is no place for it, tries again in the agent's place, or in that of a
 * thread of the program which has just ended: the kernel counts those a little longer where they
 * are sampled. As task_places_leave(). */
int task_places_make(int (*make)(void *argument), void *argument);

#endif
