/* The way of sampled allocations from the threads that make them to the sampler.
 *
 * A ring of bytes: threads reserve room for a record, fill it and publish it, without locks; the
 * sampler takes records in the order in which they were reserved. So the thread only copies, as it
 * does in the sampling signal's handler, and the sampler unwinds. A record that was reserved and is
 * not published holds up those behind it. Zeroed memory is an empty ring. */
#ifndef PROFD_AGENT_ALLOCATION_RING_H
#define PROFD_AGENT_ALLOCATION_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/sampler/snapshot.h"

enum {
    ALLOCATION_RING_BYTES = 2 * 1024 * 1024,
    ALLOCATION_RING_LINE = 64, /* records begin at lines */
};

/* An allocation, or the end of one, and the stack of the thread that made it. Labels, then the
 * copied stack, follow. */
struct allocation_record {
    _Atomic uint32_t published_bytes; /* 0: not yet */
    uint32_t bytes;                   /* with all that follows */
    uint32_t generation;              /* 0: nothing but room */
    uint32_t owner_index;             /* of the thread that allocated, in the dictionary */
    uint32_t actor_index;             /* of the one that did this */
    uint32_t label_count;
    uint32_t stack_bytes;
    uint32_t is_truncated; /* the live stack was larger */
    int64_t size;          /* weighted; negative: freed */
    uint64_t address;
    uint64_t ticks;
    uint64_t pc, stack_address, frame_pointer; /* of the caller; the copied stack starts there */
    uint64_t root_stack_address;               /* as for unwinder_walk */
    struct snapshot_label labels[];
};

struct allocation_ring {
    _Alignas(64) _Atomic uint64_t reserved_bytes; /* ever */
    _Alignas(64) _Atomic uint64_t taken_bytes;    /* ever */
    _Alignas(64) uint8_t bytes[ALLOCATION_RING_BYTES];
};

/* Room for a record of BYTES, whose `bytes` is set; NULL when there is none that leaves
 * SPARE_BYTES. Any thread. */
struct allocation_record *allocation_ring_reserve(struct allocation_ring *ring, uint32_t bytes,
                                                  uint32_t spare_bytes);
void allocation_ring_publish(struct allocation_record *record);

/* The next record, or NULL. It is the caller's until it calls allocation_ring_drop(). One thread
 * at a time. */
struct allocation_record *allocation_ring_peek(struct allocation_ring *ring);
void allocation_ring_drop(struct allocation_ring *ring, struct allocation_record *record);

static inline uint8_t *allocation_record_stack(struct allocation_record *record)
{
    return (uint8_t *)&record->labels[record->label_count];
}

#endif
