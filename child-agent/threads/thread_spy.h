/* Finds threads that nobody registered, in the kernel's list of this process's threads: those
 * created before the agent was there, or past the C library.
 *
 * They cannot be sampled, but their CPU time is written, as markers of the main thread. Only for
 * the thread that samples or looks, which has a descriptor table of its own. */
#ifndef PROFD_AGENT_THREAD_SPY_H
#define PROFD_AGENT_THREAD_SPY_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/sample_encoder.h"
#include "common/time_units.h"

enum {
    SPY_LEAST_PERIOD_NS = 200 * NS_PER_MS,
    SPY_COST_SHARE = 100, /* looking takes at most this part of one CPU: one in so many */
};

struct thread_spy; /* opaque: which threads were seen, and how much they had used */

/* Creates *OUT. Returns 0 or -ENOMEM. */
int thread_spy_create(struct thread_spy **out);
void thread_spy_destroy(struct thread_spy *spy);

/* Returns whether a look is due at NOW_NS. HAS_RUN says whether any thread has run since the last
 * call; otherwise there is nothing new to see. */
bool thread_spy_is_due(struct thread_spy *spy, uint64_t now_ns, bool has_run);

/* Looks, and writes what was found into the current tick: a thread when it is seen for the second
 * time (at the first time it may be about to be registered), then its CPU time, and finally its
 * end. */
void thread_spy_look(struct thread_spy *spy, struct sample_encoder *encoder);

/* Returns when to look again after a look that ended at NOW_NS and took COST_NS of CPU time.
 * Pure. */
static inline uint64_t thread_spy_next_look_ns(uint64_t now_ns, uint64_t cost_ns)
{
    uint64_t period_ns = cost_ns * SPY_COST_SHARE;
    return now_ns + (period_ns > SPY_LEAST_PERIOD_NS ? period_ns : SPY_LEAST_PERIOD_NS);
}

#endif
