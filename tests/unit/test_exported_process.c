/* What a profile's log says of a program is what servers are told. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/export/exported_process.h"
#include "tests/unit/run_suite.h"

static struct process_log said;

static void set_up(void)
{
    process_log_init(&said);
}

static void tear_down(void)
{
    process_log_free(&said);
}

START_TEST(what_is_not_known_is_not_told)
{
    const struct exported_process process = exported_process_of(&said, 1000, "worker");

    ck_assert_str_eq(process.program, "worker");
    ck_assert_str_eq(process.kind, "");
    ck_assert_ptr_null(process.labels);
    ck_assert_int_lt(process.pid, 0);
    ck_assert_int_lt(process.parent_pid, 0);
    ck_assert_int_lt(process.seen_ns, 0);
    ck_assert_uint_eq(process.later_images, 0);
    ck_assert_int_eq(process.end, EXPORTED_LIVES);
    ck_assert(!process.has_agent);
}
END_TEST

START_TEST(a_process_with_a_name_of_its_own_is_a_kind)
{
    said.executable = strdup("/usr/bin/server");
    said.verdict = strdup("live");
    said.pid = 7;
    const struct exported_process process = exported_process_of(&said, 1000, "worker");

    ck_assert_str_eq(process.program, "server");
    ck_assert_str_eq(process.kind, "worker");
    ck_assert_int_eq(process.pid, 7);
    ck_assert(process.has_agent);
}
END_TEST

START_TEST(a_program_that_went_on_has_not_ended_its_process)
{
    said.outcome = strdup("execed");
    said.end_ms = 5;
    said.later_images = 2;
    const struct exported_process process = exported_process_of(&said, 1000, "sh");

    ck_assert_int_eq(process.end, EXPORTED_WENT_ON);
    ck_assert_uint_eq(process.later_images, 2);
}
END_TEST

START_TEST(a_process_was_seen_as_early_as_is_told)
{
    said.end_ms = 9;
    ck_assert_int_eq(exported_process_of(&said, 1000, "sh").seen_ns, 9001000);
    said.start_ms = 5;
    ck_assert_int_eq(exported_process_of(&said, 1000, "sh").seen_ns, 5001000);
    said.process_start_ms = 3;
    ck_assert_int_eq(exported_process_of(&said, 1000, "sh").seen_ns, 3001000);
}
END_TEST

START_TEST(without_an_agent_nobody_told_labels)
{
    said.verdict = strdup("not-profiled");
    said.outcome = strdup("exited");
    said.end_ms = 5;
    const struct exported_process process = exported_process_of(&said, 1000, "sh");

    ck_assert_int_eq(process.end, EXPORTED_ENDED);
    ck_assert(!process.has_agent);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.exported_process");
    TCase *tests = tcase_create("processes");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, what_is_not_known_is_not_told);
    tcase_add_test(tests, a_process_with_a_name_of_its_own_is_a_kind);
    tcase_add_test(tests, a_program_that_went_on_has_not_ended_its_process);
    tcase_add_test(tests, a_process_was_seen_as_early_as_is_told);
    tcase_add_test(tests, without_an_agent_nobody_told_labels);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
