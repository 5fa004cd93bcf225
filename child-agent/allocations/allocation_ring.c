#include "child-agent/allocations/allocation_ring.h"

#include <stddef.h>

static struct allocation_record *record_at(struct allocation_ring *ring, uint64_t position)
{
    return (struct allocation_record *)(void *)(ring->bytes + position % ALLOCATION_RING_BYTES);
}

static uint32_t whole_lines(uint32_t bytes)
{
    return (bytes + ALLOCATION_RING_LINE - 1) & ~(uint32_t)(ALLOCATION_RING_LINE - 1);
}

struct allocation_record *allocation_ring_reserve(struct allocation_ring *ring, uint32_t bytes,
                                                  uint32_t spare_bytes)
{
    uint64_t position = atomic_load(&ring->reserved_bytes), skipped;
    bytes = whole_lines(bytes);
    if (bytes > ALLOCATION_RING_BYTES)
        return NULL;
    do {
        uint64_t to_end = ALLOCATION_RING_BYTES - position % ALLOCATION_RING_BYTES;
        skipped = bytes <= to_end ? 0 : to_end;
        /* Acquire: the lines that were given back are zero. */
        uint64_t taken = atomic_load_explicit(&ring->taken_bytes, memory_order_acquire);
        if (position + skipped + bytes + spare_bytes - taken > ALLOCATION_RING_BYTES)
            return NULL;
    } while (!atomic_compare_exchange_weak(&ring->reserved_bytes, &position,
                                           position + skipped + bytes));
    if (skipped > 0) {
        struct allocation_record *room = record_at(ring, position);
        room->generation = 0;
        room->bytes = (uint32_t)skipped;
        allocation_ring_publish(room);
    }
    struct allocation_record *record = record_at(ring, position + skipped);
    record->bytes = bytes;
    return record;
}

void allocation_ring_publish(struct allocation_record *record)
{
    atomic_store_explicit(&record->published_bytes, record->bytes, memory_order_release);
}

struct allocation_record *allocation_ring_peek(struct allocation_ring *ring)
{
    for (;;) {
        struct allocation_record *record = record_at(ring, atomic_load(&ring->taken_bytes));
        if (atomic_load_explicit(&record->published_bytes, memory_order_acquire) == 0)
            return NULL;
        if (record->generation != 0)
            return record;
        allocation_ring_drop(ring, record);
    }
}

void allocation_ring_drop(struct allocation_ring *ring, struct allocation_record *record)
{
    uint32_t bytes = record->bytes;
    uint8_t *start = (uint8_t *)record;
    /* A later record may begin at any of these lines, and is not published yet. */
    for (uint32_t offset = 0; offset < bytes; offset += ALLOCATION_RING_LINE)
        atomic_store_explicit((_Atomic uint32_t *)(void *)(start + offset), 0,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&ring->taken_bytes, bytes, memory_order_release);
}
