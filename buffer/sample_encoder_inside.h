/* What the files of the sample encoder share: its state, and the writing of any entry. Included by
 * nothing else. */
#ifndef PROFD_BUFFER_SAMPLE_ENCODER_INSIDE_H
#define PROFD_BUFFER_SAMPLE_ENCODER_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "buffer/sample_encoder.h"

enum {
    NUMBERS_MAX_BYTES = 60, /* a whole TICK, and any entry without its frames */
    SIZE_BYTES = 2,         /* bytes reserved for the size of a block with a sample, until the real
                             * size is known */
    ONE_BYTE_SIZE_MAX = 127,
};

_Static_assert(NUMBERS_MAX_BYTES + SAMPLE_MAX_FRAMES * LEB128_MAX_BYTES < 1 << 14,
               "the size of any sample fits two bytes");

/* A stack as it was last written. */
struct written_stack {
    uint64_t epoch; /* of the chunk that it is in; 0: there is no stack */
    uint32_t thread_index;
    uint32_t depth;
    bool is_truncated;
    uint64_t codes[SAMPLE_MAX_FRAMES];
};

struct sample_encoder {
    struct chunk_writer *writer;
    /* The chunk of the latest entries; with range_start it identifies one use of the chunk. Each
     * use gets an epoch of its own. */
    const struct chunk *chunk;
    uint64_t range_start;
    uint64_t epoch;
    uint64_t tick_ticks;
    bool has_tick;
    uint32_t capacity; /* of stacks */
    size_t mapped_bytes;
    struct written_stack pending; /* the one being compared and written */
    struct written_stack stacks[];
};

/* Makes room for a TICK and an entry, at most BYTES together. If this starts a new chunk, the
 * current tick is written into it first; *HAS_CHANGED says whether that happened. Returns 0 or a
 * negative errno, as chunk_writer_refill(). */
int sample_encoder_reserve_bytes(struct sample_encoder *encoder, size_t bytes, bool *has_changed);

/* Like sample_encoder_reserve_bytes(), for an entry of at most FRAMES frames. */
static inline int sample_encoder_reserve(struct sample_encoder *encoder, uint32_t frames,
                                         bool *has_changed)
{
    return sample_encoder_reserve_bytes(
        encoder, NUMBERS_MAX_BYTES + (size_t)frames * LEB128_MAX_BYTES, has_changed);
}

/* Writes an entry that consists of numbers only, so that its size is known in advance. */
static inline void put_numbers(struct chunk_writer *writer, enum entry_kind kind,
                               const uint64_t *numbers, unsigned count)
{
    size_t entry_bytes = 1;
    for (unsigned i = 0; i < count; i++)
        entry_bytes += leb128_size(numbers[i]);
    uint8_t *out = leb128_write(writer->next, entry_bytes);
    *out++ = (uint8_t)kind;
    for (unsigned i = 0; i < count; i++)
        out = leb128_write(out, numbers[i]);
    chunk_writer_publish(writer, out);
}

/* Sets the size in front of an entry that was written SIZE_BYTES after START. Returns the entry's
 * end, which may move. */
static inline uint8_t *close_block(uint8_t *start, uint8_t *end)
{
    size_t entry_bytes = (size_t)(end - start) - SIZE_BYTES;
    if (entry_bytes > ONE_BYTE_SIZE_MAX) {
        leb128_write(start, entry_bytes);
        return end;
    }
    start[0] = (uint8_t)entry_bytes;
    memmove(start + 1, start + SIZE_BYTES, entry_bytes);
    return end - 1;
}

#endif
