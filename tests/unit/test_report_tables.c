/* profctl.report.cost_table, marker_report, counter_report: what a profile says in one table. */
#include <check.h>
#include <string.h>

#include "profctl/report/cost_table.h"
#include "profctl/report/counter_report.h"
#include "profctl/report/marker_report.h"
#include "profctl/report/stack_keys.h"
#include "tests/unit/run_suite.h"

/* Two samples, of 4 ms each, in f, which calls itself, in a label; one in g, in none. */
static const char profile[] =
    "{\"meta\":{\"version\":30,\"startTime\":0,\"interval\":4,"
    "\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"libs\":[],\"threads\":[],\"processes\":[{"
    "\"meta\":{\"version\":30,\"startTime\":0,\"interval\":4,"
    "\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"libs\":[],"
    "\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\",\"pid\":7,\"tid\":7,"
    "\"registerTime\":0,\"unregisterTime\":null,"
    "\"stringTable\":[\"f (in app)\",\"request\",\"g (in app)\",\"work\",\"g.c\"],"
    "\"frameTable\":{\"schema\":{\"location\":0,\"line\":1,\"file\":2},"
    "\"data\":[[1],[0,5],[0,6],[2,9,4]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"
    "\"data\":[[null,0],[0,1],[1,2],[null,3]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},"
    "\"data\":[[2,4,0,4000000],[2,8,0,4000000],[3,12,0,4000000]]},"
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
    "\"category\":4,\"data\":5},\"data\":[[3,2,6,1,0],[3,4,10,1,0],[3,1,null,0,0],"
    "[1,3,null,2,0],[1,null,5,3,0],[2,null,1,3,0]]}}],"
    "\"counters\":[{\"name\":\"hits\",\"category\":\"Cache\",\"description\":\"\","
    "\"samples\":{\"schema\":{\"time\":0,\"count\":1,\"number\":2},"
    "\"data\":[[1000,5,2],[2000,10,3],[3000,-8,1]]}}]}]}";

static struct json_reader *reader;

static void set_up(void)
{
    ck_assert_int_eq(json_reader_open_memory(profile, strlen(profile), &reader), 0);
}

static void tear_down(void)
{
    json_reader_close(reader);
}

static const struct cost_row *find_cost(const struct cost_table *table, const char *name)
{
    const struct cost_row *rows = table->rows.items;

    for (size_t i = 0; i < table->rows.count; i++) {
        size_t length;
        const char *text = unique_strings_get(&table->names, rows[i].name, &length);
        if (length == strlen(name) && memcmp(text, name, length) == 0)
            return &rows[i];
    }
    ck_abort_msg("%s is not there", name);
    return NULL;
}

static void check_cost(enum report_by by, size_t rows, const char *name, uint64_t self_ms,
                       uint64_t total_ms)
{
    struct cost_table table;

    ck_assert_int_eq(cost_table_read(reader, by, &table), 0);
    ck_assert_uint_eq(table.rows.count, rows);
    ck_assert_uint_eq(table.all.cpu_ns, 12000000);
    ck_assert_uint_eq(find_cost(&table, name)->self.cpu_ns, self_ms * 1000000);
    ck_assert_uint_eq(find_cost(&table, name)->total.cpu_ns, total_ms * 1000000);
    cost_table_free(&table);
}

START_TEST(recursion_counts_once)
{
    check_cost(REPORT_BY_FUNCTION, 3, "f (in app)", 8, 8);
}
END_TEST

START_TEST(lines_of_a_function_are_told_apart)
{
    check_cost(REPORT_BY_LINE, 4, "f (in app), line 5", 0, 8);
}
END_TEST

START_TEST(lines_have_the_file_where_one_is_known)
{
    check_cost(REPORT_BY_LINE, 4, "g (in app) at g.c:9", 4, 4);
}
END_TEST

START_TEST(a_label_has_what_was_spent_in_it)
{
    check_cost(REPORT_BY_LABEL, 2, "request", 8, 8);
}
END_TEST

START_TEST(what_is_in_no_label_is_told)
{
    check_cost(REPORT_BY_LABEL, 2, stack_keys_no_label, 4, 4);
}
END_TEST

START_TEST(threads_have_their_time)
{
    check_cost(REPORT_BY_THREAD, 1, "app (7): main thread", 12, 12);
}
END_TEST

START_TEST(labels_are_told_from_code)
{
    static const char *const code[] = { "f (in app)", "f (/a.js:1:2)", "0x12", "unmapped 0x12" };

    for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
        ck_assert(!stack_keys_is_label(code[i], strlen(code[i])));
    ck_assert(stack_keys_is_label("GET /index.html", strlen("GET /index.html")));
}
END_TEST

/* From 2 to 10 ms is 8 ms, though markers are from 2 to 6 and from 4 to 10. */
START_TEST(markers_have_the_time_that_was_used_meanwhile)
{
    struct marker_report report;

    ck_assert_int_eq(marker_report_read(reader, &report), 0);
    const struct marker_row *rows = report.rows.items;
    ck_assert_uint_eq(report.rows.count, 3);
    ck_assert_uint_eq(rows[0].count, 3);
    ck_assert_uint_eq(rows[0].instants, 1);
    ck_assert_double_eq_tol(rows[0].total_ms, 10, 1e-9);
    ck_assert_double_eq_tol(rows[0].longest_ms, 6, 1e-9);
    ck_assert_double_eq_tol(rows[0].cpu_ns, 8e6, 1);
    ck_assert_uint_eq(rows[1].count, 1);
    ck_assert_double_eq_tol(rows[1].total_ms, 2, 1e-9);
    ck_assert_uint_eq(rows[2].instants, 1);
    marker_report_free(&report);
}
END_TEST

START_TEST(counters_are_summed_up)
{
    struct counter_report report;

    ck_assert_int_eq(counter_report_read(reader, &report), 0);
    const struct counter_row *row = report.rows.items;
    ck_assert_uint_eq(report.rows.count, 1);
    ck_assert_uint_eq(row->changes, 6);
    ck_assert_double_eq(row->sum, 7);
    ck_assert_double_eq(row->highest, 15);
    counter_report_free(&report);
}
END_TEST

START_TEST(kinds_have_names)
{
    ck_assert_int_eq(report_by_named("line"), REPORT_BY_LINE);
    ck_assert_int_eq(report_by_named("lines"), REPORT_BY_NOTHING);
    ck_assert_str_eq(report_by_name(report_by_named("counter")), "counter");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report.tables");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, recursion_counts_once);
    tcase_add_test(tests, lines_of_a_function_are_told_apart);
    tcase_add_test(tests, lines_have_the_file_where_one_is_known);
    tcase_add_test(tests, a_label_has_what_was_spent_in_it);
    tcase_add_test(tests, what_is_in_no_label_is_told);
    tcase_add_test(tests, threads_have_their_time);
    tcase_add_test(tests, labels_are_told_from_code);
    tcase_add_test(tests, markers_have_the_time_that_was_used_meanwhile);
    tcase_add_test(tests, counters_are_summed_up);
    tcase_add_test(tests, kinds_have_names);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
