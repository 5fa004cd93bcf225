/* child-agent.core: an arena has the records that every reader needs, or there is none. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "child-agent/agent_lease.h"
#include "child-agent/core.h"
#include "child-agent/guest/descriptor.h"
#include "child-agent/process_arena.h"
#include "child-agent/threads/thread_registry.h"
#include "tests/unit/run_suite.h"

enum {
    /* Their records do not fit the first unit of an arena. */
    THREADS = 3000,
    LIMIT_BYTES = 64 * LEASE_UNIT_BYTES,
    STRANGER = 1234567,
};

static struct lease_ledger ledger; /* profd's view of it */
static lease_owner others;         /* somebody who has most of it */

static void make_ledger(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_BYTES, &ledger), 0);
    ck_assert_int_eq(agent_lease_take_over(fd), 0);
    others = lease_owner_make(STRANGER, 1, false);
}

/* As if so many threads ran, of which one is real. */
static void make_threads(void)
{
    for (int i = 0; i < THREADS; i++) {
        struct thread_registration *thread = thread_registry_prepare(0);
        ck_assert_ptr_nonnull(thread);
        thread->id.number = getpid() + i;
        atomic_store(&thread->life, REGISTRATION_LIVE);
    }
}

/* All units but COUNT are taken by others. */
static void leave_units(uint32_t count)
{
    uint32_t unit;
    while (lease_take(&ledger, others, LEASE_TO_START, &unit) == 0)
        ;
    (void)lease_move(&ledger, others, LEASE_OWNER_NOBODY, count);
    ck_assert_uint_eq(lease_ledger_recount(&ledger, NULL), LIMIT_BYTES / LEASE_UNIT_BYTES - count);
}

static void set_up(void)
{
    static char name[] = "test_core";
    char *arguments[] = { name, NULL };
    core_initialize(1, arguments);
    ck_assert_int_eq(thread_registry_initialize(), 0);
    make_ledger();
    make_threads();
}

static int described_threads(void)
{
    struct arena_reader *reader;
    struct arena_record record;
    int threads = 0;
    ck_assert_int_eq(arena_reader_open(core.arena.fd, &reader), 0);
    while (arena_reader_next_record(reader, &record) > 0)
        threads += record.kind == DICTIONARY_THREAD;
    arena_reader_close(reader);
    return threads;
}

START_TEST(without_room_for_its_records_there_is_no_arena)
{
    lease_owner ours = agent_lease_owner();
    leave_units(1);
    ck_assert_int_eq(process_arena_make(), -ENOSPC);
    ck_assert(!core_local.has_arena);
    ck_assert_ptr_null(core.arena.header);
    ck_assert_int_eq(core.arena.fd, -1);
    ck_assert_int_eq(descriptor_number(DESCRIPTOR_ARENA), -1);
    ck_assert_uint_eq(lease_count(&ledger, ours), 0);
}
END_TEST

START_TEST(an_arena_that_a_later_try_makes_has_all_records)
{
    leave_units(1);
    ck_assert_int_eq(process_arena_make(), -ENOSPC);
    leave_units(LIMIT_BYTES / LEASE_UNIT_BYTES);
    ck_assert_int_eq(process_arena_make(), 0);
    ck_assert(core_local.has_arena);
    ck_assert_int_eq(described_threads(), THREADS);
    ck_assert_int_eq(descriptor_number(DESCRIPTOR_ARENA), core.arena.fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("core");
    TCase *tests = tcase_create("core");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, without_room_for_its_records_there_is_no_arena);
    tcase_add_test(tests, an_arena_that_a_later_try_makes_has_all_records);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
