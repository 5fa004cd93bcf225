/* The fast path: writes blocks into the current chunk of one thread.
 *
 * Each chunk has one writer. While the chunk has room, writing takes no lock, no allocation and no
 * system call. A block is reserved, written in place and published by one release store, so a
 * process that is killed loses at most the block that it is writing. All functions are for the
 * owning thread only. None may be called from a signal handler that interrupted one of them; the
 * agent makes sure of that. */
#ifndef PROFD_BUFFER_CHUNK_WRITER_H
#define PROFD_BUFFER_CHUNK_WRITER_H

#include "buffer/chunk.h"
#include "buffer/chunk_manager.h"
#include "buffer/entry.h"
#include "buffer/leb128.h"

struct chunk_writer {
    uint8_t *next;       /* where the next block goes; NULL without a chunk */
    uint8_t *end;        /* end of the chunk's buffer */
    struct chunk *chunk; /* NULL, or a chunk that this writer uses */
    uint64_t last_ticks; /* the last time written in this chunk */
    struct chunk_manager *manager;
    uint32_t writer_index;
    bool never_waits; /* does not wait for a busy manager */
};

/* Initializes WRITER without a chunk; the first reserve gets one. MANAGER is borrowed. */
void chunk_writer_init(struct chunk_writer *writer, struct chunk_manager *manager,
                       uint32_t writer_index);

/* Like chunk_writer_init(), for a writer that is used in signal handlers. It never waits: if a
 * chunk is not available at once, the write fails. */
void chunk_writer_init_in_handler(struct chunk_writer *writer, struct chunk_manager *manager,
                                  uint32_t writer_index);

/* Gives the chunk back to the manager. May be called again. */
void chunk_writer_finish(struct chunk_writer *writer);

/* Slow path of reserve: gets a new chunk with room for ENTRY_BYTES. Returns 0; -ENOBUFS at the
 * memory limit (counted as DROP_MEMORY_LIMIT), -EMSGSIZE if no chunk could hold the entry (counted
 * as DROP_BLOCK_TOO_LARGE), or -EAGAIN if the writer never waits and the manager is busy (not
 * counted). */
int chunk_writer_refill(struct chunk_writer *writer, size_t entry_bytes);

/* Returns whether an entry of at most ENTRY_BYTES fits into the current chunk. */
static inline bool chunk_writer_has_room(const struct chunk_writer *writer, size_t entry_bytes)
{
    return (size_t)(writer->end - writer->next) >= entry_bytes + LEB128_MAX_BYTES;
}

/* Publishes the block from writer->next to BLOCK_END. */
static inline void chunk_writer_publish(struct chunk_writer *writer, uint8_t *block_end)
{
    struct chunk *chunk = writer->chunk;
    writer->next = block_end;
    chunk_publish(chunk, (uint32_t)(block_end - chunk->buffer));
}

/* Copies a finished ENTRY, which starts with its kind byte, into a block of its own. Returns 0 or
 * an error of chunk_writer_refill(). */
int chunk_writer_put(struct chunk_writer *writer, const uint8_t *entry, size_t entry_bytes);

#endif
