/* Counters: what threads count, kept apart by thread and summed up by the sampler.
 *
 * Each thread that adds has a shard, a page of its own with a cell for every counter, so no two
 * threads ever write to one cache line. A shard whose thread has ended is emptied into a common sum
 * and is the next thread's. Counters live as long as the process: their names are copied, and a
 * counter that is declared again, also after dlclose, gets the same slot. */
#ifndef PROFD_AGENT_COUNTERS_H
#define PROFD_AGENT_COUNTERS_H

#include <signal.h>
#include <stdint.h>

#include "buffer/sampler_entry.h"
#include "profd_counters.h"

/* From the constructor. 0 or -errno (-EAGAIN: too many keys are taken): then no thread has a shard,
 * and all add to the common sum. */
int counters_initialize(void);

/* How many there are; those with a number below it are never changed again. Any thread. */
uint32_t counters_count(void);

/* The place of COUNTER among counter_total values and in the dictionary; registers it at first use.
 * -ENOSPC when there are too many (counted). Any thread, not in a signal handler. */
int counters_index(struct profd_counter *counter);

/* Adds DELTA, in NUMBER adds, to COUNTER, which is registered, in the common sum: dearer than
 * profd_counter_add, but allocates nothing and takes no lock. Any thread, in a signal handler as
 * well. */
void counters_add_shared(const struct profd_counter *counter, int64_t delta, uint64_t number);

/* Sums up all threads' parts of the counters below COUNT into TOTALS, by index. What threads add
 * meanwhile is in the next sums. Any thread with all signals blocked, as the agent's own have. */
void counters_read(struct counter_total *totals, uint32_t count);

/* No counter is registered until the list is let go. Blocks all signals, *MASK had been blocked. */
void counters_hold(sigset_t *mask);
void counters_release(const sigset_t *mask);

/* In a signal handler: whether nobody holds the list. */
bool counters_are_free(void);

/* Writes all counters into the dictionary of an arena that nobody else sees yet, while the list is
 * held. 0 or -ENOSPC. */
int counters_describe(void);

/* Around fork; in the child only the forking thread still has a shard. The forking thread may add
 * in between. */
void counters_before_fork(void);
void counters_after_fork_parent(void);
void counters_after_fork_child(void);

#endif
