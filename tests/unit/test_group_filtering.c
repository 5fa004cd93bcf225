/* profctl.groups: what a filter leaves. */

#include "ipc/groups/group_merge.h"
#include "profctl/groups/group_print.h"
#include "tests/unit/group_rows_scene.h"
#include "tests/unit/run_suite.h"

static struct groups_filter filter_of(const char *text)
{
    char problem[GROUPS_FILTER_PROBLEM_BYTES];
    struct groups_filter filter;
    ck_assert_msg(groups_filter_parse(text, &filter, problem), "%s", problem);
    return filter;
}

/* Two processes with two tenants and a thread each: what is left of them by FILTER_TEXT. */
static struct group_rows filtered_rows(const char *filter_text, enum group_rows_by by)
{
    const struct groups_filter filter = filter_of(filter_text);
    commit_time(add_group("tenant", "blue", 0, 0), 3);
    commit_time(add_group("tenant", "red", 0, 0), 5);
    commit_time(add_group("thread", "main", GROUP_IS_TOP, 7), 9);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "web server");
    put_process(snapshot, 18, 2, "database");
    struct group_rows rows = read_rows(snapshot);
    group_rows_keep(&rows, &filter);
    ck_assert_int_eq(group_rows_merge(&rows, by), 0);
    return rows;
}

START_TEST(a_filter_leaves_what_is_meant)
{
    struct group_rows rows = filtered_rows("kind=tenant,name=red", GROUP_ROWS_BY_GROUP);
    ck_assert_uint_eq(rows.count, 1);
    ck_assert(is_called(&rows.rows[0], "red"));
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, 10 * MS);
    group_rows_free(&rows);
}
END_TEST

START_TEST(a_filter_is_of_processes_before_they_are_merged)
{
    struct group_rows rows = filtered_rows("name=red,process=serv", GROUP_ROWS_BY_GROUP);
    ck_assert_uint_eq(rows.count, 1);
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, 5 * MS);
    group_rows_free(&rows);
}
END_TEST

START_TEST(a_filter_of_threads_is_of_the_only_ones)
{
    struct group_rows rows = filtered_rows("kind=thread", GROUP_ROWS_BY_GROUP);
    ck_assert_uint_eq(rows.count, 1);
    ck_assert(is_called(&rows.rows[0], "main"));
    group_rows_free(&rows);
}
END_TEST

START_TEST(what_one_tenant_costs_in_each_process)
{
    struct group_rows rows = filtered_rows("kind=tenant,name=blue", GROUP_ROWS_BY_PROCESS);
    ck_assert_uint_eq(rows.count, 2);
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, 3 * MS);
    group_rows_free(&rows);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.group_filtering");
    TCase *tests = tcase_create("group_rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_filter_leaves_what_is_meant);
    tcase_add_test(tests, a_filter_is_of_processes_before_they_are_merged);
    tcase_add_test(tests, a_filter_of_threads_is_of_the_only_ones);
    tcase_add_test(tests, what_one_tenant_costs_in_each_process);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
