/* json.unique_strings */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/unique_strings.h"
#include "tests/unit/run_suite.h"

static struct failure_latch latch;
static struct unique_strings strings;

static void set_up(void)
{
    failure_latch_init(&latch);
    unique_strings_init(&strings, &latch);
}

static void tear_down(void)
{
    unique_strings_fini(&strings);
}

static uint32_t add_text(const char *text)
{
    return unique_strings_add(&strings, text, strlen(text));
}

START_TEST(equal_strings_have_one_index)
{
    ck_assert_uint_eq(add_text("one"), 0);
    ck_assert_uint_eq(add_text("two"), 1);
    ck_assert_uint_eq(add_text("one"), 0);
    ck_assert_uint_eq(unique_strings_count(&strings), 2);
}
END_TEST

START_TEST(strings_differ_by_length_and_by_any_byte)
{
    ck_assert_uint_eq(add_text(""), 0);
    ck_assert_uint_eq(unique_strings_add(&strings, "\0", 1), 1);
    ck_assert_uint_eq(unique_strings_add(&strings, "\0\0", 2), 2);
    ck_assert_uint_eq(add_text("12345678"), 3);
    ck_assert_uint_eq(add_text("123456789"), 4);
    ck_assert_uint_eq(add_text("023456789"), 5);
    ck_assert_uint_eq(add_text(""), 0);
}
END_TEST

START_TEST(many_strings_stay_findable)
{
    enum { COUNT = 50000 };
    char text[32];
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            snprintf(text, sizeof(text), "string %u", i);
            ck_assert_uint_eq(add_text(text), i);
        }
    }
    size_t length;
    const char *last = unique_strings_get(&strings, COUNT - 1, &length);
    ck_assert(length == strlen(text) && memcmp(last, text, length) == 0);
}
END_TEST

static int append_text(void *context, const char *bytes, size_t n)
{
    strncat(context, bytes, n);
    return 0;
}

START_TEST(the_table_is_an_array_of_escaped_strings)
{
    char text[100] = "";
    struct json_writer writer;
    add_text("a\"b");
    add_text("c");
    json_writer_init_sink(&writer, append_text, text, &latch);
    unique_strings_stream(&strings, &writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    json_writer_fini(&writer);
    ck_assert_str_eq(text, "[\"a\\\"b\",\"c\"]");
}
END_TEST

START_TEST(nothing_is_added_after_a_failure)
{
    ck_assert_uint_eq(add_text("before"), 0);
    failure_latch_set(&latch, -EIO);
    ck_assert_uint_eq(add_text("after"), UNIQUE_NONE);
    ck_assert_uint_eq(add_text("before"), 0);
    ck_assert_uint_eq(unique_strings_count(&strings), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.unique_strings");
    TCase *table = tcase_create("table");
    tcase_add_checked_fixture(table, set_up, tear_down);
    tcase_add_test(table, equal_strings_have_one_index);
    tcase_add_test(table, strings_differ_by_length_and_by_any_byte);
    tcase_add_test(table, many_strings_stay_findable);
    tcase_add_test(table, the_table_is_an_array_of_escaped_strings);
    tcase_add_test(table, nothing_is_added_after_a_failure);
    suite_add_tcase(suite, table);
    return run_suite(suite);
}
