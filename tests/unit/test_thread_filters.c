/* Which threads filters let through, how often a sleeping one is looked at, and the kernel's list.
 */
#include <check.h>

#include "child-agent/threads/thread_sleep.h"
#include "child-agent/threads/thread_spy.h"
#include "common/thread_filters.h"
#include "tests/unit/run_suite.h"

static const struct thread_filter_subject worker = { "Worker 7", 8, false, 123 };
static const struct thread_filter_subject main_thread = { "server", 6, true, 123 };

START_TEST(test_everything_passes_no_filters_and_the_star)
{
    ck_assert(thread_filters_pass("", &worker));
    ck_assert(thread_filters_pass(",", &worker));
    ck_assert(thread_filters_pass("*", &worker));
    ck_assert(thread_filters_pass("nothing,*", &worker));
}
END_TEST

START_TEST(test_names_pass_by_a_part_in_whatever_case)
{
    ck_assert(thread_filters_pass("work", &worker));
    ck_assert(thread_filters_pass("nothing,,ER 7", &worker));
    ck_assert(!thread_filters_pass("worker 70", &worker));
    ck_assert(!thread_filters_pass("GeckoMain", &worker));
    ck_assert(thread_filters_pass("geckomain", &main_thread));
    ck_assert(!thread_filters_pass("*x", &worker));
}
END_TEST

START_TEST(test_processes_pass_by_id)
{
    ck_assert(thread_filters_pass("pid:123", &worker));
    ck_assert(thread_filters_pass("nothing,PID:123", &main_thread));
    ck_assert(!thread_filters_pass("pid:12", &worker));
    ck_assert(!thread_filters_pass("pid:1234", &worker));
}
END_TEST

START_TEST(test_what_names_no_process_is_part_of_a_name)
{
    static const struct thread_filter_subject odd = { "my pid:x thread", 15, false, 0 };
    ck_assert(thread_filters_pass("pid:x", &odd));
    ck_assert(thread_filters_pass("pid:", &odd));
    ck_assert(!thread_filters_pass("pid:0", &odd));
    ck_assert(!thread_filters_pass("pid:123x", &worker));
    ck_assert(!thread_filters_pass("pid:99999999999999999999", &worker));
}
END_TEST

START_TEST(test_what_means_nothing_is_refused_where_it_is_written)
{
    static const char *const meant[] = { "*", "pool", ",pool,", "pid:1", "PID:123,x", "a pid:x b" };
    static const char *const not_meant[] = { "",       ",",       ",,,",
                                             "pid:",   "pid:x",   "pool,Pid:0",
                                             "pid:-1", "pid:12 ", "pid:99999999999999999999" };
    for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
        ck_assert_msg(thread_filters_are_valid(meant[i]), "%s", meant[i]);
    for (size_t i = 0; i < sizeof(not_meant) / sizeof(not_meant[0]); i++)
        ck_assert_msg(!thread_filters_are_valid(not_meant[i]), "%s", not_meant[i]);
}
END_TEST

START_TEST(test_looks_at_the_kernels_list_are_rare)
{
    ck_assert_uint_eq(thread_spy_next_look_ns(7, 0), 7 + SPY_LEAST_PERIOD_NS);
    ck_assert_uint_eq(thread_spy_next_look_ns(7, 2000000), 7 + SPY_LEAST_PERIOD_NS);
    ck_assert_uint_eq(thread_spy_next_look_ns(7, 30000000), 7 + UINT64_C(3000000000));
}
END_TEST

START_TEST(test_a_sleeping_thread_is_looked_at_once)
{
    _Atomic enum thread_sleep sleep = THREAD_AWAKE;
    ck_assert(thread_sleep_lets_look(&sleep));
    ck_assert(thread_sleep_lets_look(&sleep));
    sleep = THREAD_ASLEEP;
    ck_assert(thread_sleep_lets_look(&sleep));
    ck_assert(!thread_sleep_lets_look(&sleep));
    thread_sleep_forget_look(&sleep);
    ck_assert(thread_sleep_lets_look(&sleep));
    ck_assert(!thread_sleep_lets_look(&sleep));
    sleep = THREAD_AWAKE;
    thread_sleep_forget_look(&sleep);
    ck_assert_int_eq(sleep, THREAD_AWAKE);
    ck_assert(thread_sleep_lets_look(&sleep));
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("threads");
    tcase_add_test(cases, test_everything_passes_no_filters_and_the_star);
    tcase_add_test(cases, test_names_pass_by_a_part_in_whatever_case);
    tcase_add_test(cases, test_processes_pass_by_id);
    tcase_add_test(cases, test_what_names_no_process_is_part_of_a_name);
    tcase_add_test(cases, test_what_means_nothing_is_refused_where_it_is_written);
    tcase_add_test(cases, test_looks_at_the_kernels_list_are_rare);
    tcase_add_test(cases, test_a_sleeping_thread_is_looked_at_once);
    Suite *suite = suite_create("thread_filters");
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
