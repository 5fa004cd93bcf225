#include <check.h>
#include <string.h>

#include "common/groups_filter.h"
#include "tests/unit/run_suite.h"

static struct groups_filter filter;
static char problem[GROUPS_FILTER_PROBLEM_BYTES];

static void set_filter(const char *text)
{
    ck_assert_msg(groups_filter_parse(text, &filter, problem), "%s", problem);
}

static bool passes_filter(const char *kind, const char *name, const char *process)
{
    return groups_filter_passes_group(&filter, kind, strlen(kind), name, strlen(name)) &&
           groups_filter_passes_process(&filter, process, strlen(process));
}

START_TEST(without_conditions_all_pass)
{
    filter = (struct groups_filter){ 0 };
    ck_assert(passes_filter("tenant", "blue", "server"));
    ck_assert(passes_filter("", "", ""));
}
END_TEST

START_TEST(kind_and_name_are_whole)
{
    set_filter("kind=tenant,name=blue sky");
    ck_assert(passes_filter("tenant", "blue sky", "server"));
    ck_assert(!passes_filter("tenant", "blue", "server"));
    ck_assert(!passes_filter("tenants", "blue sky", "server"));
}
END_TEST

START_TEST(a_process_has_it_anywhere_in_its_name)
{
    set_filter("process=serv");
    ck_assert(passes_filter("tenant", "blue", "web server"));
    ck_assert(passes_filter("tenant", "blue", "serv"));
    ck_assert(!passes_filter("tenant", "blue", "ser"));
}
END_TEST

START_TEST(texts_may_be_any_bytes)
{
    set_filter("name=\xff=b\n");
    ck_assert(groups_filter_passes_group(&filter, "\0\0", 2, "\xff=b\n", 4));
    ck_assert(!groups_filter_passes_group(&filter, "\0\0", 2, "\xff=b\0", 4));
}
END_TEST

static const char *const bad_filters[] = {
    "",        ",",      "tenant",         "kind",   "kind=",         "kind=a,",
    ",kind=a", "Kind=a", "kind=a,,name=b", "pid=17", "kind=a,kind=b", "name=a,process=b,name=a",
};

START_TEST(what_is_no_filter_is_told)
{
    problem[0] = '\0';
    ck_assert(!groups_filter_parse(bad_filters[_i], &filter, problem));
    ck_assert_ptr_nonnull(strstr(problem, "kind=KIND"));
}
END_TEST

/* One byte less than the room passes. */
START_TEST(a_text_that_is_too_long_is_told)
{
    static char text[4096] = "name=";
    memset(text + 5, 'x', GROUPS_FILTER_TEXT_BYTES - 1);
    set_filter(text);
    memset(text + 5, 'x', GROUPS_FILTER_TEXT_BYTES);
    ck_assert(!groups_filter_parse(text, &filter, problem));
    memset(text + 5, 'x', sizeof(text) - 6);
    ck_assert(!groups_filter_parse(text, &filter, problem));
}
END_TEST

START_TEST(what_cannot_be_added_changes_nothing)
{
    set_filter("kind=a");
    ck_assert(!groups_filter_add(&filter, "kind=b", 6));
    ck_assert(!groups_filter_add(&filter, "name=b", 5));
    ck_assert(passes_filter("a", "b", "c"));
    ck_assert(groups_filter_add(&filter, "name=bc", 6));
    ck_assert(passes_filter("a", "b", "c"));
    ck_assert(!passes_filter("a", "bc", "c"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ipc.groups_filter");
    TCase *tests = tcase_create("groups_filter");
    tcase_add_test(tests, without_conditions_all_pass);
    tcase_add_test(tests, kind_and_name_are_whole);
    tcase_add_test(tests, a_process_has_it_anywhere_in_its_name);
    tcase_add_test(tests, texts_may_be_any_bytes);
    tcase_add_loop_test(tests, what_is_no_filter_is_told, 0,
                        (int)(sizeof(bad_filters) / sizeof(bad_filters[0])));
    tcase_add_test(tests, a_text_that_is_too_long_is_told);
    tcase_add_test(tests, what_cannot_be_added_changes_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
