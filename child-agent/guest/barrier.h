/* A memory barrier on every thread of the process at once, for which only the caller pays.
 *
 * It lets recording threads use plain loads and stores; whoever ends a session raises this barrier
 * instead. */
#ifndef PROFD_AGENT_BARRIER_H
#define PROFD_AGENT_BARRIER_H

/* Tells the kernel that this process will use the barrier. Cheap while there is one thread. */
void barrier_register(void);

/* Returns once every thread has passed a full barrier. Without kernel support it waits long enough
 * for any store buffer to drain. */
void barrier_all_threads(void);

#endif
