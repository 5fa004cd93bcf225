/* profctl.report: what is grouped, ranked, printed and refused. */
#include <errno.h>
#include <stdlib.h>

#include "profctl/report/report.h"
#include "tests/unit/report_scene.h"
#include "tests/unit/run_suite.h"

static const char build[] = PROFILE(PROCESS(THREAD("sh", "GeckoMain", "[0,1,0,0]")) "," PROCESS(
    THREAD("cc1", "GeckoMain",
           "[0,1,0,5]")) "," PROCESS(THREAD("cc1", "GeckoMain",
                                            "[1,1,0,5],[1,2,0,5]") "," THREAD("cc1", "helper",
                                                                              "[3,1,0,5]")));

START_TEST(processes_of_one_name_count_together)
{
    ck_assert_int_eq(read_text(build, false), 0);
    ck_assert_uint_eq(report.processes, 3);
    ck_assert_uint_eq(report.groups.count, 2);
    ck_assert_str_eq(group_at(0)->name, "cc1");
    ck_assert_uint_eq(group_at(0)->processes, 2);
    ck_assert_uint_eq(group_at(0)->size.ranked_samples, 4);
    ck_assert_str_eq(group_at(1)->name, "sh");
}
END_TEST

START_TEST(threads_of_one_name_count_together)
{
    ck_assert_int_eq(read_text(build, false), 0);
    ck_assert_uint_eq(group_at(0)->threads.count, 2);
    ck_assert_str_eq(thread_of(group_at(0), 0)->name, "main thread");
    ck_assert_uint_eq(thread_of(group_at(0), 0)->threads, 2);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "main (in app)").total, 3);
    ck_assert_str_eq(thread_of(group_at(0), 1)->name, "helper");
}
END_TEST

/* "nap" wakes up at each tick and does next to nothing; "busy" was seen half as often. */
static const char naps[] = PROFILE(
    PROCESS(THREAD("nap", "GeckoMain", "[1,1,0,3],[1,2,0,3],[1,3,0,3],[3,4,0,20]")) "," PROCESS(
        THREAD("busy", "GeckoMain", "[0,1,0,900],[0,2,0,900]")));

START_TEST(cpu_time_ranks_where_it_is_known)
{
    struct report_thread *napping;
    uint32_t *ranked;
    size_t length;

    ck_assert_int_eq(read_text(naps, false), 0);
    ck_assert_str_eq(group_at(0)->name, "busy");
    napping = thread_of(group_at(1), 0);
    ck_assert_uint_eq(count_of(napping, "work (in app)").self, 3);
    ck_assert_uint_eq(count_of(napping, "work (in app)").self_ns, 9000);
    ck_assert_uint_eq(count_of(napping, "work (in app)").total_ns, 29000);
    ck_assert_uint_eq(count_of(napping, "main (in app)").total_ns, 29000);
    ranked = report_rank_functions(&report, napping);
    ck_assert_ptr_nonnull(ranked);
    ck_assert_int_eq(
        strncmp(unique_strings_get(&napping->functions, ranked[0], &length), "leaf", 4), 0);
    free(ranked);
    free_report();
    ck_assert_int_eq(read_text(naps, true), 0);
    ck_assert_str_eq(group_at(0)->name, "nap");
}
END_TEST

START_TEST(the_text_says_what_it_ranks_by_and_sums_up_the_rest)
{
    char *text;

    ck_assert_int_eq(read_text(build, false), 0);
    text = printed_text(1, false);
    ck_assert_ptr_nonnull(strstr(text, "3 processes, 5 samples, 4 of them with CPU use"));
    ck_assert_ptr_nonnull(strstr(text, "Ranked by CPU time; percentages are of all CPU time"));
    ck_assert_ptr_nonnull(strstr(text, "cc1 (2 processes)"));
    ck_assert_ptr_nonnull(strstr(text, "work (in app)"));
    ck_assert_ptr_null(strstr(text, "main (in app)"));
    ck_assert_ptr_nonnull(strstr(text, "and 1 more process, without CPU time: sh"));
    free(text);
}
END_TEST

START_TEST(json_has_functions_and_libraries_apart)
{
    char *text;

    ck_assert_int_eq(read_text(build, false), 0);
    text = printed_text(10, true);
    ck_assert_ptr_nonnull(strstr(text, "\"rankedBy\":\"activeSamples\""));
    ck_assert_ptr_nonnull(
        strstr(text, "{\"function\":\"leaf\",\"library\":\"lib\",\"self\":1,\"total\":1,"
                     "\"selfMs\":0.005,\"totalMs\":0.005}"));
    ck_assert_ptr_nonnull(strstr(text, "\"orderedBy\":\"cpuMs\""));
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    free(text);
}
END_TEST

static const char *const malformed[] = {
    "",
    "[]",
    "{",
    "{\"threads\":{}}",
    "{\"processes\":[1]}",
    PROFILE(PROCESS(THREAD("app", "GeckoMain", "[99,1,0,5]"))),
    PROFILE(PROCESS(THREAD("app", "GeckoMain", "[-1,1,0,5]"))),
    PROFILE(PROCESS(THREAD("app", "GeckoMain", "5"))),
    PROFILE(PROCESS(THREAD("app", "GeckoMain", ""))) "{}",
    PROFILE(PROCESS("{" TABLES "\"stringTable\":[]}")), /* frames would point nowhere */
    PROFILE(PROCESS("{" TABLES TABLES "\"name\":\"a\"}")),
    PROFILE("{\"profilingLog\":{\"1\":{\"profd\":{\"pid\":}}}}"),
    PROFILE("{\"profilingLog\":{\"1\":{\"profd\":{\"reason\":\"a\"}}"),
    PROFILE(PROCESS("{\"samples\":{\"schema\":{\"stack\":0},\"data\":[[null]]},"
                    "\"name\":\"samples without stacks\"}")),
    SESSION("{\"profilingLog\":{\"17\":{\"profd\":{\"clock\":}}}}"),
};

START_TEST(what_is_no_profile_is_refused)
{
    ck_assert_msg(read_text(malformed[_i], false) == -EPROTO, "%s", malformed[_i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, NULL, free_report);
    tcase_add_test(tests, processes_of_one_name_count_together);
    tcase_add_test(tests, threads_of_one_name_count_together);
    tcase_add_test(tests, cpu_time_ranks_where_it_is_known);
    tcase_add_test(tests, the_text_says_what_it_ranks_by_and_sums_up_the_rest);
    tcase_add_test(tests, json_has_functions_and_libraries_apart);
    tcase_add_loop_test(tests, what_is_no_profile_is_refused, 0,
                        (int)(sizeof(malformed) / sizeof(malformed[0])));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
