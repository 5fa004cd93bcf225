/* Writes sampled allocations as ALLOCATION entries (layout in buffer/entry.h).
 *
 * The encoder remembers the stack that was last written in the current chunk, and stores a new
 * stack as the part that both share plus the part that is new. It shares its writer with the sample
 * encoder; entries of one do not disturb the other. One thread at a time; may be used in signal
 * handlers. */
#ifndef PROFD_BUFFER_ALLOCATION_ENCODER_H
#define PROFD_BUFFER_ALLOCATION_ENCODER_H

#include "buffer/arena_reader.h" /* struct stack_frame */
#include "buffer/chunk_writer.h"

struct allocation_encoder {
    struct chunk_writer *writer; /* borrowed */
    const struct chunk *chunk;   /* of the latest entry; with range_start it identifies one use of
                                  * the chunk */
    uint64_t range_start;
    uint32_t depth; /* of the remembered stack */
    uint64_t codes[SAMPLE_MAX_FRAMES];
    uint64_t new_codes[SAMPLE_MAX_FRAMES];
};

/* An allocation, or the end of one. */
struct allocation {
    uint32_t owner_index; /* of the thread that allocated */
    uint32_t actor_index; /* of the thread that allocated or freed; the stack is that thread's */
    uint64_t ticks;
    int64_t size; /* the bytes that this sample stands for; negative: freed */
    uint64_t address;
    const struct stack_frame *frames; /* outermost first */
    uint32_t depth;
    bool is_truncated; /* outer frames are missing */
};

/* Writes ALLOCATION. ENCODER starts as zeroes, except for its writer, whose index is
 * CHUNK_WRITER_SAMPLER. Returns 0, an error of chunk_writer_refill() (counted there), or -EINVAL if
 * the depth is above SAMPLE_MAX_FRAMES or a frame is not valid. */
int allocation_encoder_write(struct allocation_encoder *encoder,
                             const struct allocation *allocation);

#endif
