/* profctl.report: the clocks of processes, and what they lost. */
#include <stdlib.h>

#include "profctl/report/report.h"
#include "tests/unit/report_scene.h"
#include "tests/unit/run_suite.h"

#define CLOCKED(account)                                                                           \
    "{\"meta\":{\"interval\":9},\"profilingLog\":{\"17\":{\"profd\":" account                      \
    ",\"log\":[{\"clock\":\"wall\"}]}},\"threads\":[]}"

START_TEST(what_was_lost_is_summed_up)
{
    char *text;

    ck_assert_int_eq(read_text(SESSION(CLOCKED("{\"lostBlocks\":3}") "," CLOCKED(
                                   "{\"lostBlocks\":0}") "," CLOCKED("{\"lostBlocks\":4}")),
                               false),
                     0);
    text = printed_text(1, false);
    ck_assert_ptr_nonnull(strstr(text, "\nLost: 7 of the blocks"));
    free(text);
    text = printed_text(1, true);
    ck_assert_ptr_nonnull(strstr(text, "\"lostBlocks\":7"));
    free(text);
}
END_TEST

START_TEST(clocks_of_all_processes_are_summed_up)
{
    char *text;

    ck_assert_int_eq(
        read_text(
            SESSION(CLOCKED(
                "{\"pid\":17,\"clock\":\"cpu\",\"clockInterval\":4,"
                "\"clockRefused\":null,"
                "\"drops\":{\"clock\":\"wall\"}}") "," CLOCKED("{\"clock\":"
                                                               "\"cpu\","
                                                               "\"clockInterval\":"
                                                               "4}") "," CLOCKED("{\"clock\":"
                                                                                 "\"perf\","
                                                                                 "\"clockInterval\""
                                                                                 ":1}")),
            false),
        0);
    text = printed_text(1, false);
    ck_assert_ptr_nonnull(
        strstr(text, "\nclock: cpu, 4 ms in 2 processes: the kernel's tick; --clock perf for 1 ms\n"
                     "clock: perf, 1 ms in 1 process\n"));
    free(text);
    text = printed_text(1, true);
    ck_assert_ptr_nonnull(strstr(text, "\"clocks\":[{\"clock\":\"cpu\",\"processes\":2,"));
    free(text);
}
END_TEST

START_TEST(a_reason_is_told)
{
    char *text;

    ck_assert_int_eq(read_text(SESSION(CLOCKED("{\"clockRefused\":\"a seccomp filter is in place\","
                                               "\"clock\":\"wall\",\"clockInterval\":null}")),
                               false),
                     0);
    text = printed_text(1, false);
    ck_assert_ptr_nonnull(
        strstr(text, "\nclock: wall; not as requested: a seccomp filter is in place\n"));
    free(text);
    text = printed_text(1, true);
    ck_assert_ptr_nonnull(strstr(text, "\"refused\":\"a seccomp filter is in place\""));
    free(text);
}
END_TEST

/* What other profilers write there, and what is none of ours. */
static const char *const clockless_profiles[] = {
    SESSION(CLOCKED("5")),
    SESSION(CLOCKED("null")),
    SESSION(CLOCKED("[]")),
    SESSION(CLOCKED("{}")),
    SESSION(CLOCKED("{\"clock\":null,\"clockInterval\":null,\"clockRefused\":null}")),
    SESSION(CLOCKED("{\"clock\":[\"cpu\"],\"clockInterval\":{},\"clockRefused\":7}")),
    SESSION(CLOCKED("{\"clock\":\"auto\"}")),
    SESSION(CLOCKED("{\"clock\":\"sundial\",\"clockInterval\":1e300}")),
};

START_TEST(who_tells_of_no_clock_has_none)
{
    char *text;

    ck_assert_msg(read_text(clockless_profiles[_i], false) == 0, "%s", clockless_profiles[_i]);
    text = printed_text(1, false);
    ck_assert_msg(strstr(text, "clock:") == NULL, "%s", text);
    free(text);
    text = printed_text(1, true);
    ck_assert_ptr_nonnull(strstr(text, "\"clocks\":[]"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report_clocks");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, NULL, free_report);
    tcase_add_test(tests, what_was_lost_is_summed_up);
    tcase_add_test(tests, clocks_of_all_processes_are_summed_up);
    tcase_add_test(tests, a_reason_is_told);
    tcase_add_loop_test(tests, who_tells_of_no_clock_has_none, 0,
                        sizeof(clockless_profiles) / sizeof(clockless_profiles[0]));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
