/* daemon.census_foreign */
#include <check.h>
#include <string.h>

#include "daemon/census/census_foreign.h"
#include "tests/unit/run_suite.h"

enum { THERE = 77, ELSEWHERE = 78, PID_THERE = 5, PID_HERE = 4000 };

static struct census_foreign foreign;

static void set_up(void)
{
    memset(&foreign, 0, sizeof(foreign));
}

static struct census_entry entry_of(int32_t pid, uint64_t pid_namespace, uint64_t time_ns)
{
    struct census_entry entry = { .kind = CENSUS_FOREIGN_ENDED, .time_ns = time_ns, .cpu_ns = 9 };
    census_ring_set_foreign(&entry, pid, pid_namespace);
    return entry;
}

static bool is_learned_with_end(uint64_t time_ns, struct census_entry *end)
{
    const struct census_entry name = entry_of(PID_THERE, THERE, time_ns);
    return census_foreign_learn(&foreign, &name, PID_HERE, end);
}

START_TEST(an_end_is_that_of_the_process_which_was_told_of)
{
    struct census_entry end, other = entry_of(PID_THERE, ELSEWHERE, 200),
                             another = entry_of(PID_THERE + 1, THERE, 200),
                             its = entry_of(PID_THERE, THERE, 200);
    ck_assert(!is_learned_with_end(100, &end));
    ck_assert(!census_foreign_resolve(&foreign, &other));
    ck_assert(!census_foreign_resolve(&foreign, &another));
    ck_assert(census_foreign_resolve(&foreign, &its));
    ck_assert_int_eq(its.kind, CENSUS_ENDED);
    ck_assert_int_eq(its.pid, PID_HERE);
    ck_assert_uint_eq(its.cpu_ns, 9);
}
END_TEST

START_TEST(whoever_has_the_number_next_is_another_process)
{
    struct census_entry end, its = entry_of(PID_THERE, THERE, 200), next = its;
    ck_assert(!is_learned_with_end(100, &end));
    ck_assert(census_foreign_resolve(&foreign, &its));
    ck_assert(!census_foreign_resolve(&foreign, &next));
}
END_TEST

START_TEST(an_end_may_come_first)
{
    struct census_entry end, its = entry_of(PID_THERE, THERE, 200);
    ck_assert(!census_foreign_resolve(&foreign, &its));
    ck_assert(is_learned_with_end(100, &end));
    ck_assert_int_eq(end.kind, CENSUS_ENDED);
    ck_assert_int_eq(end.pid, PID_HERE);
    ck_assert_uint_eq(end.time_ns, 200);
    ck_assert(!is_learned_with_end(100, &end)); /* it has been told */
}
END_TEST

START_TEST(an_end_from_before_the_program_is_of_another_process)
{
    struct census_entry end, its = entry_of(PID_THERE, THERE, 50);
    ck_assert(!census_foreign_resolve(&foreign, &its));
    ck_assert(!is_learned_with_end(100, &end));
}
END_TEST

START_TEST(ends_of_others_take_no_place_away)
{
    struct census_entry end, its = entry_of(PID_THERE, THERE, 200);
    ck_assert(!is_learned_with_end(100, &end));
    for (int32_t pid = 1; pid < 4 * CENSUS_FOREIGN_PLACES; pid++) {
        struct census_entry other = entry_of(pid, ELSEWHERE, 150);
        ck_assert(!census_foreign_resolve(&foreign, &other));
    }
    ck_assert(census_foreign_resolve(&foreign, &its));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_foreign");
    TCase *tests = tcase_create("numbers");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, an_end_is_that_of_the_process_which_was_told_of);
    tcase_add_test(tests, whoever_has_the_number_next_is_another_process);
    tcase_add_test(tests, an_end_may_come_first);
    tcase_add_test(tests, an_end_from_before_the_program_is_of_another_process);
    tcase_add_test(tests, ends_of_others_take_no_place_away);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
