/* Readers of a text, which may come a few bytes at a time. */
#ifndef TESTS_UNIT_JSON_READER_SCENE_H
#define TESTS_UNIT_JSON_READER_SCENE_H

#include <check.h>
#include <string.h>

#include "json/json_reader.h"

/* A source that gives its text a few bytes at a time. */
struct dribble {
    const char *next, *end;
    size_t step;
    int error; /* at the end instead of 0 */
};

static inline ssize_t dribble(void *context, char *bytes, size_t n)
{
    struct dribble *source = context;
    size_t left = (size_t)(source->end - source->next);
    size_t got = n < source->step ? n : source->step;
    got = got < left ? got : left;
    memcpy(bytes, source->next, got);
    source->next += got;
    return got == 0 ? source->error : (ssize_t)got;
}

static struct json_reader *open_text(const char *json)
{
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(json, strlen(json), &reader), 0);
    return reader;
}

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

#endif
