/* Sampled allocations, at the sampler: takes what threads copied (allocation_sampler.h), unwinds
 * and writes it. Sampler's lock held. */
#ifndef PROFD_AGENT_ALLOCATION_DRAIN_H
#define PROFD_AGENT_ALLOCATION_DRAIN_H

#include "buffer/chunk_writer.h"
#include "child-agent/unwinding/unwinder.h"

struct allocation_drain; /* opaque */

/* Borrows both, which are the sampler's own. Memory from mmap, of which none is touched while
 * nobody samples allocations. -ENOMEM. */
int allocation_drain_create(struct chunk_writer *writer, struct unwinder *unwinder,
                            struct allocation_drain **out);
void allocation_drain_destroy(struct allocation_drain *drain);

/* Writes all that waits. What finds no chunk is counted by the writer. */
void allocation_drain_all(struct allocation_drain *drain);

#endif
