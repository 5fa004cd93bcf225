#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/group_table_writer.h"
#include "ipc/groups/group_merge.h"
#include "ipc/groups/group_order.h"
#include "profctl/groups/group_print.h"

enum { MS = 1000000, SNAPSHOT_BYTES = 64 * 1024, LIFE_NS = 1000 * MS };

static struct arena arena;
static _Alignas(uint64_t) uint8_t snapshot[SNAPSHOT_BYTES], later[SNAPSHOT_BYTES];
static size_t used;

static void set_up(void)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
}

static void tear_down(void)
{
    arena_destroy(&arena);
}

static struct group_record *add_group(const char *kind, const char *name, uint32_t flags,
                                      int32_t thread)
{
    const struct group_identity identity = { kind, name, flags, thread, 0 };
    struct group_record *record;
    ck_assert_int_eq(group_table_add(&arena, &identity, &record), 0);
    return record;
}

static void commit_time(struct group_record *record, uint64_t cpu_ms)
{
    group_record_commit(record, &(struct group_costs){ cpu_ms * MS, cpu_ms * MS, 0, 0 });
}

static void begin_snapshot(uint8_t *out, uint64_t now_ns)
{
    const struct group_snapshot_head head = { .magic = GROUP_SNAPSHOT_MAGIC,
                                              .now_ns = now_ns,
                                              .processors = 4 };
    memcpy(out, &head, sizeof(head));
    used = sizeof(head);
}

/* The arena's groups as those of process PID. */
static void put_process(uint8_t *out, int32_t pid, uint64_t start_ns, const char *name)
{
    const struct group_table_header *table = &arena.header->groups;
    size_t name_room = group_snapshot_name_room(strlen(name));
    struct group_snapshot_process process = {
        .start_ns = start_ns,
        .table_bytes = atomic_load(&table->used_bytes),
        .pid = pid,
        .name_bytes = (uint32_t)strlen(name),
        .cancelled = 1,
    };
    process.bytes = sizeof(process) + name_room + process.table_bytes;
    memcpy(out + used, &process, sizeof(process));
    memcpy(out + used + sizeof(process), name, strlen(name));
    memcpy(out + used + sizeof(process) + name_room, (const uint8_t *)arena.header + table->offset,
           process.table_bytes);
    used += process.bytes;
}

static struct group_rows read_rows(const uint8_t *memory)
{
    struct group_rows rows;
    ck_assert_int_eq(group_rows_read(memory, used, &rows), 0);
    return rows;
}

static bool is_called(const struct group_row *row, const char *name)
{
    return row->group.name_bytes == strlen(name) &&
           memcmp(row->group.name, name, strlen(name)) == 0;
}

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
    Suite *suite = suite_create("profctl.group_rows");
    TCase *tests = tcase_create("group_rows");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, groups_of_one_name_are_one_row_in_all_processes);
    tcase_add_test(tests, processes_and_threads_are_told_by_their_top_groups);
    tcase_add_test(tests, a_filter_leaves_what_is_meant);
    tcase_add_test(tests, a_filter_is_of_processes_before_they_are_merged);
    tcase_add_test(tests, a_filter_of_threads_is_of_the_only_ones);
    tcase_add_test(tests, what_one_tenant_costs_in_each_process);
    tcase_add_test(tests, without_groups_there_are_threads);
    tcase_add_test(tests, a_difference_has_what_came_after);
    tcase_add_test(tests, a_liar_harms_itself);
    tcase_add_test(tests, what_shrank_is_new);
    tcase_add_test(tests, what_runs_now_tells_since_when);
    tcase_add_test(tests, jank_is_ordered_by_the_longest_iterations);
    tcase_add_test(tests, a_bar_shows_how_iterations_are_spread);
    tcase_add_test(tests, counters_near_their_ends_stay_numbers);
    tcase_add_test(tests, what_is_no_snapshot_is_refused);
    tcase_add_test(tests, a_snapshot_that_is_cut_short_harms_nobody);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
