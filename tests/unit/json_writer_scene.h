/* A writer into memory, and a sink that remembers what it got and may refuse more. */
#ifndef TESTS_UNIT_JSON_WRITER_SCENE_H
#define TESTS_UNIT_JSON_WRITER_SCENE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_writer.h"

static struct failure_latch latch;
static struct json_writer writer;

/* What a sink got; refuses with `error` from the call number `fail_at` on. */
static struct {
    char *bytes;
    size_t length, calls, largest;
    size_t fail_at;
    int error;
} sink;

static int take_bytes(void *context, const char *bytes, size_t n)
{
    (void)context;
    if (sink.fail_at != 0 && ++sink.calls >= sink.fail_at)
        return sink.error;
    sink.bytes = realloc(sink.bytes, sink.length + n + 1);
    memcpy(sink.bytes + sink.length, bytes, n);
    sink.length += n;
    sink.bytes[sink.length] = '\0';
    sink.largest = n > sink.largest ? n : sink.largest;
    return 0;
}

static void set_up(void)
{
    memset(&sink, 0, sizeof(sink));
    failure_latch_init(&latch);
    json_writer_init(&writer, &latch);
}

static void tear_down(void)
{
    json_writer_fini(&writer);
    free(sink.bytes);
}

/* The text of SOURCE, a memory writer. */
static const char *text_of(const struct json_writer *source)
{
    free(sink.bytes);
    sink.bytes = calloc(1, 1);
    sink.length = 0;
    ck_assert_int_eq(json_writer_copy_out(source, take_bytes, NULL), 0);
    ck_assert_uint_eq(json_writer_bytes(source), sink.length);
    return sink.bytes;
}

/* Numbers from FIRST on, until the writer has at least BYTES. Returns the next one. */
static inline uint64_t write_numbers(struct json_writer *out, uint64_t first, size_t bytes)
{
    while (json_writer_bytes(out) < bytes)
        json_u64(out, first++);
    return first;
}

/* Asserts that TEXT is the array of the numbers below COUNT. */
static inline void assert_numbers(const char *text, uint64_t count)
{
    char *end;
    ck_assert_int_eq(*text, '[');
    for (uint64_t i = 0; i < count; i++) {
        ck_assert_uint_eq(strtoull(text + 1, &end, 10), i);
        ck_assert_int_eq(*end, i + 1 < count ? ',' : ']');
        text = end;
    }
    ck_assert_str_eq(text, "]");
}

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#endif
