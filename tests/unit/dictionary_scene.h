/* A dictionary in an arena. */
#ifndef TESTS_UNIT_DICTIONARY_SCENE_H
#define TESTS_UNIT_DICTIONARY_SCENE_H

#include <check.h>

#include "buffer/arena_reader.h"
#include "buffer/dictionary.h"

enum { THREADS = 4, PUTS = 2000, STRING_MAX = 4096 };

static struct arena arena;
static struct dictionary dictionary;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(CHUNK_BYTES, &arena), 0);
    dictionary_init(&dictionary, &arena);
}

static void tear_down(void)
{
    arena_destroy(&arena);
}

static struct arena_reader *open_reader(void)
{
    struct arena_reader *reader;
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    return reader;
}

#endif
