/* What the files of the registry share.
 *
 * thread_registry.c has the slots and the lock, and knows neither of the others.
 * thread_registry_names.c knows what a session records of each thread. thread_registry_lives.c
 * begins and ends registrations, and knows both. */
#ifndef PROFD_AGENT_THREAD_REGISTRY_INSIDE_H
#define PROFD_AGENT_THREAD_REGISTRY_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"

/* --- Slots: thread_registry.c --- */

/* Makes the calling process the one that the registry is for. */
void thread_registry_begin_process(void);
/* Returns the id of that process; the C library would ask the kernel each time. */
struct profd_process_id thread_registry_process(void);

/* Returns a free slot, cleared; NULL if there are too many or there is no memory. */
struct thread_registration *thread_registry_take_slot(struct registry_access access);

/* Gives back the slot of a thread that has ended. It is freed unless a sampler may be looking at
 * it. */
void thread_registry_give_back_slot(struct registry_access access,
                                    struct thread_registration *ended);

/* Returns a number that is above all slots in use. */
uint32_t thread_registry_slots(struct registry_access access);

/* Returns an index that no thread of this process has had. */
uint32_t thread_registry_next_index(struct registry_access access);

/* Returns whether the calling thread must not wait for the lock: it is in fork(), between its
 * handlers, and has the lock; or the process is a copy that nobody follows, where a thread of the
 * parent may have locked it for good. */
bool thread_registry_is_barred(void);

/* Resets the registry in a forked child: no thread but SELF (NULL: none), no sampler, indices from
 * 0. The lock has been held since before the fork. */
struct registry_access thread_registry_keep_only(const struct thread_registration *self);
void thread_registry_reset_lock(struct registry_access access);

/* --- Names: thread_registry_names.c --- */

/* Copies NAME, and decides by it what is recorded of THREAD. */
void thread_registry_set_name(struct registry_access access, struct thread_registration *thread,
                              const char *name);

/* Writes THREAD into the dictionary. Returns 0, or -ENOSPC (counted there). */
int thread_registry_describe_thread(struct registry_access access,
                                    struct thread_registration *thread);

/* Called in a forked child, which has no session yet. */
void thread_registry_forget_profiled(struct registry_access access);

#endif
