/* The sampled allocations that have not been freed: a map from the address to what was sampled
 * there.
 *
 * It has a fixed size and no locks. Any thread may use it at any time, also in a signal handler.
 * Nearly every free is of an allocation that was not sampled; one byte of a small filter is enough
 * to know that. An address is inserted before the program has it and removed before it is free
 * again, so no two threads ever work on the same address. Zeroed memory is an empty table. */
#ifndef PROFD_AGENT_ALLOCATION_TABLE_H
#define PROFD_AGENT_ALLOCATION_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_filter.h"

enum {
    ALLOCATION_BUCKET_BITS = 13,
    ALLOCATION_WAYS = 8, /* addresses in a bucket: one cache line */
};

struct allocation_table {
    allocation_filter filter; /* how many addresses of the table share a place; 255 means 255 or
                               * more */
    _Alignas(64) _Atomic uint64_t addresses[1 << ALLOCATION_BUCKET_BITS][ALLOCATION_WAYS];
    struct sampled_allocation facts[1 << ALLOCATION_BUCKET_BITS][ALLOCATION_WAYS];
};

/* Inserts ADDRESS. Replaces what is left from an earlier recording at the same address, or in its
 * place. Returns false if there is no room. */
bool allocation_table_put(struct allocation_table *table, const void *address,
                          const struct sampled_allocation *facts);

/* Removes ADDRESS. Returns false if it is not in the table. */
bool allocation_table_take(struct allocation_table *table, const void *address,
                           struct sampled_allocation *out);

#endif
