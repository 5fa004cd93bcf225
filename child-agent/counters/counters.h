/* Counters: what threads count, stored per thread and summed up by the sampler.
 *
 * Each thread that adds to counters has a shard, a page of its own with a cell for every counter,
 * so no two threads ever write to the same cache line. When a thread ends, its shard is emptied
 * into a common sum and goes to the next thread. Counters live as long as the process. Their names
 * are copied, and a counter that is declared again, also after dlclose, gets the same slot. */
#ifndef PROFD_AGENT_COUNTERS_H
#define PROFD_AGENT_COUNTERS_H

#include <signal.h>
#include <stdint.h>

#include "buffer/sampler_entry.h"
#include "profd_counters.h"

/* Called from the constructor. Returns 0 or -errno (-EAGAIN: too many keys are in use). After an
 * error no thread has a shard, and all of them add to the common sum. */
int counters_initialize(void);

/* Returns the number of counters. Those with lower indices never change again. Any thread. */
uint32_t counters_count(void);

/* Returns the index of COUNTER among counter_total values and in the dictionary, and registers it
 * at its first use. Returns -ENOSPC if there are too many counters (counted). Any thread; not in
 * signal handlers. */
int counters_index(struct profd_counter *counter);

/* Adds DELTA, in NUMBER operations, to the common sum of COUNTER, which is registered. Slower
 * than profd_counter_add, but allocates nothing and takes no lock. Any thread, also in signal
 * handlers. */
void counters_add_shared(const struct profd_counter *counter, int64_t delta, uint64_t number);

/* Sums up the shards of all threads for the counters below COUNT into TOTALS, by index. What
 * threads add meanwhile is in the next sums. Any thread that has all signals blocked, as the
 * agent's own threads have. */
void counters_read(struct counter_total *totals, uint32_t count);

/* Holds the list of counters, so that none is registered until it is released. Blocks all signals;
 * *MASK is the mask that was in effect. */
void counters_hold(sigset_t *mask);
void counters_release(const sigset_t *mask);

/* Returns whether nobody holds the list. For signal handlers. */
bool counters_are_free(void);

/* Writes all counters into the dictionary of an arena that nobody else sees yet, while the list is
 * held. Returns 0 or -ENOSPC. */
int counters_describe(void);

/* Called around fork. In the child only the forking thread still has a shard. The forking thread
 * may add to counters in between. */
void counters_before_fork(void);
void counters_after_fork_parent(void);
void counters_after_fork_child(void);

#endif
