/* An arena with a few chunks, and a reader of it. */
#ifndef TESTS_UNIT_ARENA_READER_SCENE_H
#define TESTS_UNIT_ARENA_READER_SCENE_H

#include <check.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_writer.h"

enum { SLOTS = 8, GENERATION = 5 };

static struct arena arena;
static struct chunk_manager *manager;
static struct arena_reader *reader;
static struct chunk_copy copy;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, SLOTS * CHUNK_BYTES, &manager), 0);
    reader = NULL;
}

static void tear_down(void)
{
    arena_reader_close(reader);
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

static void open_reader(void)
{
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
}

/* A chunk of writer WRITER_INDEX with one block: an entry of kind WRITER_INDEX and two bytes. */
static struct chunk *put_chunk(uint32_t writer_index)
{
    struct chunk_writer writer;
    chunk_writer_init(&writer, manager, writer_index);
    uint8_t entry[] = { (uint8_t)writer_index, 0xab, 0xcd };
    ck_assert_int_eq(chunk_writer_put(&writer, entry, sizeof(entry)), 0);
    return writer.chunk;
}

static struct arena_info read_info(void)
{
    struct arena_info result;
    arena_reader_info(reader, &result);
    return result;
}

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static TCase *make_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}

#endif
