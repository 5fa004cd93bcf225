/* daemon.census_foreign */
#include <check.h>
#include <string.h>

#include "buffer/census_ring.h"
#include "daemon/census/census_foreign.h"
#include "tests/unit/run_suite.h"

enum { IDENTITY = 77, PID = 4000, PARENT = 3000 };

static struct census_foreign foreign;

static void set_up(void)
{
    memset(&foreign, 0, sizeof(foreign));
}

static void learn_process(uint64_t identity)
{
    const struct census_foreign_process process = { identity, PID, PARENT };
    census_foreign_learn(&foreign, &process, true);
}

static struct census_entry end_of(uint64_t identity)
{
    return (struct census_entry){ .kind = CENSUS_FOREIGN_ENDED,
                                  .identity = identity,
                                  .time_ns = 200,
                                  .cpu_ns = 9,
                                  .wait_status = 256 };
}

START_TEST(an_end_is_that_of_the_process_that_is_known)
{
    struct census_entry end = end_of(IDENTITY), other = end_of(IDENTITY + 1),
                        same_place = end_of(IDENTITY + CENSUS_FOREIGN_PROCESSES);
    learn_process(IDENTITY);
    ck_assert(!census_foreign_resolve(&foreign, &other));
    ck_assert(!census_foreign_resolve(&foreign, &same_place));
    ck_assert(census_foreign_resolve(&foreign, &end));
    ck_assert_int_eq(end.kind, CENSUS_ENDED);
    ck_assert_int_eq(end.pid, PID);
    ck_assert_int_eq(end.parent_pid, PARENT);
    ck_assert_uint_eq(end.time_ns, 200);
    ck_assert_uint_eq(end.cpu_ns, 9);
    ck_assert_int_eq(end.wait_status, 256);
}
END_TEST

START_TEST(who_is_known_stays_that_unless_another_is_sure)
{
    const struct census_foreign_process other = { IDENTITY, PID + 1, PARENT };
    struct census_entry end = end_of(IDENTITY), again = end;
    learn_process(IDENTITY);
    census_foreign_learn(&foreign, &other, false);
    ck_assert(census_foreign_resolve(&foreign, &end));
    ck_assert_int_eq(end.pid, PID);
    learn_process(IDENTITY);
    census_foreign_learn(&foreign, &other, true);
    ck_assert(census_foreign_resolve(&foreign, &again));
    ck_assert_int_eq(again.pid, PID + 1);
}
END_TEST

START_TEST(an_end_is_told_once)
{
    struct census_entry end = end_of(IDENTITY), again = end;
    learn_process(IDENTITY);
    ck_assert(census_foreign_resolve(&foreign, &end));
    ck_assert(!census_foreign_resolve(&foreign, &again));
}
END_TEST

START_TEST(an_end_may_come_first)
{
    struct census_entry end = end_of(IDENTITY), kept;
    ck_assert(!census_foreign_take_end(&foreign, IDENTITY, &kept));
    ck_assert(!census_foreign_resolve(&foreign, &end));
    learn_process(IDENTITY);
    ck_assert(census_foreign_take_end(&foreign, IDENTITY, &kept));
    ck_assert(census_foreign_resolve(&foreign, &kept));
    ck_assert_int_eq(kept.pid, PID);
    ck_assert_uint_eq(kept.cpu_ns, 9);
    ck_assert_int_eq(kept.wait_status, 256);
    ck_assert(!census_foreign_take_end(&foreign, IDENTITY, &kept));
}
END_TEST

START_TEST(without_an_identity_nobody_is_meant)
{
    struct census_entry end = end_of(0), kept;
    learn_process(0);
    ck_assert(!census_foreign_resolve(&foreign, &end));
    ck_assert(!census_foreign_take_end(&foreign, 0, &kept));
}
END_TEST

START_TEST(ends_of_others_take_no_place_away)
{
    struct census_entry end = end_of(IDENTITY);
    learn_process(IDENTITY);
    for (uint64_t other = IDENTITY + 1; other < 4 * CENSUS_FOREIGN_PROCESSES; other++) {
        struct census_entry its = end_of(other);
        ck_assert(!census_foreign_resolve(&foreign, &its));
    }
    ck_assert(census_foreign_resolve(&foreign, &end));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.census_foreign");
    TCase *tests = tcase_create("ends");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, an_end_is_that_of_the_process_that_is_known);
    tcase_add_test(tests, who_is_known_stays_that_unless_another_is_sure);
    tcase_add_test(tests, an_end_is_told_once);
    tcase_add_test(tests, an_end_may_come_first);
    tcase_add_test(tests, without_an_identity_nobody_is_meant);
    tcase_add_test(tests, ends_of_others_take_no_place_away);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
