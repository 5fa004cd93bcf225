/* Sampled allocations, and the filter that lets most frees know that they are of something else.
 *
 * The hooks read the filter and the agent writes it: see
 * child-agent/allocations/allocation_table.h. Any thread; async-signal-safe. */
#ifndef PROFD_AGENT_ALLOCATION_FILTER_H
#define PROFD_AGENT_ALLOCATION_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The filter is small enough to stay in the nearest cache. Neighbouring addresses share a place, so
 * that the memory that a program is working on needs few lines of the filter, but few enough that a
 * sample among them is rare. */
enum { ALLOCATION_FILTER_BITS = 14, ALLOCATION_NEIGHBOUR_BITS = 10 };

/* What is known about a sampled allocation. */
struct sampled_allocation {
    int64_t weight;        /* bytes that it stands for */
    uint32_t thread_index; /* the thread that allocated it, as in the dictionary */
    uint32_t generation;   /* of the recording that it belongs to */
};

typedef _Atomic uint8_t allocation_filter[1 << ALLOCATION_FILTER_BITS];

static inline size_t allocation_filter_place(uint64_t address)
{
    return (address >> ALLOCATION_NEIGHBOUR_BITS) & ((1 << ALLOCATION_FILTER_BITS) - 1);
}

/* Returns whether ADDRESS may be in the table of FILTER. False for most addresses that are not. */
static inline bool allocation_filter_has(const allocation_filter *filter, const void *address)
{
    size_t place = allocation_filter_place((uint64_t)address);
    return atomic_load_explicit(&(*filter)[place], memory_order_relaxed) != 0;
}

#endif
