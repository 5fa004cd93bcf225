/* daemon.lease_census */
#include <check.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/memory/lease_census.h"
#include "tests/unit/run_suite.h"

static struct lease_ledger ledger;
static struct lease_census census;

static void set_up(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, 64 * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
}

static void tear_down(void)
{
    lease_census_free(&census);
    lease_ledger_close(&ledger);
}

static void take_units(lease_owner owner, int count)
{
    uint32_t unit;

    for (int i = 0; i < count; i++)
        ck_assert_int_eq(lease_take(&ledger, owner, LEASE_TO_START, &unit), 0);
}

/* Of a process that has ended and was reaped. */
static pid_t ended_pid(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return pid;
}

static bool has_ended(lease_owner owner)
{
    for (size_t i = 0; i < census.count; i++) {
        if (census.holders[i].owner == owner)
            return lease_census_has_ended(&census, i);
    }
    ck_abort_msg("it is not in the census");
}

START_TEST(each_owner_is_there_once_with_its_units)
{
    lease_owner one = lease_owner_make(9, 1 << 20, false), other = lease_owner_make(5, 0, false);

    take_units(one, 2);
    take_units(LEASE_OWNER_EXITS, 1);
    take_units(other, 1);
    take_units(one, 1);
    ck_assert_int_eq(lease_census_take(&ledger, &census), 0);
    ck_assert_uint_eq(census.count, 2);
    ck_assert_uint_eq(lease_census_units(&census, one), 3);
    ck_assert_uint_eq(lease_census_units(&census, other), 1);
    ck_assert_uint_eq(lease_census_units(&census, LEASE_OWNER_EXITS), 0);
}
END_TEST

START_TEST(an_empty_ledger_has_nobody)
{
    ck_assert_int_eq(lease_census_take(&ledger, &census), 0);
    ck_assert_uint_eq(census.count, 0);
    ck_assert_uint_eq(lease_census_units(&census, lease_owner_make(1, 0, false)), 0);
}
END_TEST

START_TEST(who_has_ended_is_known)
{
    lease_owner live = lease_owner_make(getpid(), 1 << 20, false);
    lease_owner dead = lease_owner_make(ended_pid(), 1 << 20, false);

    take_units(live, 1);
    take_units(dead, 1);
    ck_assert_int_eq(lease_census_take(&ledger, &census), 0);
    ck_assert(!has_ended(live));
    ck_assert(has_ended(dead));
}
END_TEST

START_TEST(an_earlier_image_has_ended)
{
    lease_owner images[3];

    for (int i = 0; i < 3; i++) {
        images[i] = lease_owner_make(getpid(), (uint64_t)(i + 1) << 20, false);
        take_units(images[i], 1);
    }
    ck_assert_int_eq(lease_census_take(&ledger, &census), 0);
    ck_assert(has_ended(images[0]));
    ck_assert(has_ended(images[1]));
    ck_assert(!has_ended(images[2]));
}
END_TEST

START_TEST(nothing_is_known_of_foreign_ones)
{
    lease_owner foreign = lease_owner_make(ended_pid(), 1 << 20, true);

    take_units(foreign, 1);
    ck_assert_int_eq(lease_census_take(&ledger, &census), 0);
    ck_assert(!has_ended(foreign));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.lease_census");
    TCase *tests = tcase_create("census");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, each_owner_is_there_once_with_its_units);
    tcase_add_test(tests, an_empty_ledger_has_nobody);
    tcase_add_test(tests, who_has_ended_is_known);
    tcase_add_test(tests, an_earlier_image_has_ended);
    tcase_add_test(tests, nothing_is_known_of_foreign_ones);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
