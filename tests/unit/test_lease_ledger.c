/* The lease ledger: no unit has two owners, whoever takes, gives back, or is killed. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/lease_ledger.h"
#include "tests/unit/run_suite.h"

enum { UNITS = 64, STARTUP = UNITS / 8, GROWTH = UNITS - STARTUP, IDENTITY = 77 };

#define LIMIT ((uint64_t)UNITS * LEASE_UNIT_BYTES)

static const lease_owner alice = (lease_owner)100 << 32 | 2, bob = (lease_owner)200 << 32 | 2;

static struct lease_ledger ledger;
static int fd;

static void set_up(void)
{
    fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(lease_ledger_create(fd, IDENTITY, LIMIT, &ledger), 0);
}

static void tear_down(void)
{
    lease_ledger_close(&ledger);
    close(fd);
}

/* Takes until nothing is left; returns how many. */
static uint32_t take_all(lease_owner owner, enum lease_purpose purpose)
{
    uint32_t count = 0, unit;
    while (lease_take(&ledger, owner, purpose, &unit) == 0)
        count++;
    return count;
}

START_TEST(all_units_are_free_at_first)
{
    uint32_t growth_free;
    ck_assert_uint_eq(lease_ledger_recount(&ledger, &growth_free), 0);
    ck_assert_uint_eq(growth_free, GROWTH);
    ck_assert_uint_eq(lease_ledger_limit_bytes(&ledger), LIMIT);
}
END_TEST

START_TEST(who_grows_leaves_the_startup_units_alone)
{
    uint32_t unit;
    ck_assert_uint_eq(take_all(alice, LEASE_TO_GROW), GROWTH);
    ck_assert_uint_eq(lease_count(&ledger, alice), GROWTH);
    ck_assert_int_eq(lease_take(&ledger, bob, LEASE_TO_GROW, &unit), -ENOSPC);
    ck_assert_uint_eq(take_all(bob, LEASE_TO_START), STARTUP);
    ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), UNITS);
}
END_TEST

START_TEST(a_unit_that_is_given_back_can_be_taken_again)
{
    uint32_t unit, again;
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), 0);
    take_all(bob, LEASE_TO_GROW);
    lease_give_back(&ledger, alice, unit);
    ck_assert_int_eq(lease_take(&ledger, bob, LEASE_TO_GROW, &again), 0);
    ck_assert_uint_eq(again, unit);
}
END_TEST

START_TEST(nobody_gives_back_what_is_not_his)
{
    uint32_t unit;
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), 0);
    lease_give_back(&ledger, bob, unit);
    lease_give_back(&ledger, alice, UINT32_MAX);
    ck_assert_uint_eq(lease_count(&ledger, alice), 1);
}
END_TEST

START_TEST(the_dead_ones_units_are_moved_or_freed)
{
    take_all(alice, LEASE_TO_GROW);
    ck_assert_uint_eq(lease_move(&ledger, alice, LEASE_OWNER_EXITS, 5), 5);
    ck_assert_uint_eq(lease_move(&ledger, alice, LEASE_OWNER_NOBODY, UINT32_MAX), GROWTH - 5);
    ck_assert_uint_eq(lease_count(&ledger, alice), 0);
    ck_assert_uint_eq(lease_count(&ledger, LEASE_OWNER_EXITS), 5);
    ck_assert_uint_eq(take_all(bob, LEASE_TO_GROW), GROWTH - 5);
}
END_TEST

START_TEST(a_wrong_hint_costs_a_search_or_a_recount_never_a_unit_twice)
{
    uint32_t unit;
    atomic_store(&ledger.header->maybe_free, 0);
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), -ENOSPC);
    lease_ledger_recount(&ledger, NULL);
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), 0);
    atomic_store(&ledger.header->maybe_free, UINT32_MAX);
    atomic_store(&ledger.header->next, UINT32_MAX);
    ck_assert_uint_eq(take_all(bob, LEASE_TO_GROW), GROWTH - 1);
    ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), GROWTH);
}
END_TEST

START_TEST(a_lower_limit_takes_nothing_away_and_gives_nothing_more)
{
    uint32_t unit;
    take_all(alice, LEASE_TO_GROW);
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, LIMIT / 2), 0);
    ck_assert_uint_eq(lease_count(&ledger, alice), GROWTH);
    ck_assert_int_eq(lease_take(&ledger, bob, LEASE_TO_START, &unit), -ENOSPC);
    lease_move(&ledger, alice, LEASE_OWNER_NOBODY, UINT32_MAX);
    lease_ledger_recount(&ledger, NULL);
    ck_assert_uint_eq(take_all(bob, LEASE_TO_START), UNITS / 2);
}
END_TEST

START_TEST(owners_behind_a_lower_limit_count_against_it)
{
    /* Everything but the last ten units is given back. */
    take_all(alice, LEASE_TO_START);
    for (uint32_t unit = 0; unit < UNITS - 10; unit++)
        lease_give_back(&ledger, alice, unit);
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, LIMIT / 2), 0);
    ck_assert_uint_eq(take_all(bob, LEASE_TO_START), UNITS / 2 - 10);
}
END_TEST

START_TEST(limits_out_of_range_are_refused)
{
    uint64_t most = (uint64_t)LEASE_LEDGER_MAX_UNITS * LEASE_UNIT_BYTES;
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, most + LEASE_UNIT_BYTES), -EINVAL);
    ck_assert_int_eq(
        lease_ledger_set_limit(&ledger, (LEASE_LEDGER_MIN_UNITS - 1) * LEASE_UNIT_BYTES), -EINVAL);
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, most), 0);
}
END_TEST

static uint64_t bytes_on_disk(void)
{
    struct stat status;
    ck_assert_int_eq(fstat(fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

/* Else touching it on a full disk would be fatal. */
START_TEST(what_the_limit_allows_has_its_place_on_the_disk)
{
    uint64_t more = 16 * 1024;
    ck_assert_uint_ge(bytes_on_disk(), LEASE_LEDGER_UNITS_OFFSET + UNITS * sizeof(lease_owner));
    ck_assert_int_eq(lease_ledger_set_limit(&ledger, more * LEASE_UNIT_BYTES), 0);
    ck_assert_uint_ge(bytes_on_disk(), LEASE_LEDGER_UNITS_OFFSET + more * sizeof(lease_owner));
}
END_TEST

START_TEST(every_process_maps_the_same_ledger)
{
    struct lease_ledger other;
    uint32_t unit;
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), 0);
    ck_assert_int_eq(lease_ledger_open(fd, LEASE_LEDGER_MAX_UNITS, &other), 0);
    ck_assert_uint_eq(other.header->identity, IDENTITY);
    ck_assert_uint_eq(other.mapped_units, UNITS);
    ck_assert_uint_eq(lease_count(&other, alice), 1);
    lease_ledger_close(&other);
    ck_assert_int_eq(lease_ledger_adopt(fd, &other), 0);
    ck_assert_uint_eq(other.mapped_units, LEASE_LEDGER_MAX_UNITS);
    lease_ledger_close(&other);
}
END_TEST

START_TEST(who_maps_less_takes_only_what_it_sees)
{
    struct lease_ledger other;
    uint32_t unit;
    ck_assert_int_eq(lease_ledger_open(fd, UNITS / 2, &other), 0);
    ck_assert_uint_eq(other.mapped_units, UNITS / 2);
    for (uint32_t i = 0; i < UNITS / 2; i++) {
        ck_assert_int_eq(lease_take(&other, bob, LEASE_TO_START, &unit), 0);
        ck_assert_uint_lt(unit, UNITS / 2);
    }
    ck_assert_int_eq(lease_take(&other, bob, LEASE_TO_START, &unit), -ENOSPC);
    ck_assert_uint_eq(lease_count(&ledger, bob), UNITS / 2);
    (void)lease_ledger_recount(&ledger, NULL);
    ck_assert_int_eq(lease_take(&ledger, alice, LEASE_TO_GROW, &unit), 0);
    lease_ledger_close(&other);
}
END_TEST

START_TEST(what_is_no_ledger_is_refused)
{
    struct lease_ledger other;
    static const char zeros[LEASE_LEDGER_HEADER_BYTES];
    int file = memfd_create("none", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_open(file, LEASE_LEDGER_MAX_UNITS, &other), -EPROTO);
    ck_assert_int_eq(write(file, zeros, sizeof(zeros)), (int)sizeof(zeros));
    ck_assert_int_eq(lease_ledger_open(file, LEASE_LEDGER_MAX_UNITS, &other), -EPROTO);
    /* A true header in a file that was cut: mapping it would be a trap. */
    ck_assert_int_eq(ftruncate(fd, LEASE_LEDGER_HEADER_BYTES), 0);
    ck_assert_int_eq(lease_ledger_open(fd, LEASE_LEDGER_MAX_UNITS, &other), -EPROTO);
    close(file);
}
END_TEST

/* Takes and gives back at random until it is killed; never has more than a few. */
static void trade_units(lease_owner owner)
{
    unsigned seed = (unsigned)owner >> 3 | (unsigned)(owner >> 32);
    uint32_t units[8], count = 0;
    for (;;) {
        if (count < 8 && rand_r(&seed) % 2 == 0)
            count += lease_take(&ledger, owner, LEASE_TO_GROW, &units[count]) == 0;
        else if (count > 0)
            lease_give_back(&ledger, owner, units[--count]);
    }
}

START_TEST(who_is_killed_in_the_middle_owns_what_the_ledger_says)
{
    enum { TRADERS = 12, ROUNDS = 5 };
    for (int round = 0; round < ROUNDS; round++) {
        pid_t pids[TRADERS];
        for (int i = 0; i < TRADERS; i++) {
            pids[i] = fork();
            if (pids[i] == 0)
                trade_units(lease_owner_make(1000 + i, 0, false));
        }
        /* All have traded when the ledger has been seen to change often. */
        uint32_t next = 0;
        for (int changes = 0; changes < 2000;) {
            uint32_t now = atomic_load(&ledger.header->next);
            changes += now != next;
            next = now;
        }
        for (int i = 0; i < TRADERS; i++)
            kill(pids[i], SIGKILL);
        uint32_t sum = 0;
        for (int i = 0; i < TRADERS; i++) {
            ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
            uint32_t owned = lease_count(&ledger, lease_owner_make(1000 + i, 0, false));
            ck_assert_uint_le(owned, 8);
            sum += owned;
        }
        ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), sum);
        for (int i = 0; i < TRADERS; i++)
            lease_move(&ledger, lease_owner_make(1000 + i, 0, false), LEASE_OWNER_NOBODY,
                       UINT32_MAX);
        ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), 0);
    }
}
END_TEST

START_TEST(an_owner_tells_its_process_and_which_image_is_later)
{
    const uint64_t hour_ns = UINT64_C(3600) * 1000000000, wraps_ns = UINT64_C(1) << 54;
    lease_owner first = lease_owner_make(4711, wraps_ns - hour_ns, false);
    lease_owner second = lease_owner_make(4711, wraps_ns + 50 * 24 * hour_ns, false);
    lease_owner soon = lease_owner_make(4711, wraps_ns - hour_ns + 20000, false);

    ck_assert_int_eq(lease_owner_pid(first), 4711);
    ck_assert(lease_owner_is_later(second, first));
    ck_assert(!lease_owner_is_later(first, second));
    ck_assert(!lease_owner_is_later(first, first));
    ck_assert(lease_owner_is_later(soon, first));
    ck_assert_int_eq(lease_owner_pid(lease_owner_make((1 << 22) - 1, 0, true)), (1 << 22) - 1);
    ck_assert(!lease_owner_is_foreign(first));
    ck_assert(lease_owner_is_foreign(lease_owner_make(4711, 0, true)));
    ck_assert_uint_gt(lease_owner_make(1, 0, false), LEASE_OWNER_EXITS);
}
END_TEST

static void add_all(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, all_units_are_free_at_first);
    tcase_add_test(tests, who_grows_leaves_the_startup_units_alone);
    tcase_add_test(tests, a_unit_that_is_given_back_can_be_taken_again);
    tcase_add_test(tests, nobody_gives_back_what_is_not_his);
    tcase_add_test(tests, the_dead_ones_units_are_moved_or_freed);
    tcase_add_test(tests, a_wrong_hint_costs_a_search_or_a_recount_never_a_unit_twice);
    tcase_add_test(tests, a_lower_limit_takes_nothing_away_and_gives_nothing_more);
    tcase_add_test(tests, owners_behind_a_lower_limit_count_against_it);
    tcase_add_test(tests, limits_out_of_range_are_refused);
    tcase_add_test(tests, what_the_limit_allows_has_its_place_on_the_disk);
    tcase_add_test(tests, every_process_maps_the_same_ledger);
    tcase_add_test(tests, who_maps_less_takes_only_what_it_sees);
    tcase_add_test(tests, what_is_no_ledger_is_refused);
    tcase_add_test(tests, an_owner_tells_its_process_and_which_image_is_later);
    tcase_add_test(tests, who_is_killed_in_the_middle_owns_what_the_ledger_says);
}

int main(void)
{
    Suite *suite = suite_create("buffer.lease_ledger");
    TCase *tests = tcase_create("ledger");
    add_all(tests);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
