/* daemon.census_recall: what is known of processes after a restart. */

#include "daemon/census/census_recall.h"
#include "tests/unit/census_scene.h"
#include "tests/unit/run_suite.h"

/* As after a restart: what was read is known to nobody. */
static void read_without_a_session(void)
{
    session.state = SESSION_IDLE;
    census_read(&census);
    session.state = SESSION_ACTIVE;
    ck_assert_uint_eq(table.count, 0);
}

START_TEST(a_process_that_sleeps_is_recalled_after_a_restart)
{
    uint64_t now_ns = uv_hrtime();

    put_entry(CENSUS_PRESENT, now_ns, 0);
    read_without_a_session();
    census_recall(&census);
    ck_assert_ptr_nonnull(latest_child());
    ck_assert_int_eq(latest_child()->dormancy, CHILD_DORMANT);
    ck_assert_uint_eq(latest_child()->start_ns, now_ns);
    ck_assert_ptr_nonnull(latest_child()->watch);
    census_recall(&census);
    ck_assert_uint_eq(table.count, 1);
}
END_TEST

START_TEST(a_pid_that_is_of_another_process_now_is_not_recalled)
{
    session.start_ns = 1;
    put_entry(CENSUS_PRESENT, 2, 0); /* long before the process began */
    read_without_a_session();
    census_recall(&census);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

/* Whether the first of two entries of one process is its last word. */
static bool is_last_word_before(enum census_kind kind)
{
    const struct census_entry entries[] = { { .kind = CENSUS_PRESENT, .pid = 7 },
                                            { .kind = kind, .pid = 7 } };
    return census_recall_is_last_word(entries, 2, 0);
}

START_TEST(the_last_word_of_a_process_counts)
{
    const struct census_entry failed_exec[] = { { .kind = CENSUS_PRESENT, .pid = 7 },
                                                { .kind = CENSUS_EXEC, .pid = 7 },
                                                { .kind = CENSUS_ENDED, .pid = 8 },
                                                { .kind = CENSUS_FAILED, .pid = 7 } };

    ck_assert(census_recall_is_last_word(failed_exec, 1, 0));
    ck_assert(!census_recall_is_last_word(failed_exec, 2, 0));
    ck_assert(!census_recall_is_last_word(failed_exec, 2, 1));
    ck_assert(census_recall_is_last_word(failed_exec, 4, 0));
    ck_assert(!is_last_word_before(CENSUS_PRESENT));
    ck_assert(!is_last_word_before(CENSUS_WOKEN));
    ck_assert(!is_last_word_before(CENSUS_ENDED));
    ck_assert(is_last_word_before(CENSUS_WISH));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_recall");
    TCase *all = tcase_create("census");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_process_that_sleeps_is_recalled_after_a_restart);
    tcase_add_test(all, a_pid_that_is_of_another_process_now_is_not_recalled);
    tcase_add_test(all, the_last_word_of_a_process_counts);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
