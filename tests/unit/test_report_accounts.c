/* profctl.report: CPU time that no sample tells of, and how processes ended. */
#include <stdlib.h>

#include "profctl/report/report.h"
#include "tests/unit/report_scene.h"
#include "tests/unit/run_suite.h"

#define LOGGED(threads, told)                                                                      \
    "{\"meta\":{},\"threads\":[" threads "],\"profilingLog\":{\"9\":{\"other\":[{}],"              \
    "\"profd\":{" told ",\"drops\":{}},\"log\":[]}}}"
#define TOLD(verdict, code, pid, later, cpu, before)                                               \
    "\"verdict\":\"" verdict "\",\"outcome\":\"" verdict "\",\"code\":" code ",\"pid\":" pid       \
    ",\"laterImages\":" later ",\"cpuTime\":" cpu ",\"cpuTimeBefore\":" before
#define ABSENT(outcome, code, pid, cpu)                                                            \
    "\"verdict\":\"not-profiled\",\"outcome\":\"" outcome "\",\"code\":" code ",\"pid\":" pid      \
    ",\"laterImages\":0,\"cpuTime\":" cpu ",\"cpuTimeBefore\":0,\"reason\":\"it is static\""

/* 1 ms was sampled of app's 10, nothing of true's 2 and 3, of which 1 was before; still, twice, was
 * not profiled: 4 ms, and once unknown. */
#define APP                                                                                        \
    LOGGED(THREAD("app", "GeckoMain", "[0,1,0,1000]"), TOLD("killed", "11", "1", "0", "10", "0"))
#define TRUE_ONE  LOGGED(THREAD("true", "GeckoMain", ""), TOLD("exited", "0", "2", "0", "2", "0"))
#define TRUE_TWO  LOGGED(THREAD("true", "GeckoMain", ""), TOLD("exited", "3", "3", "0", "3", "1"))
#define STILL_ONE LOGGED(THREAD("still", "GeckoMain", ""), ABSENT("exited", "0", "4", "4"))
#define STILL_TWO LOGGED(THREAD("still", "GeckoMain", ""), ABSENT("killed", "9", "5", "null"))

static const char accounts[] = PROFILE(APP "," TRUE_ONE "," TRUE_TWO "," STILL_ONE "," STILL_TWO);

START_TEST(all_cpu_time_is_in_the_report)
{
    ck_assert_int_eq(read_text(accounts, false), 0);
    ck_assert_double_eq_tol(report.size.cpu_ns, 18e6, 1);
    ck_assert_double_eq_tol(report.size.not_sampled_ns, 13e6, 1);
    ck_assert_double_eq_tol(report.absent_ns, 4e6, 1);
    ck_assert_str_eq(group_at(0)->name, "app");
    ck_assert_double_eq_tol(group_at(0)->size.cpu_ns, 10e6, 1);
    ck_assert_str_eq(group_at(1)->name, "true");
    ck_assert_uint_eq(group_at(1)->processes, 2);
    ck_assert_double_eq_tol(group_at(1)->size.not_sampled_ns, 4e6, 1);
}
END_TEST

START_TEST(a_program_s_time_before_its_exec_is_its_process)
{
    static const char text[] =
        PROFILE(LOGGED(THREAD("sh", "GeckoMain", "[0,1,0,3000]"),
                       TOLD("execed", "0", "1", "1", "null",
                            "0")) "," LOGGED(THREAD("app", "GeckoMain", "[0,1,0,3000]"),
                                             TOLD("exited", "0", "1", "0", "10", "0")));

    ck_assert_int_eq(read_text(text, false), 0);
    ck_assert_double_eq_tol(report.size.cpu_ns, 10e6, 1);
    ck_assert_str_eq(group_at(0)->name, "app");
    ck_assert_double_eq_tol(group_at(0)->size.not_sampled_ns, 4e6, 1);
}
END_TEST

START_TEST(those_without_samples_have_their_share)
{
    char *text;

    ck_assert_int_eq(read_text(accounts, false), 0);
    text = printed_text(10, false);
    ck_assert_ptr_nonnull(strstr(text, "\n  sampled          1.0 ms   5.6%\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n  not sampled     13.0 ms  72.2%\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n  not profiled     4.0 ms  22.2%\n"));
    ck_assert_ptr_nonnull(strstr(text, "true (2 processes): 4.0 ms CPU, 0 samples, 22.2% of all"));
    ck_assert_ptr_nonnull(strstr(text, "      4.0 ms  22.2%            (not sampled)"));
    ck_assert_ptr_nonnull(
        strstr(text, "2 × still: 4.0 ms CPU, 22.2% of all, and more that is not known"));
    ck_assert_ptr_nonnull(strstr(text, "           it is static"));
    free(text);
}
END_TEST

START_TEST(ends_that_were_not_good_are_told)
{
    char *text;

    ck_assert_int_eq(read_text(accounts, false), 0);
    text = printed_text(10, false);
    ck_assert_ptr_nonnull(strstr(text, "1 × app: crashed by SIGSEGV"));
    ck_assert_ptr_nonnull(strstr(text, "1 × still: killed by SIGKILL"));
    ck_assert_ptr_nonnull(strstr(text, "1 × true: exited with status 3"));
    ck_assert_ptr_null(strstr(text, "status 0"));
    free(text);
    text = printed_text(10, true);
    ck_assert_ptr_nonnull(strstr(text, "\"notProfiledMs\":4"));
    ck_assert_ptr_nonnull(
        strstr(text, "{\"process\":\"still\",\"reason\":\"it is static\",\"processes\":2,"
                     "\"unknown\":1,\"cpuMs\":4}"));
    ck_assert_ptr_nonnull(strstr(text, "{\"process\":\"app\",\"verdict\":\"killed\",\"code\":11,"
                                       "\"signal\":\"SIGSEGV\",\"processes\":1}"));
    ck_assert_ptr_null(strstr(text, "\"process\":\"still\",\"processes\":"));
    free(text);
}
END_TEST

START_TEST(names_of_those_that_ended_command_no_terminal)
{
    char *text;
    static const char red[] = PROFILE(LOGGED(THREAD("a\\u001b[31m", "GeckoMain", "[0,1,0,1000]"),
                                             TOLD("exited", "3", "1", "0", "10", "0")));

    ck_assert_int_eq(read_text(red, false), 0);
    text = printed_text(10, false);
    ck_assert_ptr_nonnull(strstr(text, "1 × a?[31m: exited with status 3"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report_accounts");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, NULL, free_report);
    tcase_add_test(tests, all_cpu_time_is_in_the_report);
    tcase_add_test(tests, a_program_s_time_before_its_exec_is_its_process);
    tcase_add_test(tests, those_without_samples_have_their_share);
    tcase_add_test(tests, ends_that_were_not_good_are_told);
    tcase_add_test(tests, names_of_those_that_ended_command_no_terminal);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
