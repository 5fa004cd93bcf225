/* Writes sampled allocations, ALLOCATION (layout in buffer/entry.h).
 *
 * Keeps the stack that was last written in the current chunk, and stores a new one as what it
 * shares with it plus what is new. Shares its writer with the sample encoder: neither minds what
 * the other puts between. One thread at a time, also in signal handlers. */
#ifndef PROFD_BUFFER_ALLOCATION_ENCODER_H
#define PROFD_BUFFER_ALLOCATION_ENCODER_H

#include "buffer/arena_reader.h" /* struct stack_frame */
#include "buffer/chunk_writer.h"

struct allocation_encoder {
    struct chunk_writer *writer; /* borrowed */
    const struct chunk *chunk;   /* of the latest entry, and which life of it */
    uint64_t range_start;
    uint32_t depth; /* of the stack that it has */
    uint64_t codes[SAMPLE_MAX_FRAMES];
    uint64_t new_codes[SAMPLE_MAX_FRAMES];
};

/* An allocation, or the end of one. */
struct allocation {
    uint32_t owner_index; /* of the thread that allocated */
    uint32_t actor_index; /* of the one that did this, whose stack it is */
    uint64_t ticks;
    int64_t size; /* what it stands for in bytes; negative: freed */
    uint64_t address;
    const struct stack_frame *frames; /* outermost first */
    uint32_t depth;
    bool is_truncated; /* outer frames are missing */
};

/* ENCODER is zeroed but for its writer, which has CHUNK_WRITER_SAMPLER as its index. 0; errors as
 * chunk_writer_refill (counted there); -EINVAL for a depth above SAMPLE_MAX_FRAMES or a frame that
 * cannot be one. */
int allocation_encoder_write(struct allocation_encoder *encoder,
                             const struct allocation *allocation);

#endif
