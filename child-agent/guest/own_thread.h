/* A thread of the agent's own in the program's process. */
#ifndef PROFD_AGENT_OWN_THREAD_H
#define PROFD_AGENT_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "profd_threads.h"

/* Makes one: all signals blocked, a small stack, not registered. 0 or -errno. Any thread. */
int own_thread_create(pthread_t *thread, void *(*start_routine)(void *), void *argument);

/* Whether THREAD was made so and has not ended. Any thread. */
bool own_thread_is(struct profd_thread_id thread);

/* In a forked child, before it makes threads of its own. */
void own_thread_forget_all(void);

/* Names the calling thread, which is the agent's, by system call: pthread_setname_np from outside
 * would go through /proc, and what a process touched there makes its exit dearer. Cut at 15 bytes.
 */
void own_thread_set_name(const char *name);

/* Gives the calling thread, which is the agent's, an empty table of descriptors of its own, but for
 * the agent's two if KEEPS_OURS. So what it opens never takes a number that the program expects,
 * and what the program closes stays open here. Where the kernel refuses (seccomp), it goes on with
 * the program's table; returns whether it has one of its own. Root and working directory become its
 * own, too. */
bool own_thread_leave_descriptors(bool keeps_ours);

/* The same, but for the program's FD, which stays open here whatever the program does. */
bool own_thread_leave_descriptors_but(int fd);

#endif
