/* Places for tasks: how many threads and processes there may be is limited, by RLIMIT_NPROC or a
 * cgroup, and the agent's threads count as well. They give way to the program's. */
#ifndef PROFD_AGENT_TASK_PLACES_H
#define PROFD_AGENT_TASK_PLACES_H

/* Returns what MAKE(ARGUMENT) does, which makes a thread or a process for the program: 0 or an
 * errno number. If there is no place for it (EAGAIN), the agent's threads end, and MAKE is called
 * again. They come back when the program makes a thread later, and there are places. Any thread but
 * the agent's; not in signal handlers. */
int task_places_make(int (*make)(void *argument), void *argument);

#endif
