/* profd_threads.h: what threads can report about themselves, and query. Part of profd.h.
 *
 * All functions may be called from any thread at any time, and cost a few nanoseconds unless they
 * say otherwise. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_THREADS_H
#define PROFD_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- Threads, and what is recorded of them --- */

/* The kernel's id of a thread, or of a process: two types, so that one is not taken for the other.
 */
struct profd_thread_id {
    int32_t number;
};
struct profd_process_id {
    int32_t number;
};

/* What is recorded of a thread; bits. */
enum profd_thread_features {
    PROFD_THREAD_CPU = 1,      /* CPU use with each sample */
    PROFD_THREAD_SAMPLING = 2, /* stacks */
    PROFD_THREAD_MARKERS = 4,
    PROFD_THREAD_ALLOCATIONS = 8, /* some of them, with stacks */
    PROFD_THREAD_ANY = 15
};

#ifndef PROFD_DISABLED

struct profd_thread_id profd_current_thread_id(void);   /* a system call for unregistered threads */
struct profd_process_id profd_current_process_id(void); /* a system call */

/* --- Sleeping --- */

/* The calling thread is about to wait and will do nothing worth a sample until profd_thread_wake().
 * With `--clock wall`, it is sampled once where it waits; after that, its samples only say "same as
 * before", and CPU time that it uses all the same is charged to its first sample afterwards. The
 * thread's own clock samples it wherever it uses CPU time, whatever it reported. Pairs may be
 * nested; a wake without a sleep does nothing. Both do nothing for a thread that is not registered.
 * Safe in signal handlers. */
void profd_thread_sleep(void);
void profd_thread_wake(void);

/* Asleep from here to the end of the enclosing scope, however it is left. */
#define PROFD_THREAD_SLEEP_SCOPE() PROFD_THREAD_SLEEP_SCOPE_(__COUNTER__)
#define PROFD_THREAD_SLEEP_SCOPE_(ID)                                                              \
    __attribute__((cleanup(profd_thread_sleep_scope_end_), unused)) char PROFD_CONCAT_(            \
        profd_sleep_, ID) = profd_thread_sleep_scope_begin_()

/* --- State --- */

/* Whether there is a session, paused or not, and the calling thread is registered. */
bool profd_is_active_and_thread_is_registered(void);

/* Whether a session records at least one of FEATURES of the calling thread: it is registered and
 * passes the session's filters. A pause does not count. */
bool profd_thread_is_being_profiled(uint32_t features);
/* Like profd_thread_is_being_profiled(), for any thread of this process, which is looked up in the
 * registry under a lock. False if there is no such thread. Not in signal handlers. */
bool profd_thread_with_id_is_being_profiled(struct profd_thread_id thread, uint32_t features);

/* Whether the calling thread has said that it sleeps. */
bool profd_thread_is_sleeping(void);

/* --- Details of the macros --- */

static inline char profd_thread_sleep_scope_begin_(void)
{
    profd_thread_sleep();
    return 0;
}

static inline void profd_thread_sleep_scope_end_(char *unused)
{
    (void)unused;
    profd_thread_wake();
}

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
