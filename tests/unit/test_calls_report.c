#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profctl/report/calls_report.h"
#include "tests/unit/run_suite.h"

static struct calls_report report;

static void tear_down(void)
{
    calls_report_free(&report);
}

/* A thread that is in main all the time, and in a function of its own at each of COUNT samples, a
 * millisecond apart: so many calls of one of 3 functions. */
static int read_calls(unsigned count)
{
    struct json_reader *reader;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs("{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\","
          "\"pid\":7,\"tid\":7,\"stringTable\":[\"main\",\"a\",\"b\",\"never\"],"
          "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2],[3]]},"
          "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
          "\"data\":[[null,0],[0,1],[0,2],[0,3]]},"
          "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[1,0]",
          out);
    for (unsigned i = 1; i < count; i++)
        fprintf(out, ",[%u,%u]", 1 + i % 2, i);
    fprintf(out, ",[0,%u]]}}]}", count);
    fclose(out);
    ck_assert_int_eq(json_reader_open_memory(text, bytes, &reader), 0);
    int error = calls_report_read(reader, &report);
    json_reader_close(reader);
    free(text);
    return error;
}

static const struct function_calls *function_at(size_t index)
{
    ck_assert_uint_lt(index, report.functions.count);
    return (const struct function_calls *)report.functions.items + index;
}

START_TEST(calls_are_counted_by_function)
{
    ck_assert_int_eq(read_calls(10), 0);
    ck_assert_uint_eq(report.calls, 11);
    ck_assert_uint_eq(report.functions.count, 3);
    ck_assert_uint_eq(function_at(0)->count, 1); /* main */
    ck_assert_double_eq(function_at(0)->longest_ms, 10);
    ck_assert_uint_eq(function_at(1)->count, 5);
    ck_assert_double_eq(function_at(1)->median_ms, 1);
    ck_assert_double_eq(function_at(1)->total_ms, 5);
    const struct reported_call *longest = report.longest.items;
    ck_assert_double_eq(longest[0].duration_ms, 10);
    ck_assert_double_eq(longest[0].self_ms, 0);
    ck_assert_double_eq(longest[1].duration_ms, 1);
}
END_TEST

/* Also of a function that is called once, before or after those. */
START_TEST(medians_are_known_however_many_calls_there_are)
{
    const unsigned count = DRAWN_CALLS_AT_FIRST + 100000;
    ck_assert_int_eq(read_calls(count), 0);
    ck_assert_uint_eq(report.calls, count + 1);
    ck_assert_uint_le(report.longest.count, CALLS_REPORT_MAX_LONGEST);
    ck_assert_double_eq(((struct reported_call *)report.longest.items)[0].duration_ms, count);
    ck_assert_uint_eq(function_at(1)->count + function_at(2)->count, count);
    ck_assert_double_eq(function_at(1)->median_ms, 1);
    ck_assert_uint_eq(function_at(0)->count, 1);
    ck_assert_double_eq(function_at(0)->median_ms, count);
    ck_assert_double_eq(function_at(0)->p99_ms, count);
}
END_TEST

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A thread in a recursion so DEEP, from the top of which COUNT samples go to one of two functions
 * in turns. */
static char *write_recursion(unsigned deep, unsigned count)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    fputs("{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"t\",\"processName\":\"app\","
          "\"pid\":7,\"tid\":7,\"stringTable\":[\"deeper\",\"a\",\"b\"],"
          "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2]]},"
          "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]",
          out);
    for (unsigned i = 1; i < deep; i++)
        fprintf(out, ",[%u,0]", i - 1);
    fprintf(out,
            ",[%u,1],[%u,2]]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,0]",
            deep - 1, deep - 1);
    for (unsigned i = 1; i <= count; i++)
        fprintf(out, ",[%u,%u]", deep + i % 2, i);
    fputs("]}}]}", out);
    fclose(out);
    return text;
}

START_TEST(deep_stacks_cost_what_of_them_changes)
{
    enum { DEEP = 30000 };
    struct json_reader *reader;
    char *text = write_recursion(DEEP, DEEP);
    ck_assert_int_eq(json_reader_open_memory(text, strlen(text), &reader), 0);
    double before_s = cpu_s();
    ck_assert_int_eq(calls_report_read(reader, &report), 0);
    ck_assert_double_lt(cpu_s() - before_s, 2);
    json_reader_close(reader);
    free(text);
    ck_assert_uint_eq(report.calls, 2 * DEEP);
    ck_assert_double_eq(function_at(0)->longest_ms, DEEP);
    ck_assert_uint_eq(function_at(1)->count, DEEP / 2);
    ck_assert_double_eq(function_at(1)->median_ms, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.calls_report");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, tear_down);
    tcase_add_test(all, calls_are_counted_by_function);
    tcase_add_test(all, medians_are_known_however_many_calls_there_are);
    tcase_add_test(all, deep_stacks_cost_what_of_them_changes);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
