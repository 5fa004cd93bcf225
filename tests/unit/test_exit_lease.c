/* daemon.exit_lease: what the dead had leased goes over to the store, and what it does not need
 * goes back. */
#include <check.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/memory/exit_lease.h"
#include "tests/unit/run_suite.h"

enum { UNITS = 64, GROWTH = UNITS - UNITS / 8 };

static const lease_owner alice = (lease_owner)100 << 32 | 2;

static struct lease_ledger ledger;
static struct exit_lease lease;

static void set_up(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);

    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
    lease = (struct exit_lease){ .ledger = &ledger };
}

static void tear_down(void)
{
    lease_ledger_close(&ledger);
}

static void take_units(lease_owner owner, unsigned count)
{
    uint32_t unit;

    while (count-- > 0)
        ck_assert_int_eq(lease_take(&ledger, owner, LEASE_TO_GROW, &unit), 0);
}

static void assert_leased(uint32_t units)
{
    ck_assert_uint_eq(lease.units, units);
    ck_assert_uint_eq(lease_count(&ledger, LEASE_OWNER_EXITS), units);
}

START_TEST(an_empty_store_has_its_spare_units)
{
    exit_lease_settle(&lease, 0);
    assert_leased(EXIT_LEASE_SPARE_UNITS);
}
END_TEST

START_TEST(it_follows_what_is_kept)
{
    exit_lease_settle(&lease, 3 * (uint64_t)LEASE_UNIT_BYTES + 1);
    assert_leased(4 + EXIT_LEASE_SPARE_UNITS);
    exit_lease_settle(&lease, LEASE_UNIT_BYTES);
    assert_leased(1 + EXIT_LEASE_SPARE_UNITS);
}
END_TEST

START_TEST(what_a_dead_one_had_comes_along)
{
    uint32_t units;

    take_units(alice, 5);
    ck_assert_int_eq(exit_lease_bring(&lease, alice, 2 * (uint64_t)LEASE_UNIT_BYTES, &units), 0);
    ck_assert_uint_eq(units, 5);
    ck_assert_uint_eq(lease_count(&ledger, alice), 0);
    assert_leased(5);
}
END_TEST

START_TEST(one_that_had_too_little_gets_what_is_free)
{
    uint32_t units;

    take_units(alice, 1);
    ck_assert_int_eq(exit_lease_bring(&lease, alice, 3 * (uint64_t)LEASE_UNIT_BYTES, &units), 0);
    ck_assert_uint_eq(units, 3);
    assert_leased(3);
}
END_TEST

START_TEST(units_of_a_move_are_kept_until_it_arrives)
{
    uint32_t units;

    take_units(alice, 4);
    ck_assert_int_eq(exit_lease_bring(&lease, alice, 4 * (uint64_t)LEASE_UNIT_BYTES, &units), 0);
    exit_lease_settle(&lease, 0);
    assert_leased(4 + EXIT_LEASE_SPARE_UNITS);
    exit_lease_arrived(&lease, units);
    exit_lease_settle(&lease, LEASE_UNIT_BYTES);
    assert_leased(1 + EXIT_LEASE_SPARE_UNITS);
}
END_TEST

START_TEST(a_full_ledger_gives_less_and_says_so)
{
    uint32_t units;

    take_units(alice, GROWTH - 1);
    ck_assert_int_eq(
        exit_lease_bring(&lease, LEASE_OWNER_NOBODY, 3 * (uint64_t)LEASE_UNIT_BYTES, &units),
        -ENOSPC);
    ck_assert_uint_eq(units, 1);
    assert_leased(1);
}
END_TEST

START_TEST(a_closed_ledger_is_left_alone)
{
    uint32_t units = 7;
    struct lease_ledger closed = { 0 };

    lease.ledger = &closed;
    exit_lease_settle(&lease, LEASE_UNIT_BYTES);
    ck_assert_int_eq(exit_lease_bring(&lease, alice, 1, &units), -ECANCELED);
    ck_assert_uint_eq(units, 0);
    ck_assert_uint_eq(lease.units, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exit_lease");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, an_empty_store_has_its_spare_units);
    tcase_add_test(all, it_follows_what_is_kept);
    tcase_add_test(all, what_a_dead_one_had_comes_along);
    tcase_add_test(all, one_that_had_too_little_gets_what_is_free);
    tcase_add_test(all, units_of_a_move_are_kept_until_it_arrives);
    tcase_add_test(all, a_full_ledger_gives_less_and_says_so);
    tcase_add_test(all, a_closed_ledger_is_left_alone);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
