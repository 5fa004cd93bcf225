/* A thread's registration: everything the agent knows of one thread.
 *
 * Who may touch what is said at each field: "thread" is the thread itself (its signal handler
 * included), "sampler" the sampler thread, "lock" the registry's lock. Follows
 * ThreadRegistrationData. */
#ifndef PROFD_AGENT_THREAD_REGISTRATION_H
#define PROFD_AGENT_THREAD_REGISTRATION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "buffer/chunk_writer.h"
#include "child-agent/snapshot.h"
#include "child-agent/thread_sleep.h"
#include "profd.h"

enum { THREAD_NAME_BYTES = 64 };

enum registration_life {
    REGISTRATION_FREE = 0,
    REGISTRATION_STARTING = 1, /* made by pthread_create's caller; the thread has not run yet */
    REGISTRATION_LIVE = 2,
    REGISTRATION_ENDED = 3, /* the thread is gone; the sampler frees it when it is done with it */
};

struct thread_registration {
    /* Recording; thread only. */
    volatile uint32_t
        is_recording;           /* inside a recording function; read by whoever stops a session */
    uint32_t writer_generation; /* of the session that writer belongs to */
    struct chunk_writer writer;

    /* Sampling. */
    struct snapshot *_Atomic snapshot; /* made by the sampler; filled by the handler */
    _Atomic bool is_in_fork;           /* thread writes; the sampler does not signal it meanwhile */
    _Atomic enum thread_sleep sleep;   /* thread and sampler */
    unsigned sleep_depth;              /* thread only */
    clockid_t cpu_clock;               /* fixed */
    uint64_t stack_low, stack_high;    /* fixed; the thread's own stack */
    uint64_t event_delay_ns;           /* sampler: at the latest tick; see event_delay.h */
    uint64_t sampled_cpu_ns;           /* sampler: CPU clock at the last sample */
    uint64_t requested_cpu_ns;         /* sampler: CPU clock at the request under way */
    uint32_t sampled_run;              /* sampler: its run that the two above belong to */

    /* Responsiveness: profd_event_loop.h. */
    _Atomic uint64_t busy_since_ns; /* thread writes; without the time that idle_clock tells */
    unsigned event_depth;           /* thread only: events under way, one inside the other */
    profd_idle_clock *idle_clock;   /* thread writes, both under event_delay's lock */
    void *idle_context;

    /* What the program believes of its own mask; thread only. */
    bool blocks_sampling_signal;

    /* Identity; fixed while live, but for the name (lock). */
    _Atomic enum registration_life life; /* changed under the lock */
    uint32_t index;                      /* in the dictionary: never reused in a process */
    pid_t tid;
    pthread_t handle;
    bool is_main;
    /* enum profd_thread_features: what the session records of it; 0: nothing, or no session.
     * Changed under the lock. */
    _Atomic uint32_t profiled_features;
    uint64_t start_ns;
    char name[THREAD_NAME_BYTES]; /* lock */

    bool is_described; /* lock: its start is in the dictionary, so its end will be */

    unsigned end_rounds; /* of the thread's destructors that have begun; thread only */

    /* What pthread_create was asked to run; thread only. */
    union {
        void *(*start_routine)(void *);
        int (*start_c11_routine)(void *); /* of thrd_create */
    };
    void *start_argument;
};

/* The calling thread's registration, or NULL. Safe in signal handlers. */
extern __thread struct thread_registration *thread_current
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
