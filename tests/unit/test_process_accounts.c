/* What processes used beyond their samples. */
#include <check.h>

#include "profctl/profile/process_accounts.h"
#include "tests/unit/run_suite.h"

static struct process_account make_account(double pid, double later, double charged, double sampled)
{
    return (struct process_account){ .pid = pid,
                                     .later_images = later,
                                     .is_known = charged >= 0,
                                     .charged_ns = charged,
                                     .sampled_ns = sampled };
}

START_TEST(the_rest_is_what_no_sample_says)
{
    struct process_account one = make_account(7, 0, 100, 30);
    process_accounts_settle(&one, 1);
    ck_assert_double_eq(one.rest_ns, 70);
}
END_TEST

START_TEST(what_was_before_is_not_shown)
{
    struct process_account one = make_account(7, 0, 100, 30);
    one.before_ns = 60;
    process_accounts_settle(&one, 1);
    ck_assert_double_eq(one.rest_ns, 10);
}
END_TEST

START_TEST(samples_that_say_more_leave_nothing)
{
    struct process_account one = make_account(7, 0, 100, 101);
    process_accounts_settle(&one, 1);
    ck_assert_double_eq(one.rest_ns, 0);
}
END_TEST

START_TEST(nothing_is_known_of_whom_nobody_reaped)
{
    struct process_account one = make_account(7, 0, -1, 30);
    process_accounts_settle(&one, 1);
    ck_assert_double_eq(one.rest_ns, 0);
}
END_TEST

START_TEST(programs_share_a_clock_that_nobody_read_between_them)
{
    struct process_account all[] = { make_account(7, 0, 100, 20), make_account(8, 0, 50, 50),
                                     make_account(7, 2, -1, 10), make_account(7, 1, -1, 30) };
    all[2].goes_on = all[3].goes_on = true;
    process_accounts_settle(all, 4);
    ck_assert_double_eq(all[0].later_images, 2);
    ck_assert_double_eq(all[0].rest_ns, 0);
    ck_assert_double_eq(all[1].rest_ns, 0);
    ck_assert_double_eq(all[2].rest_ns, 40);
    ck_assert_double_eq(all[3].rest_ns, 0);
}
END_TEST

START_TEST(each_program_has_what_was_charged_since_the_one_before)
{
    struct process_account all[] = { make_account(7, 0, 100, 20), make_account(7, 1, 70, 10),
                                     make_account(7, 2, 40, 10) };
    all[1].goes_on = all[2].goes_on = true;
    all[0].before_ns = all[1].before_ns = all[2].before_ns = 5;
    process_accounts_settle(all, 3);
    ck_assert_double_eq(all[0].rest_ns, 25); /* the first */
    ck_assert_double_eq(all[1].rest_ns, 20);
    ck_assert_double_eq(all[2].rest_ns, 10);
}
END_TEST

START_TEST(samples_beyond_the_own_time_are_of_the_next_program)
{
    struct process_account all[] = { make_account(7, 1, 10, 12), make_account(7, 0, 100, 20) };
    all[0].goes_on = true;
    process_accounts_settle(all, 2);
    ck_assert_double_eq(all[0].rest_ns, 0);
    ck_assert_double_eq(all[1].rest_ns, 68);
}
END_TEST

START_TEST(a_pid_that_was_used_again_is_another_process)
{
    struct process_account all[] = { make_account(7, 1, 100, 20), make_account(7, 0, 60, 50) };
    process_accounts_settle(all, 2);
    ck_assert_double_eq(all[0].rest_ns, 80);
    ck_assert_double_eq(all[1].rest_ns, 10);
}
END_TEST

START_TEST(whose_next_program_is_not_there_has_its_own_rest)
{
    struct process_account all[] = { make_account(7, 1, 100, 20), make_account(9, 0, 60, 50) };
    all[0].goes_on = true;
    process_accounts_settle(all, 2);
    ck_assert_double_eq(all[0].rest_ns, 80);
    ck_assert_double_eq(all[1].rest_ns, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.process_accounts");
    TCase *tests = tcase_create("accounts");

    tcase_add_test(tests, the_rest_is_what_no_sample_says);
    tcase_add_test(tests, what_was_before_is_not_shown);
    tcase_add_test(tests, samples_that_say_more_leave_nothing);
    tcase_add_test(tests, nothing_is_known_of_whom_nobody_reaped);
    tcase_add_test(tests, programs_share_a_clock_that_nobody_read_between_them);
    tcase_add_test(tests, each_program_has_what_was_charged_since_the_one_before);
    tcase_add_test(tests, samples_beyond_the_own_time_are_of_the_next_program);
    tcase_add_test(tests, a_pid_that_was_used_again_is_another_process);
    tcase_add_test(tests, whose_next_program_is_not_there_has_its_own_rest);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
