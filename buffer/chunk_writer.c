#include "buffer/chunk_writer.h"

#include <errno.h>
#include <string.h>

static void take_chunk(struct chunk_writer *writer, struct chunk *chunk)
{
    writer->chunk = chunk;
    writer->next = chunk != NULL ? chunk->buffer : NULL;
    writer->end = chunk != NULL ? chunk->buffer + CHUNK_BUFFER_BYTES : NULL;
    writer->last_ticks = chunk != NULL ? chunk->start.ticks : 0;
}

void chunk_writer_init(struct chunk_writer *writer, struct chunk_manager *manager,
                       uint32_t writer_index)
{
    writer->manager = manager;
    writer->writer_index = writer_index;
    writer->never_waits = false;
    take_chunk(writer, NULL);
}

void chunk_writer_init_in_handler(struct chunk_writer *writer, struct chunk_manager *manager,
                                  uint32_t writer_index)
{
    chunk_writer_init(writer, manager, writer_index);
    writer->never_waits = true;
}

void chunk_writer_finish(struct chunk_writer *writer)
{
    if (writer->chunk != NULL)
        chunk_manager_release(writer->manager, writer->chunk);
    take_chunk(writer, NULL);
}

int chunk_writer_refill(struct chunk_writer *writer, size_t entry_bytes)
{
    struct arena *arena = chunk_manager_arena(writer->manager);
    if (entry_bytes > CHUNK_BUFFER_BYTES - LEB128_MAX_BYTES) {
        arena_count_refused_block(arena->header, DROP_BLOCK_TOO_LARGE, entry_bytes);
        return -EMSGSIZE;
    }
    struct chunk *fresh;
    if (!writer->never_waits)
        fresh = chunk_manager_exchange(writer->manager, writer->chunk, writer->writer_index);
    else if (!chunk_manager_try_exchange(writer->manager, writer->chunk, writer->writer_index,
                                         &fresh))
        return -EAGAIN;
    take_chunk(writer, fresh);
    if (writer->chunk == NULL) {
        arena_count_refused_block(arena->header, DROP_MEMORY_LIMIT, entry_bytes);
        return -ENOBUFS;
    }
    return 0;
}

int chunk_writer_put(struct chunk_writer *writer, const uint8_t *entry, size_t entry_bytes)
{
    if (!chunk_writer_has_room(writer, entry_bytes)) {
        int error = chunk_writer_refill(writer, entry_bytes);
        if (error != 0)
            return error;
    }
    uint8_t *out = leb128_write(writer->next, entry_bytes);
    memcpy(out, entry, entry_bytes);
    chunk_writer_publish(writer, out + entry_bytes);
    return 0;
}
