/* The registry: all threads that the agent knows.
 *
 * Registrations are in memory that is never unmapped, so a pointer remains readable. A slot is
 * reused only after its thread has ended and the sampler no longer needs it. Modelled on
 * ProfilerThreadRegistry. */
#ifndef PROFD_AGENT_THREAD_REGISTRY_H
#define PROFD_AGENT_THREAD_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"

enum { REGISTRY_MAX_THREADS = 16384 };

/* Prepares the registry. Called from the constructor. Returns 0 or -errno. */
int thread_registry_initialize(void);

/* Creates a registration for a thread that is about to be created with a stack of STACK_BYTES.
 * Returns NULL if there are too many (counted), and in handlers of fork(). Any thread. */
struct thread_registration *thread_registry_prepare(size_t stack_bytes);

/* Cancels the registration, because the thread could not be created. */
void thread_registry_cancel(struct thread_registration *registration);

/* Makes the calling thread's prepared registration live. STACK_TOP is where the
 * program's outermost frame will end. */
void thread_registry_adopt(struct thread_registration *registration, void *stack_top);

/* Registers the calling thread itself. If NAME is NULL, it has the kernel's name for the thread.
 * Returns 0; -ENOMEM; -EAGAIN if there are too many, and in handlers of fork(); or -ESRCH after the
 * thread has run its destructors. */
int thread_registry_register_current(const char *name, bool is_main);

/* Ends the calling thread's registration, if it has one. */
void thread_registry_unregister_current(void);

/* Ends the registration of a thread that ended by an instruction which nobody sees, with everything
 * that it still has. Does nothing if the thread exists. Any other thread that does not hold the
 * lock. */
void thread_registry_end_silent(struct thread_registration *gone);

/* Called when the calling thread ends by the system call, which runs no destructors. Ends its
 * registration, and the agent's threads if it is the program's last. Does nothing if the thread is
 * not registered, if the caller is a handler that interrupted the agent, and in children that
 * borrow the thread. */
void thread_registry_leave_without_destructors(void);

/* Renames the thread; the name is copied. Does nothing in handlers of fork(). */
void thread_registry_rename(struct thread_registration *registration, const char *name);
/* Like thread_registry_rename(), for the thread that HANDLE names, if it is registered. */
void thread_registry_rename_handle(pthread_t handle, const char *name);

/* Holds the registry: no thread is added, ended or renamed until it is released. */
struct registry_access thread_registry_hold(void);
void thread_registry_release(struct registry_access access);

/* Writes every live thread into the dictionary of an arena that nobody else sees yet. Returns 0, or
 * -ENOSPC with no thread described. */
int thread_registry_describe(struct registry_access access);

/* Makes the session record FEATURES (enum profd_thread_features; 0: the session ends) of the
 * threads that pass FILTERS (common/thread_filters.h). */
void thread_registry_set_profiled(const char *filters, uint32_t features);

/* Returns what is recorded of the thread with that id; 0 if it is not registered. */
uint32_t thread_registry_profiled_features(struct profd_thread_id thread);

/* Calls VISIT for each thread that is registered, under the lock. */
void thread_registry_visit_ids(void (*visit)(void *context, struct profd_thread_id thread),
                               void *context);

/* Calls VISIT for each thread that is registered, under the lock. */
void thread_registry_visit(void (*visit)(struct thread_registration *thread));

/* Like thread_registry_visit(), at the end of the process, which may come in a handler that
 * interrupted the holder of the lock; no thread is visited then. */
void thread_registry_try_visit(void (*visit)(struct thread_registration *thread));

/* Returns a number that is above all slots in use. The sampler walks them with
 * thread_registry_at(). */
uint32_t thread_registry_slot_count(void);
/* Returns when the last thread that has ended began to, on CLOCK_MONOTONIC; 0: none has. Any
 * thread. */
uint64_t thread_registry_last_end_ns(void);
/* Returns how many threads the program has, including those that are about to start. */
uint32_t thread_registry_live_count(void);
struct thread_registration *thread_registry_at(uint32_t slot);

/* Sends SIGNAL_NUMBER to the thread if it is live, with MARK as its value, under the lock, so that
 * it cannot end meanwhile. Returns 0, -ESRCH if it has ended, or the negative errno of a kernel
 * that refuses. */
int thread_registry_signal(struct thread_registration *registration, int signal_number, void *mark);

/* thread_registry_free() frees an ended registration that the sampler no longer needs. While no
 * sampler is running, a registration is freed as soon as its thread ends. */
void thread_registry_free(struct thread_registration *registration);
void thread_registry_set_sampler_running(bool is_running);

/* Returns whether no thread is inside a recording function. */
bool thread_registry_is_quiet(void);

/* Returns whether nobody has the registry's lock. For signal handlers. */
bool thread_registry_is_free(void);

/* Called around fork. In the child only the calling thread is left, as the main thread. That is so
 * from unlocking on, so that threads which handlers create there are registered like any others. */
void thread_registry_before_fork(void);
void thread_registry_after_fork_parent(void);
void thread_registry_unlock_in_child(void);
void thread_registry_after_fork_child(void);

#endif
