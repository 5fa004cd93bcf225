#include "buffer/allocation_encoder.h"

#include <errno.h>
#include <string.h>

#include "buffer/frame_codes.h"

enum {
    NUMBER_COUNT = 7, /* before the frames */
    SIZE_BYTES = 3,   /* of the block, until its real size is known */
    NUMBERS_MAX_BYTES = SIZE_BYTES + 1 + NUMBER_COUNT * LEB128_MAX_BYTES,
};

static bool is_in_known_chunk(const struct allocation_encoder *encoder)
{
    const struct chunk *chunk = encoder->writer->chunk;
    return chunk != NULL && chunk == encoder->chunk && chunk->range_start == encoder->range_start;
}

/* Makes room for an entry with DEPTH frames, and forgets the stack of another chunk. */
static int reserve_room(struct allocation_encoder *encoder, uint32_t depth)
{
    struct chunk_writer *writer = encoder->writer;
    size_t bytes = NUMBERS_MAX_BYTES + (size_t)depth * LEB128_MAX_BYTES;
    if (!chunk_writer_has_room(writer, bytes)) {
        int error = chunk_writer_refill(writer, bytes);
        if (error < 0)
            return error;
    }
    if (is_in_known_chunk(encoder))
        return 0;
    encoder->chunk = writer->chunk;
    encoder->range_start = writer->chunk->range_start;
    encoder->depth = 0;
    return 0;
}

/* Writes the entry at OUT; returns its end. */
static uint8_t *write_entry(const struct allocation_encoder *encoder,
                            const struct allocation *allocation, uint32_t kept, uint8_t *out)
{
    const uint64_t numbers[NUMBER_COUNT] = {
        allocation->owner_index,
        allocation->actor_index,
        zigzag_encode((int64_t)(allocation->ticks - encoder->writer->last_ticks)),
        zigzag_encode(allocation->size),
        allocation->address,
        kept,
        allocation->depth - kept,
    };
    *out++ = allocation->is_truncated ? ENTRY_ALLOCATION_TRUNCATED : ENTRY_ALLOCATION;
    for (int i = 0; i < NUMBER_COUNT; i++)
        out = leb128_write(out, numbers[i]);
    return frame_codes_write(out, encoder->new_codes, allocation->depth, kept);
}

int allocation_encoder_write(struct allocation_encoder *encoder,
                             const struct allocation *allocation)
{
    struct chunk_writer *writer = encoder->writer;
    uint32_t depth = allocation->depth;
    if (depth > SAMPLE_MAX_FRAMES ||
        frame_codes_make(allocation->frames, depth, encoder->new_codes) < 0)
        return -EINVAL;
    int error = reserve_room(encoder, depth);
    if (error < 0)
        return error;
    uint32_t kept = frame_codes_shared(encoder->codes, encoder->depth, encoder->new_codes, depth);
    uint8_t *entry = writer->next + SIZE_BYTES;
    size_t entry_bytes = (size_t)(write_entry(encoder, allocation, kept, entry) - entry);
    uint8_t *start = leb128_write(writer->next, entry_bytes);
    memmove(start, entry, entry_bytes);
    memcpy(&encoder->codes[kept], &encoder->new_codes[kept],
           (depth - kept) * sizeof(encoder->codes[0]));
    encoder->depth = depth;
    chunk_writer_publish(writer, start + entry_bytes);
    return 0;
}
