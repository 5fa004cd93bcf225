#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/merge/merge_plan.h"
#include "tests/unit/run_suite.h"

enum { SOURCES = 3 };

static struct merge_source sources[SOURCES];
static struct failure failure;

static void set_up(void)
{
    merge_source_init(&sources[0], "web1.json.gz");
    merge_source_init(&sources[1], "b/web2.json");
    merge_source_init(&sources[2], "c/web1.json");
    failure = (struct failure){ 0 };
}

static void tear_down(void)
{
    for (int i = 0; i < SOURCES; i++)
        merge_source_free(&sources[i]);
}

static void add_pid(struct merge_source *source, int64_t pid)
{
    int64_t *added = mapped_array_push(&source->pids, sizeof(*added));
    ck_assert_ptr_nonnull(added);
    *added = pid;
}

START_TEST(hosts_are_files_without_their_endings)
{
    ck_assert(merge_plan_hosts(sources, SOURCES, NULL, &failure));
    ck_assert_str_eq(sources[0].host, "web1");
    ck_assert_str_eq(sources[1].host, "web2");
    ck_assert_str_eq(sources[2].host, "web1-2");
    merge_source_init(&sources[0], ".json");
    ck_assert(merge_plan_hosts(sources, SOURCES, NULL, &failure));
    ck_assert_str_eq(sources[0].host, ".json");
}
END_TEST

START_TEST(hosts_are_given_in_order)
{
    ck_assert(merge_plan_hosts(sources, SOURCES, "north,,south", &failure));
    ck_assert_str_eq(sources[0].host, "north");
    ck_assert_str_eq(sources[1].host, "web2");
    ck_assert_str_eq(sources[2].host, "south");
    ck_assert(!merge_plan_hosts(sources, SOURCES, "north,south", &failure));
    ck_assert_int_eq(failure.code, EXIT_CODE_USAGE);
    ck_assert(!merge_plan_hosts(sources, SOURCES, "a,b,c,d", &failure));
    char large[300];
    memset(large, 'x', sizeof(large));
    memcpy(large + sizeof(large) - 4, ",b,", 4);
    ck_assert(!merge_plan_hosts(sources, SOURCES, large, &failure));
}
END_TEST

START_TEST(offsets_are_by_host_or_number)
{
    ck_assert(merge_plan_hosts(sources, SOURCES, NULL, &failure));
    ck_assert(merge_plan_offsets(sources, SOURCES, "web2:-250ms,3:+1.5s", &failure));
    ck_assert_double_eq(sources[0].offset_ms, 0);
    ck_assert_double_eq(sources[1].offset_ms, -250);
    ck_assert_double_eq(sources[2].offset_ms, 1500);
    ck_assert(merge_plan_offsets(sources, SOURCES, "1:2", &failure));
    ck_assert_double_eq(sources[0].offset_ms, 2000);
}
END_TEST

START_TEST(offsets_that_mean_nothing_are_refused)
{
    static const char *const wrong[] = { "",         "web2",      "web2:",   "web2:soon",
                                         ":1s",      "web9:1s",   "0:1s",    "4:1s",
                                         "web2:1s,", "web2:--1s", "web2:1x", "web2:+-1" };
    ck_assert(merge_plan_hosts(sources, SOURCES, NULL, &failure));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_msg(!merge_plan_offsets(sources, SOURCES, wrong[i], &failure), "%s", wrong[i]);
        ck_assert_int_eq(failure.code, EXIT_CODE_USAGE);
    }
    /* Two of one name can only be told by number. */
    ck_assert(merge_plan_hosts(sources, SOURCES, "a,a,b", &failure));
    ck_assert(!merge_plan_offsets(sources, SOURCES, "a:1s", &failure));
    ck_assert(merge_plan_offsets(sources, SOURCES, "2:1s", &failure));
}
END_TEST

START_TEST(ids_stay_where_they_can)
{
    add_pid(&sources[0], 7);
    add_pid(&sources[0], 8);
    add_pid(&sources[1], 9);
    add_pid(&sources[2], 20000008); /* an earlier program of a process 8 */
    ck_assert_int_eq(merge_plan_pids(sources, SOURCES), 0);
    ck_assert_int_eq(sources[0].pid_offset, 0);
    ck_assert_int_eq(sources[1].pid_offset, 0);
    ck_assert_int_eq(sources[2].pid_offset, 200000000);
}
END_TEST

START_TEST(ids_of_several_that_meet_are_all_different)
{
    for (int i = 0; i < SOURCES; i++)
        add_pid(&sources[i], 1);
    ck_assert_int_eq(merge_plan_pids(sources, SOURCES), 0);
    ck_assert_int_eq(sources[0].pid_offset, 0);
    ck_assert_int_eq(sources[1].pid_offset, 10000000);
    ck_assert_int_eq(sources[2].pid_offset, 20000000);
}
END_TEST

START_TEST(the_span_has_all_with_their_clocks_corrected)
{
    for (int i = 0; i < SOURCES; i++) {
        sources[i].start_unix_ms = 1000000 + i * 1000;
        sources[i].begin_ms = 10;
        sources[i].end_ms = 100;
        sources[i].interval_ms = 4 - i;
    }
    sources[1].offset_ms = -3000;
    struct merge_span span = merge_plan_span(sources, SOURCES);
    ck_assert_double_eq(span.start_unix_ms, 998000);
    ck_assert_double_eq(span.begin_ms, 10);
    ck_assert_double_eq(span.end_ms, 4100);
    ck_assert_double_eq(span.interval_ms, 2);
    sources[2].end_ms = NAN;
    ck_assert(isnan(merge_plan_span(sources, SOURCES).end_ms));
}
END_TEST

START_TEST(one_file_has_one_version)
{
    for (int i = 0; i < SOURCES; i++)
        sources[i].version = 36;
    ck_assert(merge_plan_check(sources, SOURCES, &failure));
    sources[2].version = 35;
    ck_assert(!merge_plan_check(sources, SOURCES, &failure));
    ck_assert_ptr_nonnull(strstr(failure.text, "c/web1.json"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.merge_plan");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, hosts_are_files_without_their_endings);
    tcase_add_test(all, hosts_are_given_in_order);
    tcase_add_test(all, offsets_are_by_host_or_number);
    tcase_add_test(all, offsets_that_mean_nothing_are_refused);
    tcase_add_test(all, ids_stay_where_they_can);
    tcase_add_test(all, ids_of_several_that_meet_are_all_different);
    tcase_add_test(all, the_span_has_all_with_their_clocks_corrected);
    tcase_add_test(all, one_file_has_one_version);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
