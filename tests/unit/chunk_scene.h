/* An arena of a few chunks, and its manager. */
#ifndef TESTS_UNIT_CHUNK_SCENE_H
#define TESTS_UNIT_CHUNK_SCENE_H

#include <check.h>

#include "buffer/chunk_manager.h"

enum { SLOTS = 16, LIMIT = 4, GENERATION = 9, ROUNDS = 3000 };

static struct arena arena;
static struct chunk_manager *manager;

static void tear_down(void)
{
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

/* Gets a chunk and writes as if BLOCKS blocks of ten bytes were in it. */
static struct chunk *get_filled(uint32_t blocks)
{
    struct chunk *chunk = chunk_manager_get(manager, 1);
    ck_assert_ptr_nonnull(chunk);
    memset(chunk->buffer, 0xaa, CHUNK_BUFFER_BYTES);
    chunk->block_count = blocks;
    chunk->offset_past_last_block = blocks * 10;
    return chunk;
}

#endif
