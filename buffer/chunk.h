/* A chunk: a fixed-size piece of an arena that one thread writes blocks into.
 *
 * The header is in shared memory. Other processes read it while it is being written, and possibly
 * after its writer was killed in the middle of a write. It takes two cache lines: one for what
 * changes with the chunk's life cycle, one for what the writer changes with every block. The fields
 * follow the Firefox Profiler's chunk header.
 *
 *     free ──create──▶ in-use ──mark done──▶ done ──release──▶ released ──destroy──▶ free
 *      ▲                 ▲                                       │ │ │                ▲
 *      │                 └──────────────── recycle ──────────────┘ │ └─▶ destroying ──┘
 *      └───────────────────────── destroy ─────────────────────────┘
 *
 * The chunk manager makes these moves under its lock, with one exception: profd destroys a released
 * chunk of a process in which no thread waits for its orders. It moves the chunk to destroying and
 * then punches a hole, which makes the chunk free. A move that is not in the picture changes
 * nothing and returns -EINVAL. */
#ifndef PROFD_BUFFER_CHUNK_H
#define PROFD_BUFFER_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/clock.h"

enum {
    CHUNK_BYTES = 64 * 1024, /* a whole chunk with its header */
    CHUNK_HEADER_BYTES = 128,
    CHUNK_BUFFER_BYTES = CHUNK_BYTES - CHUNK_HEADER_BYTES,
};

enum chunk_state {
    CHUNK_FREE = 0,
    CHUNK_IN_USE = 1,
    CHUNK_DONE = 2,
    CHUNK_RELEASED = 3,
    CHUNK_DESTROYING = 4,
};

struct chunk {
    _Atomic uint32_t state; /* enum chunk_state */
    uint32_t writer_index;  /* thread index of the writer; CHUNK_WRITER_SAMPLER */
    uint32_t generation;    /* of the session that it belongs to */
    uint32_t reserved;
    uint64_t range_start;        /* global index of the first byte of the buffer */
    struct clock_pair start;     /* when first used */
    struct clock_pair done;      /* when it became full; zeros until then */
    uint32_t buffer_bytes;       /* room for blocks */
    uint32_t offset_first_block; /* always 0: no block crosses chunks */

    /* What is published, as one word, so that a concurrent reader always finds a count and an
     * offset that belong together. */
    _Alignas(64) union {
        struct {
            _Atomic uint32_t offset_past_last_block;
            _Atomic uint32_t block_count;
        };
        _Atomic uint64_t published; /* release-stored after each block */
    };
    _Atomic uint32_t held_unit; /* 1 + the number of its lease unit; 0: none */

    _Alignas(64) uint8_t buffer[];
};

_Static_assert(sizeof(struct chunk) == CHUNK_HEADER_BYTES, "the header is two cache lines");

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the offset is the lower half of the word");

/* Returns whether CHUNK holds memory or may soon do so: always, unless it is free or profd is
 * destroying it. */
static inline bool chunk_has_memory(const struct chunk *chunk)
{
    uint32_t state = atomic_load(&chunk->state);
    return state != CHUNK_FREE && state != CHUNK_DESTROYING;
}

/* Returns how many bytes the blocks of CHUNK take. The result never exceeds CHUNK_BUFFER_BYTES,
 * whatever the header says. */
static inline uint32_t chunk_used_bytes(const struct chunk *chunk)
{
    uint32_t used = atomic_load_explicit(&chunk->offset_past_last_block, memory_order_relaxed);
    return used < CHUNK_BUFFER_BYTES ? used : CHUNK_BUFFER_BYTES;
}

/* Publishes one more block, which ends at OFFSET. Called by the writer only. */
static inline void chunk_publish(struct chunk *chunk, uint32_t offset)
{
    uint64_t published = atomic_load_explicit(&chunk->published, memory_order_relaxed);
    atomic_store_explicit(&chunk->published, ((published >> 32) + 1) << 32 | offset,
                          memory_order_release);
}

/* The writer_index of chunks that the sampler writes. */
#define CHUNK_WRITER_SAMPLER UINT32_MAX

/* Moves CHUNK from state FROM to state TO. Returns 0, or -EINVAL if the life cycle has no such move
 * or CHUNK is not in state FROM. Any thread may call it while it holds the manager's lock. */
int chunk_move(struct chunk *chunk, enum chunk_state from, enum chunk_state to);

/* Fills in the header of CHUNK, which has just come into use, for a new life without blocks. A
 * reader that is copying the previous life sees range_start change before anything else changes.
 * Called under the manager's lock. */
void chunk_begin(struct chunk *chunk, uint32_t writer_index, uint32_t generation,
                 uint64_t range_start);

/* Returns "free", "in-use", "done", "released" or "destroying"; "invalid" for any other number. */
const char *chunk_state_name(enum chunk_state state);

#endif
