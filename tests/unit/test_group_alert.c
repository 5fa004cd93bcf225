#include <check.h>
#include <string.h>

#include "ipc/groups/group_alert.h"
#include "tests/unit/run_suite.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static struct group_alert_rule rule;
static struct group_alerts alerts;
static char problem[GROUP_ALERT_PROBLEM_BYTES];

static void tear_down(void)
{
    group_alerts_free(&alerts);
}

/* A group that had COUNT iterations above 64 ms. */
static struct group_row row_of(const char *kind, const char *name, uint64_t count)
{
    static const struct group_snapshot_process process = { .pid = 17, .start_ns = 1 };
    struct group_row row = { .group = { .place = (uint64_t)name[0],
                                        .kind = kind,
                                        .kind_bytes = strlen(kind),
                                        .name = name,
                                        .name_bytes = strlen(name) },
                             .process = &process,
                             .process_name = "web server",
                             .process_name_bytes = strlen("web server") };
    for (int i = 0; i <= 6; i++)
        row.group.cpu_exceeded[i] = row.group.wall_exceeded[i] = count;
    return row;
}

static uint64_t judge_row(const struct group_row *row, uint64_t now_ns)
{
    uint64_t times;
    int alert = group_alert_judge(&alerts, &rule, row, now_ns, &times);
    ck_assert_int_ge(alert, 0);
    ck_assert(alert == (times != 0));
    group_alerts_end_look(&alerts, &rule, now_ns);
    return times;
}

static void set_rule(const char *text)
{
    ck_assert_msg(group_alert_parse(text, &rule, problem), "%s", problem);
}

START_TEST(a_rule_is_read)
{
    set_rule("cpu>64ms,kind=tenant,name=blue sky,process=server,times=3/10s,quiet=1m");
    ck_assert_int_eq(rule.measure, ALERT_ON_CPU);
    ck_assert_uint_eq(rule.above_ns, 64 * MS);
    ck_assert_str_eq(rule.filter.kind, "tenant");
    ck_assert_str_eq(rule.filter.name, "blue sky");
    ck_assert_str_eq(rule.filter.process, "server");
    ck_assert_uint_eq(rule.times, 3);
    ck_assert_uint_eq(rule.within_ns, 10 * S);
    ck_assert_uint_eq(rule.quiet_ns, 60 * S);
    set_rule("blocked>100ms");
    ck_assert_uint_eq(rule.times, 1);
}
END_TEST

static const char *const bad_rules[] = { "",
                                         "cpu",
                                         "cpu>",
                                         "cpu>0",
                                         "cpu>3ms",
                                         "cpu<64ms",
                                         "wall>1s",
                                         "blocked>999us",
                                         "cpu>64ms,",
                                         "cpu>64ms,kind=",
                                         "cpu>64ms,x",
                                         "kind=tenant",
                                         "cpu>64ms,kind=a,kind=b",
                                         "cpu>64ms,times=0",
                                         "cpu>64ms,times=3/0",
                                         "jank>64ms",
                                         "cpu>64ms,times=3/soon" };

START_TEST(what_is_no_rule_is_told)
{
    problem[0] = '\0';
    ck_assert(!group_alert_parse(bad_rules[_i], &rule, problem));
    ck_assert_uint_gt(strlen(problem), 10);
}
END_TEST

START_TEST(a_text_may_be_as_long_as_it_likes)
{
    static char text[4096] = "cpu>64ms,kind=";
    memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
    ck_assert(!group_alert_parse(text, &rule, problem));
}
END_TEST

START_TEST(who_is_too_long_is_told_once_for_each_look)
{
    struct group_row blue = row_of("tenant", "blue", 5), none = row_of("tenant", "blue", 0);
    set_rule("cpu>64ms");
    ck_assert_uint_eq(judge_row(&blue, S), 5);
    ck_assert_uint_eq(judge_row(&none, 2 * S), 0);
    ck_assert_uint_eq(judge_row(&blue, 3 * S), 5);
    set_rule("cpu>128ms");
    ck_assert_uint_eq(judge_row(&blue, 4 * S), 0);
}
END_TEST

START_TEST(only_those_who_are_meant_count)
{
    struct group_row blue = row_of("tenant", "blue", 1);
    set_rule("cpu>64ms,kind=add-on");
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    set_rule("cpu>64ms,name=blu");
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    set_rule("cpu>64ms,process=database");
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    set_rule("cpu>64ms,kind=tenant,name=blue,process=server");
    ck_assert_uint_eq(judge_row(&blue, S), 1);
}
END_TEST

START_TEST(several_are_needed_within_a_time)
{
    struct group_row blue = row_of("tenant", "blue", 1), red = row_of("tenant", "red", 1);
    set_rule("cpu>64ms,times=3/10s");
    ck_assert_uint_eq(judge_row(&blue, 1 * S), 0);
    ck_assert_uint_eq(judge_row(&red, 1 * S), 0);
    ck_assert_uint_eq(judge_row(&blue, 5 * S), 0);
    ck_assert_uint_eq(judge_row(&blue, 10 * S), 3);
    ck_assert_uint_eq(judge_row(&red, 12 * S), 0); /* the first one is too long ago */
    ck_assert_uint_eq(judge_row(&red, 13 * S), 0);
    ck_assert_uint_eq(judge_row(&red, 14 * S), 3);
}
END_TEST

START_TEST(without_a_time_they_count_in_however_long)
{
    struct group_row blue = row_of("tenant", "blue", 1);
    set_rule("cpu>64ms,times=3");
    ck_assert_uint_eq(judge_row(&blue, 1 * S), 0);
    ck_assert_uint_eq(judge_row(&blue, 2 * S), 0);
    ck_assert_uint_eq(judge_row(&blue, 86400 * S), 3);
    ck_assert_uint_eq(judge_row(&blue, 86401 * S), 0);
}
END_TEST

/* Groups come and go for a month: those that were janky last are remembered. */
START_TEST(in_however_long_not_all_are_remembered)
{
    enum { GROUPS = 3 * GROUP_ALERTS_REMEMBERED, GROUPS_A_LOOK = 1000 };
    struct group_row row = row_of("tenant", "blue", 1);
    uint64_t now_ns = 0, times;
    set_rule("cpu>64ms,times=2");
    for (row.group.place = 0; row.group.place < GROUPS; row.group.place++) {
        if (row.group.place % GROUPS_A_LOOK == 0)
            group_alerts_end_look(&alerts, &rule, now_ns++);
        ck_assert_int_eq(group_alert_judge(&alerts, &rule, &row, now_ns, &times), 0);
    }
    group_alerts_end_look(&alerts, &rule, now_ns++);
    ck_assert_uint_eq(alerts.count, GROUP_ALERTS_REMEMBERED);
    row.group.place = GROUPS - 1;
    ck_assert_int_eq(group_alert_judge(&alerts, &rule, &row, now_ns, &times), 1);
    row.group.place = 0;
    ck_assert_int_eq(group_alert_judge(&alerts, &rule, &row, now_ns, &times), 0);
}
END_TEST

START_TEST(after_an_alert_it_is_quiet_for_that_group)
{
    struct group_row blue = row_of("tenant", "blue", 1), red = row_of("tenant", "red", 1);
    set_rule("cpu>64ms,quiet=5s");
    ck_assert_uint_eq(judge_row(&blue, 1 * S), 1);
    ck_assert_uint_eq(judge_row(&blue, 2 * S), 0);
    ck_assert_uint_eq(judge_row(&red, 2 * S), 1);
    ck_assert_uint_eq(judge_row(&blue, 6 * S), 2); /* with what was not told */
}
END_TEST

START_TEST(one_that_still_runs_counts_already)
{
    struct group_row blue = row_of("tenant", "blue", 0);
    set_rule("wall>512ms");
    blue.running_ns = 500 * MS;
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    blue.running_ns = 600 * MS;
    blue.group.running_since_ns = 77;
    ck_assert_uint_eq(judge_row(&blue, S), 1);
    blue.running_ns = 1600 * MS; /* the same one */
    ck_assert_uint_eq(judge_row(&blue, 2 * S), 0);
    blue = row_of("tenant", "blue", 1); /* it has ended, … */
    blue.group.wall_exceeded[9] = 1;
    ck_assert_uint_eq(judge_row(&blue, 3 * S), 0);
    blue.group.wall_exceeded[9] = 2; /* … and others have */
    ck_assert_uint_eq(judge_row(&blue, 4 * S), 2);
}
END_TEST

START_TEST(time_blocked_is_that_of_one_iteration)
{
    struct group_row blue = row_of("tenant", "blue", 0);
    set_rule("blocked>100ms");
    blue.group.costs.blocked_ns = 500 * MS;
    blue.highest = (struct group_highest){ .is_known = true, .blocked_ns = 100 * MS };
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    blue.highest.blocked_ns = 101 * MS;
    ck_assert_uint_eq(judge_row(&blue, 2 * S), 1);
}
END_TEST

START_TEST(where_no_iteration_is_known_all_time_blocked_counts)
{
    struct group_row blue = row_of("tenant", "blue", 0);
    set_rule("blocked>100ms");
    blue.group.costs.blocked_ns = 100 * MS;
    ck_assert_uint_eq(judge_row(&blue, S), 0);
    blue.group.costs.blocked_ns = 101 * MS;
    ck_assert_uint_eq(judge_row(&blue, S), 1);
}
END_TEST

/* All of a hostile process' groups are janky, in each look: that must not keep profd for minutes,
 * which Check's limit for a test tells. */
START_TEST(any_number_of_groups_may_be_janky)
{
    enum { GROUPS = 400000 };
    struct group_row row = row_of("tenant", "blue", 1);
    set_rule("cpu>64ms,times=2/10s");
    for (uint64_t look = 1; look <= 2; look++) {
        for (row.group.place = 0; row.group.place < GROUPS; row.group.place++) {
            uint64_t times;
            ck_assert_int_eq(group_alert_judge(&alerts, &rule, &row, look * S, &times), look == 2);
        }
        group_alerts_end_look(&alerts, &rule, look * S);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.group_alert");
    TCase *tests = tcase_create("group_alert");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, a_rule_is_read);
    tcase_add_loop_test(tests, what_is_no_rule_is_told, 0,
                        (int)(sizeof(bad_rules) / sizeof(bad_rules[0])));
    tcase_add_test(tests, a_text_may_be_as_long_as_it_likes);
    tcase_add_test(tests, who_is_too_long_is_told_once_for_each_look);
    tcase_add_test(tests, only_those_who_are_meant_count);
    tcase_add_test(tests, several_are_needed_within_a_time);
    tcase_add_test(tests, without_a_time_they_count_in_however_long);
    tcase_add_test(tests, in_however_long_not_all_are_remembered);
    tcase_add_test(tests, after_an_alert_it_is_quiet_for_that_group);
    tcase_add_test(tests, one_that_still_runs_counts_already);
    tcase_add_test(tests, time_blocked_is_that_of_one_iteration);
    tcase_add_test(tests, where_no_iteration_is_known_all_time_blocked_counts);
    tcase_add_test(tests, any_number_of_groups_may_be_janky);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
