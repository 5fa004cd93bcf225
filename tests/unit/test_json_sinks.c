/* profctl.json_sinks */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/mapped_array.h"
#include "profctl/json_sinks.h"
#include "tests/unit/run_suite.h"

START_TEST(memory_keeps_all_that_came)
{
    struct mapped_array text = { 0 };

    ck_assert_int_eq(json_sink_memory(&text, "", 0), 0);
    ck_assert_int_eq(json_sink_memory(&text, "[1", 2), 0);
    ck_assert_int_eq(json_sink_memory(&text, ",2]", 3), 0);
    ck_assert_uint_eq(text.count, 5);
    ck_assert_mem_eq(text.items, "[1,2]", 5);
    mapped_array_free(&text);
}
END_TEST

START_TEST(a_file_gets_what_came)
{
    char text[8] = "";
    FILE *file = fmemopen(text, sizeof(text), "w");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(json_sink_file(file, "[1]", 3), 0);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_str_eq(text, "[1]");
}
END_TEST

START_TEST(a_file_tells_why_it_takes_no_more)
{
    FILE *full = fopen("/dev/full", "w");

    ck_assert_ptr_nonnull(full);
    setvbuf(full, NULL, _IONBF, 0);
    ck_assert_int_eq(json_sink_file(full, "[1]", 3), -ENOSPC);
    fclose(full);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.json_sinks");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, memory_keeps_all_that_came);
    tcase_add_test(tests, a_file_gets_what_came);
    tcase_add_test(tests, a_file_tells_why_it_takes_no_more);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
