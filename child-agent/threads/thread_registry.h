/* The registry: all threads that the agent knows.
 *
 * Registrations live in memory that is never unmapped, so a pointer stays readable; a slot is
 * reused only after its thread ended and the sampler let go of it. Follows ProfilerThreadRegistry.
 */
#ifndef PROFD_AGENT_THREAD_REGISTRY_H
#define PROFD_AGENT_THREAD_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"

enum { REGISTRY_MAX_THREADS = 16384 };

/* Prepares the registry; from the constructor. 0 or -errno. */
int thread_registry_initialize(void);

/* Makes a registration for a thread that is about to be created with a stack of STACK_BYTES; NULL
 * when there are too many (counted), and in handlers of fork(). Any thread. */
struct thread_registration *thread_registry_prepare(size_t stack_bytes);

/* Takes it back when the thread could not be created. */
void thread_registry_cancel(struct thread_registration *registration);

/* Makes the calling thread's prepared registration live. STACK_TOP: an address in its outermost
 * frame. */
void thread_registry_adopt(struct thread_registration *registration, void *stack_top);

/* Registers the calling thread itself. NAME NULL: the kernel's name for it. 0, -ENOMEM; -EAGAIN
 * when there are too many, and in handlers of fork(); -ESRCH once it has run its destructors. */
int thread_registry_register_current(const char *name, bool is_main);

/* Ends the calling thread's registration; nothing when it has none. */
void thread_registry_unregister_current(void);

/* Ends the registration of a thread that ended by an instruction which nobody sees, with all that
 * it still has; nothing when it is there. Any other thread that does not hold the lock. */
void thread_registry_end_silent(struct thread_registration *gone);

/* The calling thread ends by the kernel's call, which runs no destructors: ends its registration,
 * and the agent's threads where it is the last of the program. Nothing where it is not registered,
 * where a handler calls that interrupted the agent, and in children that borrow the thread. */
void thread_registry_leave_without_destructors(void);

/* Renames; the name is copied. Nothing in handlers of fork(). */
void thread_registry_rename(struct thread_registration *registration, const char *name);
/* The same for whichever thread HANDLE names, if it is registered. */
void thread_registry_rename_handle(pthread_t handle, const char *name);

/* Nobody begins, ends or is renamed until the registry is let go. */
struct registry_access thread_registry_hold(void);
void thread_registry_release(struct registry_access access);

/* Writes every live thread into the dictionary of an arena that nobody else sees yet. 0, or -ENOSPC
 * with no thread described. */
int thread_registry_describe(struct registry_access access);

/* A session records FEATURES (enum profd_thread_features; 0: it ends) of the threads that pass
 * FILTERS, as of common/thread_filters.h. */
void thread_registry_set_profiled(const char *filters, uint32_t features);

/* What is recorded of the thread with that id; 0 when it is not registered. */
uint32_t thread_registry_profiled_features(struct profd_thread_id thread);

/* Calls VISIT for each thread that is registered, under the lock. */
void thread_registry_visit_ids(void (*visit)(void *context, struct profd_thread_id thread),
                               void *context);

/* Calls VISIT for each thread that is registered, under the lock. */
void thread_registry_visit(void (*visit)(struct thread_registration *thread));

/* The same at the end of the process, which may come in a handler that interrupted the holder of
 * the lock: then no thread is visited. */
void thread_registry_try_visit(void (*visit)(struct thread_registration *thread));

/* Slots in use are below this number; the sampler walks them with thread_registry_at(). */
uint32_t thread_registry_slot_count(void);
/* How many threads of the program there are, with those about to start. */
uint32_t thread_registry_live_count(void);
struct thread_registration *thread_registry_at(uint32_t slot);

/* Sends SIGNAL_NUMBER to the thread if it is live, under the lock, so that it cannot be gone
 * meanwhile. 0; -ESRCH when it ended. */
int thread_registry_signal(struct thread_registration *registration, int signal_number);

/* Frees an ended registration: the sampler has let go of it. Without a sampler, ending frees at
 * once. */
void thread_registry_free(struct thread_registration *registration);
void thread_registry_set_sampler_running(bool is_running);

/* Whether no thread is inside a recording function. */
bool thread_registry_is_quiet(void);

/* In a signal handler: whether nobody has the registry's lock. */
bool thread_registry_is_free(void);

/* Around fork. In the child only the calling thread is left, as the main thread: from unlocking on,
 * so that threads which handlers make there are known as any others. */
void thread_registry_before_fork(void);
void thread_registry_after_fork_parent(void);
void thread_registry_unlock_in_child(void);
void thread_registry_after_fork_child(void);

#endif
