/* profctl.json_steps */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "profctl/json_steps.h"
#include "tests/unit/run_suite.h"

static struct json_reader *reader;

static void read_text(const char *json)
{
    ck_assert_int_eq(json_reader_open_memory(json, strlen(json), &reader), 0);
}

static void close_reader(void)
{
    json_reader_close(reader);
}

START_TEST(what_is_expected_is_read)
{
    read_text("[]");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_ARRAY), 0);
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_END_ARRAY), 0);
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_END), 0);
}
END_TEST

START_TEST(anything_else_is_an_error)
{
    read_text("{} x");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_ARRAY), -EPROTO);
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_END_OBJECT), 0);
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_END), -EPROTO);
    ck_assert_int_eq(json_token_error(JSON_TOKEN_STRING), -EPROTO);
    ck_assert_int_eq(json_token_error(JSON_TOKEN_END), -EPROTO);
    ck_assert_int_eq(json_token_error(-ENOMEM), -ENOMEM);
}
END_TEST

START_TEST(each_member_is_a_step)
{
    unsigned steps = 0;
    int error = 0;

    read_text("{\"a\":1,\"b\":{\"c\":[]}}");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_OBJECT), 0);
    while (json_next_member(reader, &error)) {
        ck_assert(json_reader_is(reader, steps++ == 0 ? "a" : "b"));
        error = json_reader_skip(reader);
    }
    ck_assert_int_eq(error, 0);
    ck_assert_uint_eq(steps, 2);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END);
}
END_TEST

START_TEST(each_element_is_a_step)
{
    unsigned objects = 0, arrays = 0;
    int error = 0;

    read_text("[{},{\"a\":[[],[1]]}]");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_ARRAY), 0);
    while (json_next_object(reader, &error)) {
        objects++;
        while (json_next_member(reader, &error)) {
            error = json_expect(reader, JSON_TOKEN_START_ARRAY);
            while (json_next_array(reader, &error)) {
                arrays++;
                error = json_reader_skip(reader);
            }
        }
    }
    ck_assert_int_eq(error, 0);
    ck_assert_uint_eq(objects, 2);
    ck_assert_uint_eq(arrays, 2);
}
END_TEST

START_TEST(an_element_of_another_kind_ends_the_loop_with_an_error)
{
    int error = 0;

    read_text("[{},1]");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_ARRAY), 0);
    ck_assert(json_next_object(reader, &error));
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_END_OBJECT), 0);
    ck_assert(!json_next_object(reader, &error));
    ck_assert_int_eq(error, -EPROTO);
}
END_TEST

START_TEST(a_loop_ends_with_the_error_of_the_reader)
{
    int error = 0;

    read_text("{\"a\":1,");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_OBJECT), 0);
    ck_assert(json_next_member(reader, &error));
    error = json_reader_skip(reader);
    ck_assert(!json_next_member(reader, &error));
    ck_assert_int_lt(error, 0);
    ck_assert_int_eq(error, json_reader_next(reader));
}
END_TEST

START_TEST(a_loop_reads_nothing_after_a_step_that_failed)
{
    int error = -ENOSPC;

    read_text("{\"a\":1}");
    ck_assert_int_eq(json_expect(reader, JSON_TOKEN_START_OBJECT), 0);
    ck_assert(!json_next_member(reader, &error));
    ck_assert_int_eq(error, -ENOSPC);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_KEY);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.json_steps");
    TCase *tests = tcase_create("all");

    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, NULL, close_reader);
    tcase_add_test(tests, what_is_expected_is_read);
    tcase_add_test(tests, anything_else_is_an_error);
    tcase_add_test(tests, each_member_is_a_step);
    tcase_add_test(tests, each_element_is_a_step);
    tcase_add_test(tests, an_element_of_another_kind_ends_the_loop_with_an_error);
    tcase_add_test(tests, a_loop_ends_with_the_error_of_the_reader);
    tcase_add_test(tests, a_loop_reads_nothing_after_a_step_that_failed);
    return run_suite(suite);
}
