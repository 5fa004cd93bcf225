/* daemon.process_list */
#include <check.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "daemon/children/process_list.h"
#include "tests/unit/run_suite.h"

#define MS UINT64_C(1000000)

START_TEST(a_stat_line_tells_parent_state_times)
{
    struct process_sighting sighting;
    static const char line[] = "4711 (a) b (c) S 4700 4711 4711 0 -1 4194560 10 20 30 40 "
                               "12 8 90 91 20 0 1 0 5000 1000 200 18446744073709551615";

    ck_assert(process_stat_parse(line, 100, 3000 * MS, &sighting));
    ck_assert_int_eq(sighting.pid, 4711);
    ck_assert_int_eq(sighting.parent_pid, 4700);
    ck_assert_int_eq(sighting.state, 'S');
    ck_assert_uint_eq(sighting.start_ns, 47000 * MS);
}
END_TEST

START_TEST(what_is_no_stat_line_is_refused)
{
    struct process_sighting sighting;
    ck_assert(!process_stat_parse("", 100, 0, &sighting));
    ck_assert(!process_stat_parse("4711 (a", 100, 0, &sighting));
    ck_assert(!process_stat_parse("4711 (a) S 1 2", 100, 0, &sighting));
}
END_TEST

START_TEST(this_process_is_seen_as_it_is)
{
    struct process_sighting sighting;
    ck_assert(process_sight(getpid(), &sighting));
    ck_assert_int_eq(sighting.pid, getpid());
    ck_assert_int_eq(sighting.parent_pid, getppid());
    ck_assert_int_eq(sighting.state, 'R');
    ck_assert_uint_gt(sighting.start_ns, 0);
    ck_assert_uint_le(sighting.start_ns, clock_read_ns(CLOCK_MONOTONIC));
    struct process_sighting again;
    for (int look = 0; look < 1000; look++) {
        ck_assert(process_sight(getpid(), &again));
        ck_assert_uint_eq(again.start_ns, sighting.start_ns);
    }
    ck_assert(!process_sight(0x7fffffff, &sighting));
}
END_TEST

START_TEST(descendants_of_the_root_and_of_the_known_are_marked)
{
    struct process_sighting items[] = {
        { .pid = 2, .parent_pid = 60 },  /* its pid began anew */
        { .pid = 10, .parent_pid = 1 },  /* the root */
        { .pid = 20, .parent_pid = 10 }, /* a child */
        { .pid = 30, .parent_pid = 20 }, /* a grandchild */
        { .pid = 40, .parent_pid = 1 },  /* a stranger */
        { .pid = 50, .parent_pid = 40 }, /* and its child */
        { .pid = 55, .is_ours = true },  /* known */
        { .pid = 60, .parent_pid = 55 }, /* child of a known one */
    };
    const bool expect[] = { true, false, true, true, false, false, true, true };
    struct process_list list = { .items = items, .count = sizeof(items) / sizeof(items[0]) };

    process_list_mark(&list, 10);
    for (size_t i = 0; i < list.count; i++)
        ck_assert_msg(items[i].is_ours == expect[i], "%d", items[i].pid);
}
END_TEST

static bool knows_none(pid_t pid, void *context)
{
    (void)pid, (void)context;
    return false;
}

START_TEST(the_list_holds_this_process_once)
{
    struct process_list list;
    int seen = 0;

    ck_assert_int_eq(process_list_read(&list, knows_none, NULL), 0);
    process_list_mark(&list, getppid());
    for (size_t i = 0; i < list.count; i++) {
        ck_assert(i == 0 || list.items[i - 1].pid < list.items[i].pid);
        if (list.items[i].pid != getpid())
            continue;
        seen++;
        ck_assert(list.items[i].is_ours);
    }
    ck_assert_int_eq(seen, 1);
    process_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.process_list");
    TCase *tests = tcase_create("process_list");
    tcase_add_test(tests, a_stat_line_tells_parent_state_times);
    tcase_add_test(tests, what_is_no_stat_line_is_refused);
    tcase_add_test(tests, this_process_is_seen_as_it_is);
    tcase_add_test(tests, descendants_of_the_root_and_of_the_known_are_marked);
    tcase_add_test(tests, the_list_holds_this_process_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
