#include <check.h>

#include "child-agent/groups/group_alarm.h"
#include "tests/unit/run_suite.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static struct group_alarm alarm_state;

static struct group_alert_rule rule_of(const char *text)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    ck_assert(group_alert_parse(text, &rule, problem));
    return rule;
}

/* An iteration that breaks RULE; an observer that hears of it is told. */
static bool note_iteration(const char *text, uint64_t now_ns)
{
    const struct group_alert_rule rule = rule_of(text);
    const struct group_costs costs = { .cpu_ns = 100 * MS };
    bool is_told = group_alarm_note(&alarm_state, &rule, &costs, now_ns);
    if (is_told)
        group_alarm_mark_reported(&alarm_state, &rule, now_ns);
    return is_told;
}

static void set_up(void)
{
    alarm_state = (struct group_alarm){ 0 };
}

START_TEST(each_measure_is_compared_with_its_own)
{
    const struct group_alert_rule cpu = rule_of("cpu>64ms"), wall = rule_of("wall>64ms"),
                                  blocked = rule_of("blocked>10ms");
    const struct group_costs costs = { .cpu_ns = 64 * MS,
                                       .wall_ns = 65 * MS,
                                       .blocked_ns = 11 * MS };
    ck_assert(!group_alarm_is_broken(&cpu, &costs));
    ck_assert(group_alarm_is_broken(&wall, &costs));
    ck_assert(group_alarm_is_broken(&blocked, &costs));
}
END_TEST

START_TEST(a_burst_is_one_alert_and_the_rest_is_told_later)
{
    const struct group_alert_rule rule = rule_of("cpu>64ms");
    const struct group_costs higher = { .cpu_ns = 200 * MS, .wall_ns = 300 * MS };
    ck_assert(note_iteration("cpu>64ms", 10 * S));
    ck_assert(!note_iteration("cpu>64ms", 10 * S + 1));
    ck_assert(!group_alarm_note(&alarm_state, &rule, &higher, 11 * S - 1));
    ck_assert(
        group_alarm_note(&alarm_state, &rule, &(struct group_costs){ .cpu_ns = 65 * MS }, 11 * S));
    ck_assert_uint_eq(alarm_state.times, 3);
    ck_assert_uint_eq(alarm_state.highest.cpu_ns, 200 * MS);
    ck_assert_uint_eq(alarm_state.highest.wall_ns, 300 * MS);
}
END_TEST

START_TEST(so_many_in_so_long)
{
    ck_assert(!note_iteration("cpu>64ms,times=3/10s", 10 * S));
    ck_assert(!note_iteration("cpu>64ms,times=3/10s", 19 * S));
    ck_assert(
        !note_iteration("cpu>64ms,times=3/10s", 21 * S)); /* the first of the next ten seconds */
    ck_assert(!note_iteration("cpu>64ms,times=3/10s", 22 * S));
    ck_assert(note_iteration("cpu>64ms,times=3/10s", 23 * S));
}
END_TEST

START_TEST(so_many_in_however_long)
{
    ck_assert(!note_iteration("cpu>64ms,times=3", 10 * S));
    ck_assert(!note_iteration("cpu>64ms,times=3", 1000 * S));
    ck_assert(note_iteration("cpu>64ms,times=3", 100000 * S));
}
END_TEST

START_TEST(a_quiet_time_is_kept)
{
    ck_assert(note_iteration("cpu>64ms,quiet=1m", 10 * S));
    ck_assert(!note_iteration("cpu>64ms,quiet=1m", 69 * S));
    ck_assert(note_iteration("cpu>64ms,quiet=1m", 70 * S));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("agent.group_alarm");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, each_measure_is_compared_with_its_own);
    tcase_add_test(all, a_burst_is_one_alert_and_the_rest_is_told_later);
    tcase_add_test(all, so_many_in_so_long);
    tcase_add_test(all, so_many_in_however_long);
    tcase_add_test(all, a_quiet_time_is_kept);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
