/* Whether there is anything in an arena that a profile would show. */
#include "buffer/arena_reader.h"

static bool is_recording(uint8_t kind)
{
    return kind != ENTRY_TICK && kind != ENTRY_QUIET_TICKS && kind != ENTRY_LATE;
}

static bool chunk_holds_recordings(const struct chunk_copy *chunk)
{
    struct block_cursor cursor;
    const uint8_t *payload;
    size_t payload_bytes;
    uint8_t kind;

    block_cursor_init(&cursor, chunk);
    while (block_cursor_next(&cursor, &kind, &payload, &payload_bytes) == 1) {
        if (is_recording(kind))
            return true;
    }
    return false;
}

bool arena_reader_holds_recordings(struct arena_reader *reader)
{
    static _Thread_local struct chunk_copy chunk;

    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        if (arena_reader_copy_chunk(reader, i, &chunk) == 0 && chunk_holds_recordings(&chunk))
            return true;
    }
    return false;
}
