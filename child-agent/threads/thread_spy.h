/* Threads that nobody registered, looked for in the kernel's list of this process' threads: made
 * before the agent, or past the C library.
 *
 * Nothing can be sampled of them, but their CPU use is written, as markers of the main thread. The
 * sampler's thread only, whose descriptors are its own. */
#ifndef PROFD_AGENT_THREAD_SPY_H
#define PROFD_AGENT_THREAD_SPY_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/sample_encoder.h"
#include "common/time_units.h"

enum {
    SPY_LEAST_PERIOD_NS = 200 * NS_PER_MS,
    SPY_COST_SHARE = 100, /* looking takes at most one part in so many of one CPU */
};

struct thread_spy; /* opaque: who was seen, and how much they had used */

/* 0 or -ENOMEM. */
int thread_spy_create(struct thread_spy **out);
void thread_spy_destroy(struct thread_spy *spy);

/* Whether a look is due at NOW_NS. HAS_RUN: some thread has, since the last call; without that,
 * there is nothing new to see. */
bool thread_spy_is_due(struct thread_spy *spy, uint64_t now_ns, bool has_run);

/* Looks, and writes what was found into the tick under way: a thread when it is seen for the second
 * time (before, it could be one that is being registered), then its CPU use, at last its end. */
void thread_spy_look(struct thread_spy *spy, struct sample_encoder *encoder);

/* When to look again after a look that ended at NOW_NS and took COST_NS of CPU time. Pure. */
static inline uint64_t thread_spy_next_look_ns(uint64_t now_ns, uint64_t cost_ns)
{
    uint64_t period_ns = cost_ns * SPY_COST_SHARE;
    return now_ns + (period_ns > SPY_LEAST_PERIOD_NS ? period_ns : SPY_LEAST_PERIOD_NS);
}

#endif
