#include <errno.h>

#include "buffer/arena_reader.h"
#include "buffer/leb128.h"

void block_cursor_init(struct block_cursor *cursor, const struct chunk_copy *chunk)
{
    cursor->next = chunk->bytes;
    cursor->end = chunk->bytes + chunk->used_bytes;
}

int block_cursor_next(struct block_cursor *cursor, uint8_t *kind, const uint8_t **payload,
                      size_t *payload_bytes)
{
    if (cursor->next == cursor->end)
        return 0;
    uint64_t entry_bytes;
    const uint8_t *entry = leb128_read(cursor->next, cursor->end, &entry_bytes);
    if (entry == NULL || entry_bytes == 0 || entry_bytes > (size_t)(cursor->end - entry))
        return -EPROTO;
    *kind = entry[0];
    *payload = entry + 1;
    *payload_bytes = (size_t)entry_bytes - 1;
    cursor->next = entry + entry_bytes;
    return 1;
}
