/* The agent's own threads in the program's process. */
#ifndef PROFD_AGENT_OWN_THREAD_H
#define PROFD_AGENT_OWN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profd_threads.h"

/* Creates an agent thread: with all signals blocked, a small stack, and not registered. Returns 0
 * or -errno. Any thread. */
int own_thread_create(pthread_t *thread, void *(*start_routine)(void *), void *argument);

/* Returns whether THREAD is an agent thread that has not ended. Any thread. */
bool own_thread_is(struct profd_thread_id thread);

/* At most so many are told apart: there are four kinds of agent threads, of which one may be
 * ending while its successor begins. */
enum { OWN_THREADS_MOST = 8 };

/* Returns how many agent threads have begun and not ended, with the kernel's ids of them. Any
 * thread. */
size_t own_thread_list(int32_t ids[OWN_THREADS_MOST]);

/* Called in a forked child before it creates agent threads. */
void own_thread_forget_all(void);

/* Names the calling agent thread, by a system call: pthread_setname_np would go through /proc for
 * another thread, and what a process touched there makes its exit more expensive. The name is cut
 * at 15 bytes. */
void own_thread_set_name(const char *name);

/* Gives the calling agent thread a descriptor table of its own, which is empty except for the
 * agent's two descriptors if KEEPS_OURS. So what the thread opens never takes a number that the
 * program expects, and what the program closes stays open here. Root and working directory become
 * the thread's own, too. If the kernel refuses (seccomp), the thread continues with the program's
 * table. Returns whether it has one of its own. */
bool own_thread_leave_descriptors(bool keeps_ours);

/* Like own_thread_leave_descriptors(), but also keeps the program's FD, which stays open here
 * whatever the program does. */
bool own_thread_leave_descriptors_but(int fd);

#endif
