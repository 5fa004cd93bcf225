/* profctl.report: what the samples of a function count. */
#include <stdlib.h>

#include "profctl/report/report.h"
#include "tests/unit/report_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(self_is_the_leaf_and_total_its_callers_too)
{
    struct report_thread *thread;

    ck_assert_int_eq(
        read_text(PROFILE(PROCESS(THREAD("app", "GeckoMain", "[0,1,0,5],[1,2,0,5],[3,3,0,5]"))),
                  false),
        0);
    thread = thread_of(group_at(0), 0);
    ck_assert_uint_eq(count_of(thread, "main (in app)").self, 1);
    ck_assert_uint_eq(count_of(thread, "main (in app)").total, 3);
    ck_assert_uint_eq(count_of(thread, "leaf (in lib)").self, 1);
    ck_assert_uint_eq(count_of(thread, "leaf (in lib)").total, 1);
}
END_TEST

/* As in captures of Firefox, whose parent process has the others in it. */
START_TEST(a_root_with_stacks_is_a_process_of_its_own)
{
    static const char text[] =
        "{\"meta\":{\"sampleUnits\":{\"time\":\"ms\",\"threadCPUDelta\":\"µs\"}},"
        "\"threads\":[" THREAD(
            "parent", "GeckoMain",
            "[0,1,0,5]") "],"
                         "\"processes\":[" PROCESS(
                             THREAD("child", "GeckoMain",
                                    "[0,1,0,5],[0,2,0,5]")) "," PROCESS(THREAD("child", "GeckoMain",
                                                                               "[0,1,0,5]")) "]}";

    ck_assert_int_eq(read_text(text, false), 0);
    ck_assert_uint_eq(report.processes, 3);
    ck_assert_uint_eq(report.groups.count, 2);
    ck_assert_str_eq(group_at(0)->name, "child");
    ck_assert_uint_eq(group_at(0)->processes, 2);
    ck_assert_uint_eq(group_at(0)->size.samples, 3);
    ck_assert_uint_eq(group_at(1)->processes, 1);
    ck_assert_uint_eq(group_at(1)->size.samples, 1);
}
END_TEST

START_TEST(recursion_counts_once)
{
    struct report_thread *thread;

    ck_assert_int_eq(
        read_text(PROFILE(PROCESS(THREAD("app", "GeckoMain", "[2,1,0,5],[2,2,0,5],[3,3,0,5]"))),
                  false),
        0);
    thread = thread_of(group_at(0), 0);
    ck_assert_uint_eq(count_of(thread, "work (in app)").self, 2);
    ck_assert_uint_eq(count_of(thread, "work (in app)").total, 3);
}
END_TEST

/* A profile of one sample, in a stack of DEPTH functions that are all different; to be freed. */
static char *deep_profile(unsigned depth)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(out);
    fputs("{\"meta\":{},\"threads\":[{\"name\":\"deep\",\"stringTable\":[\"f0\"", out);
    for (unsigned i = 1; i < depth; i++)
        fprintf(out, ",\"f%u\"", i);
    fputs("],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]", out);
    for (unsigned i = 1; i < depth; i++)
        fprintf(out, ",[%u]", i);
    fputs("]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]", out);
    for (unsigned i = 1; i < depth; i++)
        fprintf(out, ",[%u,%u]", i - 1, i);
    fprintf(out,
            "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[%u,1]]}}],"
            "\"processes\":[]}",
            depth - 1);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* Who looks for recursion from each call back to the first one is at it for minutes, and ended by
 * Check. */
START_TEST(a_stack_may_be_as_deep_as_it_likes)
{
    enum { DEPTH = 400000 };
    char *text = deep_profile(DEPTH);

    ck_assert_int_eq(read_text(text, false), 0);
    free(text);
    const struct report_thread *thread = thread_of(group_at(0), 0);
    ck_assert_uint_eq(thread->counts.count, DEPTH);
    ck_assert_uint_eq(count_of(thread, "f0").total, 1);
    ck_assert_uint_eq(count_of(thread, "f0").self, 0);
    ck_assert_uint_eq(count_of(thread, "f399999").self, 1);
}
END_TEST

START_TEST(idle_samples_count_only_when_asked_for)
{
    static const char text[] =
        PROFILE(PROCESS(THREAD("app", "GeckoMain", "[0,1,0,5],[1,2,0,0],[1,3,0],[null,4,0,5]")));

    ck_assert_int_eq(read_text(text, false), 0);
    ck_assert_uint_eq(report.size.samples, 4);
    ck_assert_uint_eq(report.size.active_samples, 2);
    ck_assert_uint_eq(report.size.ranked_samples, 2);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "work (in app)").self, 0);
    free_report();
    ck_assert_int_eq(read_text(text, true), 0);
    ck_assert_uint_eq(report.size.ranked_samples, 4);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "work (in app)").self, 2);
}
END_TEST

START_TEST(cpu_time_is_in_the_profile_s_unit)
{
    ck_assert_int_eq(
        read_text(PROFILE(PROCESS(THREAD("app", "GeckoMain", "[0,1,0,500],[0,2,0,700]"))), false),
        0);
    ck_assert_double_eq_tol(report.size.cpu_ns, 1.2e6, 1);
}
END_TEST

START_TEST(addresses_are_shown_as_offsets_in_their_library)
{
    ck_assert_int_eq(read_text(PROFILE(PROCESS(THREAD("app", "GeckoMain", "[4,1,0,5]"))), false),
                     0);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "0x110 (in lib)").self, 1);
}
END_TEST

START_TEST(generated_code_is_one_function_that_counts_once)
{
    static const char text[] =
        "{\"threads\":[],\"processes\":[{\"threads\":[{\"name\":\"GeckoMain\","
        "\"processName\":\"app\",\"stringTable\":[\"unmapped 0x10\",\"unmapped 0x20\"],"
        "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]},"
        "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]},"
        "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,1],[0,2]]}}]}]}";
    struct function_count count;

    ck_assert_int_eq(read_text(text, false), 0);
    count = count_of(thread_of(group_at(0), 0), "generated code (in no library)");
    ck_assert_uint_eq(count.self, 2);
    ck_assert_uint_eq(count.total, 2);
}
END_TEST

/* 90 ms on one frame, of which one tick was seen there. */
START_TEST(what_a_sample_claims_beyond_a_tick_is_spread)
{
    struct report_thread *thread;

    ck_assert_int_eq(
        read_text(PROFILE(PROCESS(
                      THREAD("app", "GeckoMain", "[0,100,0,4000],[3,190,0,90000],[0,200,0,4000]"))),
                  false),
        0);
    thread = thread_of(group_at(0), 0);
    ck_assert_uint_eq(count_of(thread, "leaf (in lib)").self_ns, 98000000 / 3);
    ck_assert_double_eq_tol(report.size.cpu_ns, 98e6, 1);
    ck_assert_double_eq_tol(report.size.not_sampled_ns, 0, 1);
}
END_TEST

/* The same, of a clock that looks each 90 ms. */
START_TEST(a_process_own_clock_tells_what_a_sample_claims)
{
    static const char text[] = PROFILE("{\"meta\":{\"interval\":90},\"threads\":[" THREAD(
        "app", "GeckoMain", "[0,100,0,4000],[3,190,0,90000],[0,200,0,4000]") "]}");

    ck_assert_int_eq(read_text(text, false), 0);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "leaf (in lib)").self_ns, 90000000);
}
END_TEST

/* What a thread used since its clock last interrupted it. */
START_TEST(cpu_time_without_a_stack_is_not_sampled)
{
    char *text;

    ck_assert_int_eq(
        read_text(PROFILE(PROCESS(THREAD("app", "GeckoMain", "[0,100,0,4000],[null,103,0,1000]"))),
                  false),
        0);
    ck_assert_double_eq_tol(report.size.cpu_ns, 5e6, 1);
    ck_assert_double_eq_tol(report.size.not_sampled_ns, 1e6, 1);
    ck_assert_uint_eq(count_of(thread_of(group_at(0), 0), "main (in app)").self_ns, 4000000);
    text = printed_text(10, false);
    ck_assert_ptr_nonnull(strstr(text, "      1.0 ms  20.0%            (not sampled)"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report_counts");
    TCase *tests = tcase_create("report");

    tcase_add_checked_fixture(tests, NULL, free_report);
    tcase_add_test(tests, self_is_the_leaf_and_total_its_callers_too);
    tcase_add_test(tests, a_root_with_stacks_is_a_process_of_its_own);
    tcase_add_test(tests, recursion_counts_once);
    tcase_add_test(tests, a_stack_may_be_as_deep_as_it_likes);
    tcase_add_test(tests, idle_samples_count_only_when_asked_for);
    tcase_add_test(tests, cpu_time_is_in_the_profile_s_unit);
    tcase_add_test(tests, addresses_are_shown_as_offsets_in_their_library);
    tcase_add_test(tests, generated_code_is_one_function_that_counts_once);
    tcase_add_test(tests, what_a_sample_claims_beyond_a_tick_is_spread);
    tcase_add_test(tests, a_process_own_clock_tells_what_a_sample_claims);
    tcase_add_test(tests, cpu_time_without_a_stack_is_not_sampled);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
