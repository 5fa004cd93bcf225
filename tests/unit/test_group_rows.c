/* profctl.groups: groups become rows, which are ordered and printed. */

#include "ipc/groups/group_merge.h"
#include "ipc/groups/group_order.h"
#include "profctl/groups/group_print.h"
#include "tests/unit/group_rows_scene.h"
#include "tests/unit/run_suite.h"

static _Alignas(uint64_t) uint8_t later[SNAPSHOT_BYTES];

START_TEST(groups_of_one_name_are_one_row_in_all_processes)
{
    commit_time(add_group("tenant", "blue", 0, 0), 3);
    commit_time(add_group("tenant", "red", 0, 0), 5);
    commit_time(add_group("thread", "main", GROUP_IS_TOP, 7), 9);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    put_process(snapshot, 18, 2, "two");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_uint_eq(rows.count, 6);
    ck_assert_uint_eq(rows.cancelled, 2);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_GROUP), 0);
    group_rows_sort(&rows, GROUP_ROWS_CPU);
    ck_assert_uint_eq(rows.count, 2);
    ck_assert(is_called(&rows.rows[0], "red"));
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, 10 * MS);
    ck_assert_uint_eq(rows.rows[0].merged, 2);
    ck_assert_uint_eq(rows.rows[0].group.cpu_exceeded[2], 2);
    group_rows_free(&rows);
}
END_TEST

START_TEST(processes_and_threads_are_told_by_their_top_groups)
{
    commit_time(add_group("tenant", "blue", 0, 0), 3);
    commit_time(add_group("thread", "main", GROUP_IS_TOP, 7), 4);
    commit_time(add_group("thread", "pool", GROUP_IS_TOP, 8), 2);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_PROCESS), 0);
    ck_assert_uint_eq(rows.count, 1);
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, 6 * MS);
    group_rows_free(&rows);
    rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_THREAD), 0);
    group_rows_sort(&rows, GROUP_ROWS_CPU);
    ck_assert_uint_eq(rows.count, 2);
    ck_assert(is_called(&rows.rows[0], "main"));
    group_rows_free(&rows);
}
END_TEST

START_TEST(without_groups_there_are_threads)
{
    commit_time(add_group("thread", "main", GROUP_IS_TOP, 7), 4);
    add_group("other", "other", GROUP_IS_OTHER, 0);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_GROUP), 0);
    ck_assert_uint_eq(rows.count, 1);
    ck_assert(is_called(&rows.rows[0], "main"));
    group_rows_free(&rows);
}
END_TEST

START_TEST(a_difference_has_what_came_after)
{
    struct group_record *blue = add_group("tenant", "blue", 0, 0),
                        *red = add_group("tenant", "red", 0, 0);
    commit_time(blue, 3);
    commit_time(red, 5);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows before = read_rows(snapshot);
    commit_time(red, 7);
    commit_time(add_group("tenant", "green", 0, 0), 2);
    begin_snapshot(later, LIFE_NS + 1);
    put_process(later, 17, 1, "one");
    put_process(later, 17, 9, "another one of that number");
    struct group_rows news = read_rows(later);
    group_rows_subtract(&news, &before);
    ck_assert_uint_eq(news.count, 5); /* blue did nothing in the first */
    ck_assert_int_eq(group_rows_merge(&news, GROUP_ROWS_BY_GROUP), 0);
    group_rows_sort(&news, GROUP_ROWS_CPU);
    ck_assert(is_called(&news.rows[0], "red"));
    ck_assert_uint_eq(news.rows[0].group.costs.cpu_ns, (7 + 12) * MS);
    ck_assert_uint_eq(news.rows[0].group.ticks, 3);
    ck_assert(is_called(&news.rows[1], "green"));
    ck_assert_uint_eq(news.rows[1].group.costs.cpu_ns, 4 * MS);
    group_rows_free(&news);
    group_rows_free(&before);
}
END_TEST

START_TEST(what_shrank_is_new)
{
    struct group_record *blue = add_group("tenant", "blue", 0, 0);
    commit_time(blue, 3);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows before = read_rows(snapshot);
    atomic_store(&blue->cpu_ns, MS);
    begin_snapshot(later, LIFE_NS + 1);
    put_process(later, 17, 1, "one");
    struct group_rows news = read_rows(later);
    group_rows_subtract(&news, &before);
    ck_assert_uint_eq(news.rows[0].group.costs.cpu_ns, MS);
    group_rows_free(&news);
    group_rows_free(&before);
}
END_TEST

START_TEST(what_runs_now_tells_since_when)
{
    struct group_record *blue = add_group("tenant", "blue", 0, 0);
    atomic_store(&blue->running_since_ns, 5 * MS);
    begin_snapshot(snapshot, 9 * MS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_uint_eq(rows.rows[0].running_ns, 4 * MS);
    group_rows_free(&rows);
    begin_snapshot(snapshot, 1); /* a process may write anything */
    put_process(snapshot, 17, 1, "one");
    rows = read_rows(snapshot);
    ck_assert_uint_eq(rows.rows[0].running_ns, 0);
    group_rows_free(&rows);
}
END_TEST

START_TEST(jank_is_ordered_by_the_longest_iterations)
{
    struct group_record *often = add_group("tenant", "often", 0, 0);
    commit_time(add_group("tenant", "once", 0, 0), 600);
    for (int i = 0; i < 300; i++)
        commit_time(often, 3);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_GROUP), 0);
    group_rows_sort(&rows, GROUP_ROWS_JANK);
    ck_assert(is_called(&rows.rows[0], "once"));
    ck_assert_uint_eq(group_row_jank(&rows.rows[0]), GROUP_THRESHOLDS);
    ck_assert_uint_eq(group_row_jank(&rows.rows[1]), 2);
    group_rows_free(&rows);
}
END_TEST

START_TEST(a_bar_shows_how_iterations_are_spread)
{
    struct group_row row = { .group = { .ticks = 111 } };
    char bar[GROUP_BAR_BYTES];
    row.group.cpu_exceeded[0] = 11;
    for (int i = 1; i < GROUP_THRESHOLDS; i++)
        row.group.cpu_exceeded[i] = 1;
    ck_assert_str_eq(group_bar(&row, bar), "▃▂        ▁");
    row = (struct group_row){ .group = { .ticks = 0 } };
    ck_assert_str_eq(group_bar(&row, bar), "           ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.group_rows");
    TCase *tests = tcase_create("group_rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, groups_of_one_name_are_one_row_in_all_processes);
    tcase_add_test(tests, processes_and_threads_are_told_by_their_top_groups);
    tcase_add_test(tests, without_groups_there_are_threads);
    tcase_add_test(tests, a_difference_has_what_came_after);
    tcase_add_test(tests, what_shrank_is_new);
    tcase_add_test(tests, what_runs_now_tells_since_when);
    tcase_add_test(tests, jank_is_ordered_by_the_longest_iterations);
    tcase_add_test(tests, a_bar_shows_how_iterations_are_spread);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
