#include "buffer/chunk.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

static bool life_cycle_has(enum chunk_state from, enum chunk_state to)
{
    switch (from) {
    case CHUNK_FREE:
        return to == CHUNK_IN_USE;
    case CHUNK_IN_USE:
        return to == CHUNK_DONE;
    case CHUNK_DONE:
        return to == CHUNK_RELEASED;
    case CHUNK_RELEASED:
        return to == CHUNK_FREE || to == CHUNK_IN_USE || to == CHUNK_DESTROYING;
    case CHUNK_DESTROYING:
        return false; /* but for the kernel, which makes it zeros */
    }
    return false;
}

int chunk_move(struct chunk *chunk, enum chunk_state from, enum chunk_state to)
{
    uint32_t expected = from;
    if (!life_cycle_has(from, to))
        return -EINVAL;
    if (!atomic_compare_exchange_strong_explicit(&chunk->state, &expected, to, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return -EINVAL;
    return 0;
}

void chunk_begin(struct chunk *chunk, uint32_t writer_index, uint32_t generation,
                 uint64_t range_start)
{
    /* An exchange, as nothing that is written later may become visible before it. */
    (void)__atomic_exchange_n(&chunk->range_start, range_start, __ATOMIC_ACQ_REL);
    atomic_store_explicit(&chunk->published, 0, memory_order_relaxed);
    chunk->writer_index = writer_index;
    chunk->start = clock_read_pair();
    chunk->done = (struct clock_pair){ 0, 0 };
    chunk->buffer_bytes = CHUNK_BUFFER_BYTES;
    chunk->offset_first_block = 0;
    __atomic_store_n(&chunk->generation, generation, __ATOMIC_RELEASE);
}

const char *chunk_state_name(enum chunk_state state)
{
    switch (state) {
    case CHUNK_FREE:
        return "free";
    case CHUNK_IN_USE:
        return "in-use";
    case CHUNK_DONE:
        return "done";
    case CHUNK_RELEASED:
        return "released";
    case CHUNK_DESTROYING:
        return "destroying";
    }
    return "invalid";
}
