/* profctl.groups: snapshots that lie or are cut short. */
#include <errno.h>
#include <stdlib.h>

#include "ipc/groups/group_merge.h"
#include "profctl/groups/group_print.h"
#include "tests/unit/group_rows_scene.h"
#include "tests/unit/run_suite.h"

/* Only what it could have used in its life is believed, so sums over processes stay sane. */
START_TEST(a_liar_harms_itself)
{
    struct group_record *blue = add_group("tenant", "blue", 0, 0);
    atomic_store(&blue->cpu_ns, UINT64_MAX);
    atomic_store(&blue->wall_ns, UINT64_MAX);
    atomic_store(&blue->ticks, UINT64_MAX);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 0, "one");
    atomic_store(&blue->cpu_ns, MS);
    put_process(snapshot, 18, 0, "two");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_GROUP), 0);
    ck_assert_uint_eq(rows.rows[0].group.costs.cpu_ns, UINT64_C(4) * LIFE_NS + MS);
    ck_assert_uint_eq(rows.rows[0].group.ticks, UINT64_C(2) * LIFE_NS);
    group_rows_free(&rows);
}
END_TEST

static const char *print_json(const struct group_rows *rows)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof(text), "w");
    ck_assert_int_eq(group_print_json(rows, GROUP_ROWS_BY_GROUP, 0, out), 0);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* A machine that is up for a year, and a process that says it has used all there is. */
START_TEST(counters_near_their_ends_stay_numbers)
{
    const uint64_t year_ns = UINT64_C(365) * 86400 * 1000 * MS;
    struct group_record *blue = add_group("tenant", "blue", 0, 0);
    atomic_store(&blue->cpu_ns, UINT64_MAX);
    atomic_store(&blue->wall_ns, UINT64_MAX);
    atomic_store(&blue->blocked_ns, UINT64_MAX);
    atomic_store(&blue->unattributed_ns, UINT64_MAX);
    atomic_store(&blue->running_since_ns, 1);
    begin_snapshot(snapshot, year_ns);
    put_process(snapshot, 17, 0, "one");
    put_process(snapshot, 18, 0, "two");
    struct group_rows rows = read_rows(snapshot);
    ck_assert_int_eq(group_rows_merge(&rows, GROUP_ROWS_BY_GROUP), 0);
    ck_assert_uint_eq(rows.rows[0].group.costs.wall_ns, UINT64_MAX);
    ck_assert_ptr_null(strstr(print_json(&rows), "Ms\":-"));
    group_rows_free(&rows);
}
END_TEST

START_TEST(what_is_no_snapshot_is_refused)
{
    struct group_rows rows;
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    ck_assert_int_eq(group_rows_read(snapshot, 8, &rows), -EPROTO);
    snapshot[0] ^= 1;
    ck_assert_int_eq(group_rows_read(snapshot, used, &rows), -EPROTO);
}
END_TEST

/* Wherever it is cut, what is whole is read. */
START_TEST(a_snapshot_that_is_cut_short_harms_nobody)
{
    struct group_rows rows;
    commit_time(add_group("tenant", "blue", 0, 0), 3);
    begin_snapshot(snapshot, LIFE_NS);
    put_process(snapshot, 17, 1, "one");
    put_process(snapshot, 18, 1, "two");
    for (size_t bytes = sizeof(struct group_snapshot_head); bytes < used; bytes++) {
        uint8_t *part = malloc(bytes); /* so that a sanitizer sees its end */
        memcpy(part, snapshot, bytes);
        ck_assert_int_eq(group_rows_read(part, bytes, &rows), 0);
        ck_assert_uint_le(rows.count, 1);
        group_rows_free(&rows);
        free(part);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.group_forgery");
    TCase *tests = tcase_create("group_rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_liar_harms_itself);
    tcase_add_test(tests, counters_near_their_ends_stay_numbers);
    tcase_add_test(tests, what_is_no_snapshot_is_refused);
    tcase_add_test(tests, a_snapshot_that_is_cut_short_harms_nobody);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
