/* A thread's registration: everything that the agent knows about one thread.
 *
 * The types say who may access what. The plain fields are constant while the thread lives, or
 * atomic. The others are in structs of their own, one for each party that may access them: the
 * thread itself (including its signal handlers), the sampler, or the holder of the registry's lock,
 * which a token proves. Modelled on ThreadRegistrationData and its accessors. */
#ifndef PROFD_AGENT_THREAD_REGISTRATION_H
#define PROFD_AGENT_THREAD_REGISTRATION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "buffer/chunk_writer.h"
#include "child-agent/core.h"
#include "child-agent/sampler/thread_clock.h"
#include "child-agent/threads/allocation_pace.h"
#include "child-agent/threads/missed_frame.h"
#include "child-agent/threads/thread_sleep.h"
#include "child-agent/unwinding/snapshot.h"
#include "common/time_units.h"
#include "profd.h"

enum {
    THREAD_NAME_BYTES = 64,
    THREAD_STARTUP_NS = 100 * NS_PER_MS, /* see thread_began_with() */
};

enum registration_life {
    REGISTRATION_FREE = 0,
    REGISTRATION_STARTING = 1, /* created by the caller of pthread_create; the thread has not run
                                * yet */
    REGISTRATION_LIVE = 2,
    REGISTRATION_ENDED = 3, /* the thread is gone; the sampler frees the slot when it no longer
                             * needs it */
};

/* What pthread_create was asked to run. It belongs to the creator until the thread begins, then to
 * the thread. */
struct thread_start {
    union {
        void *(*routine)(void *);
        int (*c11_routine)(void *); /* of thrd_create */
    };
    void *argument;
};

/* Accessed through thread_own(): for the thread only. */
struct thread_own_data {
    unsigned sleep_depth; /* calls of profd_thread_sleep() without a wake */
    unsigned event_depth; /* events in progress, nested in each other */
    int signal_number;    /* the sampling signal that it is set up for; see thread_mask.h */
    int left_signal;      /* that its perf event may still send, and nobody waited for; 0: none */
    uint64_t held_open;   /* signals (bit N - 1) that the program blocks, but the kernel does not */
    uint64_t held_with;   /* what the kernel blocks meanwhile; see thread_mask.c */
    unsigned end_rounds;  /* rounds of the thread's destructors that have begun */
};

/* Accessed through thread_sampled(): for the sampler only, with its lock held. */
struct thread_sampler_data {
    uint64_t event_delay_ns; /* at the latest tick; see event_delay.h */
    uint64_t visited_cpu_ns; /* CPU clock when it was last looked at; 0: to be looked at again */
    uint32_t run;            /* the sampler's run to which all this belongs */
    uint64_t asked_cpu_ns;   /* CPU clock when the wall clock last asked it; 0: never */
    struct missed_frame missed;
};

/* Accessed through thread_locked(): with the registry's lock held. */
struct thread_locked_data {
    char name[THREAD_NAME_BYTES];
    bool is_described; /* its start is in the dictionary, so its end will be */
};

/* Proves that its owner is the sampler and holds its lock. Created only by
 * sampler_tick_inside.h. */
struct sampler_access {
    const void *tick;
};

/* Proves that the registry's lock is held. Created only by thread_registry.c. */
struct registry_access {
    const void *lock;
};

struct thread_registration {
    /* Accessed after recording_begin(); for the thread only. */
    volatile uint32_t is_recording; /* inside a recording function; also read by the thread that
                                     * stops a session */
    uint32_t writer_generation;     /* of the session that writer belongs to */
    struct chunk_writer writer;

    /* Fixed while the thread lives. */
    uint32_t slot;  /* in the registry */
    uint32_t index; /* index in the dictionary; never reused in a process */
    struct profd_thread_id id;
    pthread_t handle;
    bool is_main;
    clockid_t cpu_clock;
    uint64_t stack_low, stack_high;   /* bounds of its own stack */
    const struct label_stack *labels; /* its variable, which is gone when it is */
    void *signal_stack;               /* the agent's, kept for the slot; see signal_stack.h */
    uint64_t start_ns;

    /* Any thread. */
    _Atomic enum registration_life life; /* changed under the registry's lock */
    /* enum profd_thread_features: what the session records of it; 0: nothing, or no session.
     * Changed under the registry's lock. */
    _Atomic uint32_t profiled_features;
    struct snapshot_copy *_Atomic snapshot; /* created by the sampler, filled by the handler */
    _Atomic bool yields_signal;      /* written by the thread: the program needs the sampling signal
                                      * there */
    _Atomic bool is_in_fork;         /* written by the thread: the sampler must not signal it
                                      * meanwhile */
    _Atomic enum thread_sleep sleep; /* written by the thread and the sampler */
    _Atomic uint64_t busy_since_ns;  /* written by the thread; see event_delay.h */

    /* Protected by event_delay.c's lock, but the thread itself may read them without it. */
    profd_idle_clock *idle_clock;
    void *idle_context;

    struct stopwatch_thread *stopwatch; /* for the thread only; see
                                         * child-agent/groups/stopwatch.h */
    uintptr_t asking_frame;             /* for the thread only; see unit_groups.h; 0: it does not
                                         * ask */
    bool is_in_groups; /* for the thread only: its signal handlers leave performance groups alone */

    struct allocation_pace allocation_pace; /* for the thread only */

    struct thread_clock clock; /* started and stopped under the registry's lock, or by the thread */

    struct thread_start start;
    struct thread_own_data own_;
    struct thread_sampler_data sampled_;
    struct thread_locked_data locked_;
};

/* The calling thread's registration, or NULL. May be read in signal handlers. */
extern __thread struct thread_registration *thread_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns the calling thread's own data; NULL if it is not registered. Async-signal-safe. */
static inline struct thread_own_data *thread_own(void)
{
    return thread_current != NULL ? &thread_current->own_ : NULL;
}

/* Returns whether a session that began at SESSION_START_NS covers all of THREAD's CPU time: a
 * process that is hardly older than its session was started with it. */
static inline bool thread_began_with(const struct thread_registration *thread,
                                     uint64_t session_start_ns)
{
    return thread->start_ns + THREAD_STARTUP_NS >= session_start_ns;
}

/* Returns the CPU time that THREAD had used when it began to belong to this program: the first
 * thread may have run other programs before. */
static inline uint64_t thread_first_ns(const struct thread_registration *thread)
{
    return thread->is_main ? core_local.cpu_before_exec_ns : 0;
}

static inline struct thread_sampler_data *thread_sampled(struct sampler_access access,
                                                         struct thread_registration *thread)
{
    (void)access;
    return &thread->sampled_;
}

static inline struct thread_locked_data *thread_locked(struct registry_access access,
                                                       struct thread_registration *thread)
{
    (void)access;
    return &thread->locked_;
}

#endif
