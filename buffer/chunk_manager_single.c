#include "buffer/chunk_manager.h"

#include <string.h>

void chunk_manager_single_init(struct chunk_manager_single *manager, void *memory)
{
    memset(memory, 0, CHUNK_HEADER_BYTES);
    manager->chunk = memory;
}

struct chunk *chunk_manager_single_get(struct chunk_manager_single *manager)
{
    if (chunk_move(manager->chunk, CHUNK_FREE, CHUNK_IN_USE) != 0)
        return NULL;
    chunk_begin(manager->chunk, CHUNK_WRITER_SAMPLER, 0, 0);
    return manager->chunk;
}

int chunk_manager_single_release(struct chunk_manager_single *manager)
{
    int error = chunk_move(manager->chunk, CHUNK_IN_USE, CHUNK_DONE);
    if (error != 0)
        return error;
    manager->chunk->done = clock_read_pair();
    return chunk_move(manager->chunk, CHUNK_DONE, CHUNK_RELEASED);
}

void chunk_manager_single_reset(struct chunk_manager_single *manager)
{
    /* A chunk that is free already, or still given, stays what it is. */
    (void)chunk_move(manager->chunk, CHUNK_RELEASED, CHUNK_FREE);
}
