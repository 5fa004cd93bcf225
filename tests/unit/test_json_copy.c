/* json.json_reader: values that are copied as they stand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/json_reader_scene.h"
#include "tests/unit/run_suite.h"

struct copied {
    char *bytes;
    size_t length;
    int error;
};

static int take_bytes(void *context, const char *bytes, size_t n)
{
    struct copied *copied = context;
    if (copied->error != 0)
        return copied->error;
    copied->bytes = realloc(copied->bytes, copied->length + n + 1);
    memcpy(copied->bytes + copied->length, bytes, n);
    copied->length += n;
    copied->bytes[copied->length] = '\0';
    return 0;
}

START_TEST(values_are_copied_as_they_stand)
{
    static const char *const values[] = { "1.50", "\"a\\u0041\"", "[ 1, {\"x\" : [ ] } ]", "{}",
                                          "null" };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char json[100];
        struct copied copied = { NULL, 0, 0 };
        snprintf(json, sizeof(json), "{\"a\" :  %s , \"b\":7}", values[i]);
        struct dribble source = { json, json + strlen(json), 3, 0 };
        struct json_reader *reader;
        ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
        json_reader_next(reader);
        json_reader_next(reader);
        ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), 0);
        ck_assert_str_eq(copied.bytes, values[i]);
        ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_KEY);
        ck_assert(json_reader_is(reader, "b"));
        json_reader_close(reader);
        free(copied.bytes);
    }
}
END_TEST

START_TEST(a_copy_larger_than_the_window_comes_in_pieces)
{
    enum { COUNT = 300000 };
    char *json = malloc(COUNT * 8 + 10), *out = json;
    struct copied copied = { NULL, 0, 0 };
    out += sprintf(out, "[[");
    for (int i = 0; i < COUNT; i++)
        out += sprintf(out, "%s%d", i == 0 ? "" : ",", i);
    out += sprintf(out, "]]");
    struct dribble source = { json, out, 100000, 0 };
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), 0);
    ck_assert_uint_eq(copied.length, (size_t)(out - json) - 2);
    ck_assert_int_eq(memcmp(copied.bytes, json + 1, copied.length), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END_ARRAY);
    json_reader_close(reader);
    free(copied.bytes);
    free(json);
}
END_TEST

START_TEST(a_copy_that_is_refused_ends_the_reading)
{
    struct copied copied = { NULL, 0, -ENOSPC };
    struct json_reader *reader = open_text("[1]");
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), -ENOSPC);
    ck_assert_int_eq(json_reader_next(reader), -ENOSPC);
    json_reader_close(reader);
}
END_TEST

START_TEST(there_is_nothing_to_copy_at_the_end_of_a_collection)
{
    struct copied copied = { NULL, 0, 0 };
    struct json_reader *reader = open_text("[]");
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), -EPROTO);
    json_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.json_copy");
    TCase *values = tcase_create("values");
    tcase_add_test(values, values_are_copied_as_they_stand);
    tcase_add_test(values, a_copy_larger_than_the_window_comes_in_pieces);
    tcase_add_test(values, a_copy_that_is_refused_ends_the_reading);
    tcase_add_test(values, there_is_nothing_to_copy_at_the_end_of_a_collection);
    suite_add_tcase(suite, values);
    return run_suite(suite);
}
