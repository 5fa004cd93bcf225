#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/report_diff.h"
#include "tests/unit/run_suite.h"

/* So many samples of a function, each of US of CPU time. */
struct batch {
    const char *function;
    unsigned samples, us;
};

static struct report reports[DIFF_SIDES];
static struct report_diff diff;

static void tear_down(void)
{
    report_diff_free(&diff);
    report_free(&reports[DIFF_BEFORE]);
    report_free(&reports[DIFF_AFTER]);
}

static void put_tables(const struct batch *batches, unsigned count, FILE *out)
{
    fputs("\"stringTable\":[\"main (in app)\"", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, ",\"%s\"", batches[i].function);
    fputs("],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, ",[%u]", i + 1);
    fputs("]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]", out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, ",[0,%u]", i + 1);
    fputs("]},", out);
}

/* One thread, in which main calls a function in each sample. Samples come once in 20 ms, so that
 * each says all that it stands for. */
static void read_profile(enum diff_side side, const struct batch *batches, unsigned count,
                         bool knows_cpu)
{
    struct json_reader *reader;
    char *text;
    size_t bytes;
    unsigned time_ms = 0;
    FILE *out = open_memstream(&text, &bytes);
    fputs("{\"meta\":{\"interval\":10,\"sampleUnits\":{\"threadCPUDelta\":\"µs\"}},\"threads\":"
          "[{\"name\":\"GeckoMain\",\"processName\":\"app\",\"pid\":7,\"tid\":7,",
          out);
    put_tables(batches, count, out);
    fprintf(out, "\"samples\":{\"schema\":{\"stack\":0,\"time\":1%s},\"data\":[",
            knows_cpu ? ",\"threadCPUDelta\":2" : "");
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < batches[i].samples; j++, time_ms += 20)
            fprintf(out, "%s[%u,%u,%u]", time_ms > 0 ? "," : "", i + 1, time_ms, batches[i].us);
    }
    fputs("]}}]}", out);
    fclose(out);
    ck_assert_int_eq(json_reader_open_memory(text, bytes, &reader), 0);
    ck_assert_int_eq(report_read(reader, false, &reports[side]), 0);
    json_reader_close(reader);
    free(text);
}

static const struct function_diff *find_function(const char *name)
{
    const struct function_diff *functions = diff.functions.items;

    for (size_t i = 0; i < diff.functions.count; i++) {
        if (functions[i].length == strlen(name) &&
            memcmp(functions[i].name, name, strlen(name)) == 0)
            return &functions[i];
    }
    ck_abort_msg("no %s", name);
}

START_TEST(a_slower_function_is_first_and_others_are_unchanged)
{
    const struct batch before[] = { { "steady (in app)", 400, 4000 }, { "f (in app)", 100, 4000 } };
    const struct batch after[] = { { "f (in app)", 300, 4000 }, { "steady (in app)", 405, 4000 } };
    read_profile(DIFF_BEFORE, before, 2, true);
    read_profile(DIFF_AFTER, after, 2, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);

    const struct function_diff *first = diff.functions.items;
    ck_assert_ptr_eq(first, find_function("f (in app)"));
    ck_assert_int_eq(first->self.verdict, DIFF_SIGNIFICANT);
    ck_assert_double_eq_tol(first->self.change, 800e6, 1);
    ck_assert_double_eq_tol(first->self.share[DIFF_BEFORE], 0.2, 1e-6);
    ck_assert_uint_eq(first->self.samples[DIFF_AFTER], 300);
    ck_assert_int_eq(find_function("steady (in app)")->self.verdict, DIFF_CHANCE);
    /* main has no self, and in total as much more as f. */
    ck_assert_int_eq(find_function("main (in app)")->self.verdict, DIFF_TOO_FEW);
    ck_assert_int_eq(find_function("main (in app)")->total.verdict, DIFF_SIGNIFICANT);
    ck_assert_double_eq_tol(find_function("main (in app)")->total.amount[DIFF_BEFORE], 2000e6, 1);
    ck_assert_uint_eq(diff.comparisons, 5);
}
END_TEST

/* Four times as many samples of a quarter of the time are as much CPU time. */
START_TEST(cpu_time_is_compared_not_the_number_of_samples)
{
    const struct batch before[] = { { "f (in app)", 200, 4000 }, { "g (in app)", 100, 4000 } };
    const struct batch after[] = { { "f (in app)", 800, 1000 }, { "g (in app)", 100, 1000 } };
    read_profile(DIFF_BEFORE, before, 2, true);
    read_profile(DIFF_AFTER, after, 2, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert_int_eq(find_function("f (in app)")->self.verdict, DIFF_CHANCE);
    ck_assert_double_eq_tol(find_function("f (in app)")->self.change, 0, 1);
    ck_assert_int_eq(find_function("g (in app)")->self.verdict, DIFF_SIGNIFICANT);
}
END_TEST

/* 90 samples of nearly nothing do not make 10 large ones sure. */
START_TEST(samples_of_little_time_count_for_little)
{
    const struct batch before[] = { { "f (in app)", 10, 8000 }, { "f (in app)", 90, 10 } };
    const struct batch after[] = { { "f (in app)", 20, 8000 }, { "f (in app)", 180, 10 } };
    read_profile(DIFF_BEFORE, before, 2, true);
    read_profile(DIFF_AFTER, after, 2, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert_uint_eq(find_function("f (in app)")->self.samples[DIFF_AFTER], 200);
    ck_assert_int_eq(find_function("f (in app)")->self.verdict, DIFF_CHANCE);
}
END_TEST

/* Twice as long a look at the same program. */
START_TEST(shares_are_compared_where_that_is_asked_for)
{
    const struct batch before[] = { { "f (in app)", 200, 4000 }, { "g (in app)", 300, 4000 } };
    const struct batch after[] = { { "f (in app)", 400, 4000 }, { "g (in app)", 600, 4000 } };
    read_profile(DIFF_BEFORE, before, 2, true);
    read_profile(DIFF_AFTER, after, 2, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], true, &diff), 0);
    ck_assert_int_eq(find_function("f (in app)")->self.verdict, DIFF_CHANCE);
    ck_assert_double_eq_tol(find_function("f (in app)")->self.change, 0, 1e-6);
    report_diff_free(&diff);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert_int_eq(find_function("f (in app)")->self.verdict, DIFF_SIGNIFICANT);
}
END_TEST

START_TEST(functions_of_one_side_are_there)
{
    const struct batch before[] = { { "f (in app)", 200, 4000 }, { "old (in app)", 50, 4000 } };
    const struct batch after[] = { { "f (in app)", 200, 4000 }, { "new (in app)", 5, 4000 } };
    read_profile(DIFF_BEFORE, before, 2, true);
    read_profile(DIFF_AFTER, after, 2, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert_uint_eq(diff.functions.count, 4);
    ck_assert(!find_function("new (in app)")->is_in[DIFF_BEFORE] &&
              find_function("new (in app)")->is_in[DIFF_AFTER]);
    ck_assert(find_function("old (in app)")->is_in[DIFF_BEFORE] &&
              !find_function("old (in app)")->is_in[DIFF_AFTER]);
    ck_assert_int_eq(find_function("new (in app)")->self.verdict, DIFF_TOO_FEW);
    ck_assert_int_eq(find_function("old (in app)")->self.verdict, DIFF_SIGNIFICANT);
}
END_TEST

START_TEST(without_cpu_time_samples_are_compared_by_share)
{
    const struct batch batches[] = { { "f (in app)", 200, 0 }, { "g (in app)", 300, 0 } };
    read_profile(DIFF_BEFORE, batches, 2, false);
    read_profile(DIFF_AFTER, batches, 2, false);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert(diff.compares_shares && !diff.is_by_cpu);
    ck_assert_double_eq(find_function("f (in app)")->self.amount[DIFF_AFTER], 200);
    ck_assert_double_eq_tol(find_function("f (in app)")->self.share[DIFF_AFTER], 0.4, 1e-6);
}
END_TEST

START_TEST(cpu_time_on_one_side_alone_is_refused)
{
    const struct batch batches[] = { { "f (in app)", 200, 4000 } };
    read_profile(DIFF_BEFORE, batches, 1, true);
    read_profile(DIFF_AFTER, batches, 1, false);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), -EINVAL);
}
END_TEST

START_TEST(nothing_can_be_compared_with_nothing)
{
    const struct batch batches[] = { { "f (in app)", 200, 4000 } };
    read_profile(DIFF_BEFORE, NULL, 0, true);
    read_profile(DIFF_AFTER, batches, 1, true);
    ck_assert_int_eq(report_diff_make(&reports[0], &reports[1], false, &diff), 0);
    ck_assert(diff.is_by_cpu);
    ck_assert_uint_eq(diff.functions.count, 2);
    ck_assert_uint_eq(diff.comparisons, 0);
    report_diff_free(&diff);
    ck_assert_int_eq(report_diff_make(&reports[1], &reports[0], true, &diff), 0);
    ck_assert_uint_eq(diff.comparisons, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report_diff");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, tear_down);
    tcase_add_test(all, a_slower_function_is_first_and_others_are_unchanged);
    tcase_add_test(all, cpu_time_is_compared_not_the_number_of_samples);
    tcase_add_test(all, samples_of_little_time_count_for_little);
    tcase_add_test(all, shares_are_compared_where_that_is_asked_for);
    tcase_add_test(all, functions_of_one_side_are_there);
    tcase_add_test(all, without_cpu_time_samples_are_compared_by_share);
    tcase_add_test(all, cpu_time_on_one_side_alone_is_refused);
    tcase_add_test(all, nothing_can_be_compared_with_nothing);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
