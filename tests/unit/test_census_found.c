/* daemon.census: processes that profd starts, or finds though they tell nothing. */

#include "daemon/children/process_program.h"
#include "tests/unit/census_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(a_process_without_an_agent_is_found)
{
    session.start_ns = uv_hrtime();
    worker = process;
    census_take(&census);
    ck_assert_ptr_null(latest_child()); /* it would be ours */
    worker = -1;
    census_take(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert(latest_child()->agent == CHILD_IS_SILENT);
    ck_assert_int_ne(latest_child()->obstacle, OBSTACLE_NONE);
    census_take(&census);
    ck_assert_uint_eq(table.count, 1); /* and once */
}
END_TEST

START_TEST(looks_are_taken_while_a_session_is_on)
{
    session.start_ns = uv_hrtime();
    census_begin_session(&census);
    while (latest_child() == NULL)
        uv_run(&loop, UV_RUN_ONCE);
    session.state = SESSION_IDLE;
    while (census.scan_ms != 0)
        uv_run(&loop, UV_RUN_ONCE);
}
END_TEST

START_TEST(a_program_that_profd_starts_and_cannot_record_is_known_at_once)
{
    const struct census_start start = { process, uv_hrtime(), "/bin/sleep", OBSTACLE_STATIC };

    census_note_started(&census, &start);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->obstacle, OBSTACLE_STATIC);
    ck_assert_str_eq(latest_child()->executable, "/bin/sleep");
    ck_assert_uint_eq(latest_child()->start_ns, start.start_ns);
}
END_TEST

START_TEST(one_that_may_record_is_waited_for)
{
    const struct census_start start = { process, uv_hrtime(), "/bin/sleep", OBSTACLE_NONE };

    census_note_started(&census, &start);
    ck_assert_ptr_null(latest_child());
}
END_TEST

START_TEST(who_is_reaped_unheard_is_a_name)
{
    uint64_t start_ns = uv_hrtime() - 1000;
    const struct process_remains remains = { 9, start_ns, "sleep" };

    census_note_reaped(&census, process, 1 << 8, &remains);
    ck_assert_uint_eq(latest_child()->start_ns, start_ns);
    ck_assert(!latest_child()->lacks_start);
    ck_assert(child_is_only_name(latest_child()));
    ck_assert_str_eq(latest_child()->executable, "sleep");
    ck_assert_uint_eq(latest_child()->cpu.used_ns, 9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_found");
    TCase *all = tcase_create("census");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_process_without_an_agent_is_found);
    tcase_add_test(all, looks_are_taken_while_a_session_is_on);
    tcase_add_test(all, a_program_that_profd_starts_and_cannot_record_is_known_at_once);
    tcase_add_test(all, one_that_may_record_is_waited_for);
    tcase_add_test(all, who_is_reaped_unheard_is_a_name);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
