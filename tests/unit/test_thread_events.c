/* profctl.convert.thread_events: markers that bound calls. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "profctl/report/calls_report.h"
#include "tests/unit/run_suite.h"

/* A thread in main at each of 1 to 9 ms, from 4 to 8 ms in f that main called. %s: a marker. */
static const char form[] =
    "{\"meta\":{\"version\":30,\"startTime\":0,\"interval\":1,\"markerSchema\":["
    "{\"name\":\"task\",\"isTask\":true,\"data\":[]},"
    "{\"name\":\"call\",\"isStackBased\":true,\"data\":[]},{\"name\":\"plain\",\"data\":[]}]},"
    "\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"app\",\"pid\":7,\"tid\":7,"
    "\"registerTime\":0,\"unregisterTime\":null,\"stringTable\":[\"main\",\"f\",\"it\"],"
    "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1]]},"
    "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1]]},"
    "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},"
    "\"data\":[[0,1],[0,2],[0,3],[1,4],[1,5],[1,6],[1,7],[1,8],[0,9]]},"
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,"
    "\"category\":4,\"data\":5},\"data\":[%s]}}],\"processes\":[]}";

static const struct {
    const char *markers;
    uint64_t calls_of_main, calls_of_f;
    double longest_f_ms;
} cases[] = {
    { "", 1, 1, 5 },
    { "[2,3.5,6.5,1,0,{\"type\":\"plain\"}]", 1, 1, 5 },
    /* The f that began inside ends with it. */
    { "[2,3.5,6.5,1,0,{\"type\":\"call\"}]", 1, 2, 2.5 },
    /* What was open before goes on. */
    { "[2,4.5,6.5,1,0,{\"type\":\"call\"}]", 1, 1, 5 },
    { "[2,4.5,6.5,1,0,{\"type\":\"task\"}]", 3, 3, 2 },
    /* What began inside another one ends with that. */
    { "[2,3.5,5.5,1,0,{\"type\":\"call\"}],[2,3.7,7.5,1,0,{\"type\":\"call\"}]", 1, 2, 3 },
    /* Told in two. */
    { "[2,3.5,null,2,0,{\"type\":\"call\"}],[2,null,6.5,3,0,{\"type\":\"call\"}]", 1, 2, 2.5 },
    { "[2,4.5,null,0,0,{\"type\":\"task\"}]", 1, 1, 5 },
};

static const struct function_calls *find_function(const struct calls_report *report,
                                                  const char *name)
{
    const struct function_calls *functions = report->functions.items;

    for (size_t i = 0; i < report->functions.count; i++) {
        size_t length;
        const char *text =
            unique_strings_get(&report->stacks.names, functions[i].function, &length);
        if (length == strlen(name) && memcmp(text, name, length) == 0)
            return &functions[i];
    }
    ck_abort_msg("%s is not there", name);
    return NULL;
}

START_TEST(markers_bound_calls)
{
    char profile[2048];
    struct json_reader *reader;
    struct calls_report report;

    snprintf(profile, sizeof(profile), form, cases[_i].markers);
    ck_assert_int_eq(json_reader_open_memory(profile, strlen(profile), &reader), 0);
    ck_assert_int_eq(calls_report_read(reader, &report), 0);
    ck_assert_uint_eq(find_function(&report, "main")->count, cases[_i].calls_of_main);
    ck_assert_uint_eq(find_function(&report, "f")->count, cases[_i].calls_of_f);
    ck_assert_double_eq_tol(find_function(&report, "f")->longest_ms, cases[_i].longest_f_ms, 1e-9);
    calls_report_free(&report);
    json_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.convert.thread_events");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, markers_bound_calls, 0, (int)(sizeof(cases) / sizeof(cases[0])));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
