/* The sampled allocations that live: from an address to what was sampled there.
 *
 * Bounded, of fixed size, without locks: any thread may use it at any time, in a signal handler as
 * well. Nearly every free is of an allocation that was not sampled, and is told so by one byte of a
 * small filter. An address is put in before the program has it and taken out before it is free
 * again, so no two threads are ever at the same one. Zeroed memory is an empty table. */
#ifndef PROFD_AGENT_ALLOCATION_TABLE_H
#define PROFD_AGENT_ALLOCATION_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_filter.h"

enum {
    ALLOCATION_BUCKET_BITS = 13,
    ALLOCATION_WAYS = 8, /* addresses of a bucket: one cache line */
};

struct allocation_table {
    allocation_filter filter; /* how many addresses of the table share a place; 255: 255 or more */
    _Alignas(64) _Atomic uint64_t addresses[1 << ALLOCATION_BUCKET_BITS][ALLOCATION_WAYS];
    struct sampled_allocation facts[1 << ALLOCATION_BUCKET_BITS][ALLOCATION_WAYS];
};

/* Puts ADDRESS in; what is left of an earlier recording at the same address, or in the way of it,
 * goes. False when there is no room. */
bool allocation_table_put(struct allocation_table *table, const void *address,
                          const struct sampled_allocation *facts);

/* Takes ADDRESS out. False when it is not there. */
bool allocation_table_take(struct allocation_table *table, const void *address,
                           struct sampled_allocation *out);

#endif
