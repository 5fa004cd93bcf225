/* What the sampler (sampler.c), its thread (sampler_thread.c) and looks (looker.c) share. Included
 * by nothing else. */
#ifndef PROFD_AGENT_SAMPLER_INSIDE_H
#define PROFD_AGENT_SAMPLER_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampler_tick.h"

/* The time between looks at where threads sleep, when their own clocks sample them. */
enum { SAMPLER_LOOK_INTERVAL_NS = 50 * 1000 * 1000 };

struct sampler {
    pthread_t thread;
    _Atomic bool is_running;   /* a thread samples or looks; changed with the lock held, or by who
                                * ends it */
    bool has_own_thread;       /* it is that one; else the agent's thread looks */
    bool is_ending;            /* with the lock held */
    _Atomic bool leaves_looks; /* to the agent's thread */
    _Atomic bool has_agent_thread; /* to do so */
    bool needs_thread;
    uint64_t chores_due_ns;    /* without an agent thread */
    bool looks;                /* looks instead of sampling, which the threads' own clocks do */
    _Atomic uint32_t looks_on; /* the number of the looks that are on; 0: none. Changed with the
                                * lock held */
    _Atomic uint64_t interval_ns;
    struct chunk_manager *manager; /* borrowed */
    struct sampler_tick *_Atomic tick;
    struct named_mutex lock; /* held while ticking */
    _Atomic bool is_paused;
    _Atomic uint32_t stop_word; /* futex: 1 ends the thread */
};

extern struct sampler sampler;

/* The main functions of a thread of the sampler's own, which samples at its interval, or looks;
 * ARGUMENT is the tick. Return when the stop word is set. */
void *sampler_thread_sample(void *argument);
void *sampler_thread_look(void *argument);

/* Records what goes with a tick or a look beside the samples. With the lock held. */
void sampler_record_beside(struct sampler_tick *tick, bool has_run,
                           struct sampler_tick_times *times);

/* Calibrates the arena's clock, and counts the threads. Sampling or looking thread. */
void sampler_update_clock(void);

#endif
