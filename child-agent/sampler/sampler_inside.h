/* What the sampler (sampler.c) and its thread (sampler_thread.c) share. Included by nothing
 * else. */
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
    _Atomic bool is_running; /* its thread; changed with the lock held, or by who ends it */
    bool is_ending;          /* with the lock held */
    bool needs_thread;
    uint64_t chores_due_ns; /* without an agent thread */
    bool looks;             /* looks instead of sampling, which the threads' own clocks do */
    _Atomic uint64_t interval_ns;
    struct chunk_manager *manager; /* borrowed */
    struct sampler_tick *_Atomic tick;
    struct named_mutex lock; /* held while ticking */
    _Atomic bool is_paused;
    _Atomic uint32_t stop_word; /* futex: 1 ends the thread */
};

extern struct sampler sampler;

/* The thread's main function; ARGUMENT is the tick. Returns when the stop word is set. */
void *sampler_thread_run(void *argument);

#endif
