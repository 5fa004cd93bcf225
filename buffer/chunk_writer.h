/* The fast path: writes blocks into the current chunk of one thread.
 *
 * One writer per chunk, no lock, no allocation, no system call while the chunk has room. A block is
 * reserved, written in place and published by one release store; a process that is killed loses at
 * most the block being written. All functions are for the owning thread only, and none may be
 * called from a signal handler that interrupted one of them (the agent guards that). */
#ifndef PROFD_BUFFER_CHUNK_WRITER_H
#define PROFD_BUFFER_CHUNK_WRITER_H

#include "buffer/chunk.h"
#include "buffer/chunk_manager.h"
#include "buffer/entry.h"
#include "buffer/leb128.h"

struct chunk_writer {
    uint8_t *next;       /* where the next block goes; NULL without a chunk */
    uint8_t *end;        /* of the chunk's buffer */
    struct chunk *chunk; /* NULL, or in use by this writer */
    uint64_t last_ticks; /* the last time written in this chunk */
    struct chunk_manager *manager;
    uint32_t writer_index;
    bool never_waits; /* for its manager */
};

/* Starts without a chunk; the first reserve gets one. MANAGER is borrowed. */
void chunk_writer_init(struct chunk_writer *writer, struct chunk_manager *manager,
                       uint32_t writer_index);

/* The same for a writer that works in signal handlers: a chunk that is not to be had at once is not
 * had at all. */
void chunk_writer_init_in_handler(struct chunk_writer *writer, struct chunk_manager *manager,
                                  uint32_t writer_index);

/* Gives the chunk back. Safe to repeat. */
void chunk_writer_finish(struct chunk_writer *writer);

/* Slow side of reserve: a fresh chunk with room for ENTRY_BYTES. 0; -ENOBUFS at the memory limit
 * (DROP_MEMORY_LIMIT counted); -EMSGSIZE when no chunk could hold it (DROP_BLOCK_TOO_LARGE
 * counted); -EAGAIN when the writer never waits and the manager is busy (not counted). */
int chunk_writer_refill(struct chunk_writer *writer, size_t entry_bytes);

/* Whether an entry of at most ENTRY_BYTES fits the current chunk. */
static inline bool chunk_writer_has_room(const struct chunk_writer *writer, size_t entry_bytes)
{
    return (size_t)(writer->end - writer->next) >= entry_bytes + LEB128_MAX_BYTES;
}

/* Publishes the block that ends at BLOCK_END and starts at writer->next. */
static inline void chunk_writer_publish(struct chunk_writer *writer, uint8_t *block_end)
{
    struct chunk *chunk = writer->chunk;
    writer->next = block_end;
    chunk_publish(chunk, (uint32_t)(block_end - chunk->buffer));
}

/* Copies a finished ENTRY (kind byte first) into a block of its own. Errors as chunk_writer_refill.
 */
int chunk_writer_put(struct chunk_writer *writer, const uint8_t *entry, size_t entry_bytes);

#endif
