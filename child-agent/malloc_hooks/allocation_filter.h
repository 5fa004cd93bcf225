/* What was sampled, and the filter that tells most frees that they are of something else.
 *
 * The hooks read it and the agent writes it: see child-agent/allocations/allocation_table.h. Any
 * thread; async-signal-safe. */
#ifndef PROFD_AGENT_ALLOCATION_FILTER_H
#define PROFD_AGENT_ALLOCATION_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Small enough to stay in the nearest cache. Neighbours share a place, so that what a program is
 * busy with is looked up in few of its lines; few enough that a sample among them is rare. */
enum { ALLOCATION_FILTER_BITS = 14, ALLOCATION_NEIGHBOUR_BITS = 10 };

/* What is known of a sampled allocation. */
struct sampled_allocation {
    int64_t weight;        /* bytes that it stands for */
    uint32_t thread_index; /* in the dictionary: who allocated it */
    uint32_t generation;   /* of the recording that it belongs to */
};

typedef _Atomic uint8_t allocation_filter[1 << ALLOCATION_FILTER_BITS];

static inline size_t allocation_filter_place(uint64_t address)
{
    return (address >> ALLOCATION_NEIGHBOUR_BITS) & ((1 << ALLOCATION_FILTER_BITS) - 1);
}

/* Whether ADDRESS may be in the table of FILTER; most that are not are told apart. */
static inline bool allocation_filter_has(const allocation_filter *filter, const void *address)
{
    size_t place = allocation_filter_place((uint64_t)address);
    return atomic_load_explicit(&(*filter)[place], memory_order_relaxed) != 0;
}

#endif
