/* Reports: counting, grouping, ranking. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/report.h"

/* --- Profiles --- */

/* main calls work, which calls itself and leaf. */
#define TABLES                                                                                     \
    "\"stringTable\":[\"main (in app)\",\"work (in app)\",\"leaf (in lib)\",\"0x1010\"],"          \
    "\"frameTable\":{\"schema\":{\"location\":0,\"line\":4,\"category\":6},\"data\":"              \
    "[[0],[1],[2],[3]]},"                                                                          \
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":"                              \
    "[[null,0],[0,1],[1,1],[2,2],[0,3]]},"

#define THREAD(process, name, samples)                                                             \
    "{\"name\":\"" name "\",\"processName\":\"" process "\"," TABLES                               \
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},"      \
    "\"data\":[" samples "]}}"

#define PROCESS(threads)                                                                           \
    "{\"meta\":{},\"libs\":[{\"start\":4096,\"end\":8192,\"offset\":256,\"name\":\"lib\","         \
    "\"path\":\"/lib\",\"codeId\":null}],\"threads\":[" threads "]}"

#define PROFILE(processes)                                                                         \
    "{\"meta\":{\"sampleUnits\":{\"time\":\"ms\",\"threadCPUDelta\":\"µs\"}},\"threads\":[],"     \
    "\"processes\":[" processes "]}"

static struct report report;

static int read_text(const char *text, bool count_idle)
{
    struct json_reader *reader;
    int error;

    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    error = report_read(reader, count_idle, &report);
    json_reader_close(reader);
    return error;
}

static void free_report(void)
{
    report_free(&report);
}

static struct report_process *group_at(size_t index)
{
    ck_assert_uint_lt(index, report.groups.count);
    return ((struct report_process **)report.groups.items)[index];
}

static struct report_thread *thread_of(struct report_process *process, size_t index)
{
    ck_assert_uint_lt(index, process->threads.count);
    return ((struct report_thread **)process->threads.items)[index];
}

static struct function_count count_of(const struct report_thread *thread, const char *function)
{
    for (uint32_t i = 0; i < thread->counts.count; i++) {
        size_t length;
        const char *name = unique_strings_get(&thread->functions, i, &length);

        if (length == strlen(function) && memcmp(name, function, length) == 0)
            return ((struct function_count *)thread->counts.items)[i];
    }
    return (struct function_count){ 0 };
}

static char *printed_text(uint64_t top, bool as_json)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(out);
    if (as_json)
        ck_assert_int_eq(report_print_json(&report, "file.json", top, out), 0);
    else
        report_print_text(&report, "file.json", top, out);
    fclose(out);
    return text;
}

/* --- Counting --- */

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

/* --- Grouping --- */

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

/* --- Printing --- */

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

/* --- What no sample says --- */

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

/* --- Clocks --- */

#define CLOCKED(account)                                                                           \
    "{\"meta\":{\"interval\":9},\"profilingLog\":{\"17\":{\"profd\":" account                      \
    ",\"log\":[{\"clock\":\"wall\"}]}},\"threads\":[]}"

#define SESSION(processes)                                                                         \
    "{\"meta\":{\"interval\":1},\"threads\":[],\"profilingLog\":{\"1\":{\"log\":[]}},"             \
    "\"processes\":[" processes "]}"

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
    ck_assert_ptr_nonnull(strstr(text, "\nclock: wall; not as requested: a seccomp filter is in "
                                       "place, or may be (no_new_privs)\n"));
    free(text);
    text = printed_text(1, true);
    ck_assert_ptr_nonnull(
        strstr(text, "\"refused\":\"a seccomp filter is in place, or may be (no_new_privs)\""));
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

/* --- Malformed --- */

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
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tests, NULL, free_report);
    tcase_add_test(tests, self_is_the_leaf_and_total_its_callers_too);
    tcase_add_test(tests, a_root_with_stacks_is_a_process_of_its_own);
    tcase_add_test(tests, recursion_counts_once);
    tcase_add_test(tests, a_stack_may_be_as_deep_as_it_likes);
    tcase_add_test(tests, idle_samples_count_only_when_asked_for);
    tcase_add_test(tests, cpu_time_is_in_the_profile_s_unit);
    tcase_add_test(tests, addresses_are_shown_as_offsets_in_their_library);
    tcase_add_test(tests, generated_code_is_one_function_that_counts_once);
    tcase_add_test(tests, processes_of_one_name_count_together);
    tcase_add_test(tests, threads_of_one_name_count_together);
    tcase_add_test(tests, cpu_time_ranks_where_it_is_known);
    tcase_add_test(tests, the_text_says_what_it_ranks_by_and_sums_up_the_rest);
    tcase_add_test(tests, json_has_functions_and_libraries_apart);
    tcase_add_test(tests, all_cpu_time_is_in_the_report);
    tcase_add_test(tests, a_program_s_time_before_its_exec_is_its_process);
    tcase_add_test(tests, those_without_samples_have_their_share);
    tcase_add_test(tests, ends_that_were_not_good_are_told);
    tcase_add_test(tests, what_a_sample_claims_beyond_a_tick_is_spread);
    tcase_add_test(tests, a_process_own_clock_tells_what_a_sample_claims);
    tcase_add_test(tests, cpu_time_without_a_stack_is_not_sampled);
    tcase_add_test(tests, what_was_lost_is_summed_up);
    tcase_add_test(tests, clocks_of_all_processes_are_summed_up);
    tcase_add_test(tests, a_reason_is_told);
    tcase_add_loop_test(tests, who_tells_of_no_clock_has_none, 0,
                        sizeof(clockless_profiles) / sizeof(clockless_profiles[0]));
    tcase_add_loop_test(tests, what_is_no_profile_is_refused, 0,
                        (int)(sizeof(malformed) / sizeof(malformed[0])));
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
