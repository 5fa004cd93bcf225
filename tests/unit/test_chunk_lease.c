/* buffer.chunk_manager: chunks that a lease pays for. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/dictionary.h"
#include "tests/unit/chunk_scene.h"
#include "tests/unit/run_suite.h"

static uint64_t resident_bytes(void)
{
    struct stat status;
    ck_assert_int_eq(fstat(arena.fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

/* --- within a lease --- */

enum { LEDGER_UNITS = LEASE_LEDGER_MIN_UNITS };

static struct lease_ledger ledger;
static const lease_owner owner = (lease_owner)4242 << 32 | 2,
                         neighbour = (lease_owner)4243 << 32 | 2;

/* An arena with more slots than the ledger has units, none of which is the limit's. */
static void set_up_leased(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)LEDGER_UNITS * LEASE_UNIT_BYTES, &ledger),
                     0);
    close(fd);
    const struct arena_room room = { 2 * LEDGER_UNITS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &arena), 0);
    ck_assert_int_eq(
        chunk_manager_create(&arena, GENERATION, 2 * LEDGER_UNITS * CHUNK_BYTES, &manager), 0);
}

static void tear_down_leased(void)
{
    tear_down();
    lease_ledger_close(&ledger);
}

static void leave_units(uint32_t count)
{
    uint32_t unit;
    while (lease_take(&ledger, neighbour, LEASE_TO_START, &unit) == 0)
        ;
    lease_move(&ledger, neighbour, LEASE_OWNER_NOBODY, count);
}

START_TEST(the_arena_takes_a_unit_and_each_chunk_another)
{
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    struct chunk *chunk = get_filled(1);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert(chunk_manager_prepare(manager, 2));
    ck_assert_uint_eq(lease_count(&ledger, owner), 4);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(lease_count(&ledger, owner), 4);
    ck_assert_uint_ge(lease_count(&ledger, owner) * (uint64_t)LEASE_UNIT_BYTES, resident_bytes());
}
END_TEST

START_TEST(what_is_destroyed_goes_back_to_the_ledger)
{
    struct chunk *chunk = get_filled(1);
    chunk_manager_release(manager, chunk);
    ck_assert_uint_eq(chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX),
                      CHUNK_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
}
END_TEST

START_TEST(without_a_unit_the_oldest_released_chunk_is_recycled)
{
    struct chunk *first = get_filled(3);
    chunk_manager_release(manager, first);
    leave_units(0);
    ck_assert_ptr_eq(chunk_manager_get(manager, 1), first);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 3);
    ck_assert_ptr_null(chunk_manager_get(manager, 2));
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
}
END_TEST

START_TEST(quiet_processes_give_prepared_chunks_back)
{
    ck_assert(chunk_manager_prepare(manager, 4));
    chunk_manager_unprepare(manager, 1);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert_uint_le(resident_bytes(), 2 * LEASE_UNIT_BYTES);
}
END_TEST

START_TEST(at_the_end_of_a_session_all_chunks_go_back)
{
    chunk_manager_release(manager, get_filled(1));
    get_filled(1);
    chunk_manager_prepare(manager, 2);
    chunk_manager_discard_all(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    ck_assert_uint_le(resident_bytes(), LEASE_UNIT_BYTES);
    ck_assert_ptr_null(chunk_manager_get(manager, 1));
}
END_TEST

/* --- handed over --- */

static struct dictionary handed_over;

/* Chunks that nobody paid for, one of them in use; and the ledger that is to pay. */
static void set_up_handover(void)
{
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)LEDGER_UNITS * LEASE_UNIT_BYTES, &ledger),
                     0);
    close(fd);
    const struct arena_room room = { SLOTS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, NULL, owner, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, SLOTS * CHUNK_BYTES, &manager), 0);
    dictionary_init(&handed_over, &arena);
    for (uint32_t i = 0; i < 5; i++)
        chunk_manager_release(manager, get_filled(1));
    get_filled(7);
    chunk_manager_prepare(manager, 2);
    chunk_manager_close_all(manager);
}

/* How many blocks of session WANTED are in the arena. */
static uint32_t blocks_of(uint32_t wanted)
{
    uint32_t blocks = 0;
    for (uint32_t slot = 0; slot < arena.header->chunk_high_water; slot++) {
        const struct chunk *chunk = arena_chunk(&arena, slot);
        if (chunk->state == CHUNK_RELEASED && chunk->generation == wanted)
            blocks += chunk->block_count;
    }
    return blocks;
}

START_TEST(another_session_goes_on_with_what_one_recorded)
{
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1 + 6);
    ck_assert_int_eq(chunk_manager_continue(manager, GENERATION + 1, SLOTS * CHUNK_BYTES), 0);
    ck_assert_uint_eq(arena.header->generation, GENERATION + 1);
    ck_assert_uint_eq(blocks_of(GENERATION + 1), 5 + 7);
    chunk_manager_release(manager, get_filled(1));
    ck_assert_uint_eq(blocks_of(GENERATION + 1), 5 + 7 + 1);
    ck_assert_uint_eq(arena.header->produced_blocks, 5 + 7 + 1);
    chunk_manager_discard_all(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
}
END_TEST

START_TEST(what_the_new_ledger_cannot_pay_goes_oldest_first)
{
    leave_units(5); /* of which two are for processes that start */
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1 + 2);
    ck_assert_uint_le(resident_bytes(), 3 * LEASE_UNIT_BYTES);
    ck_assert_uint_eq(blocks_of(GENERATION), 1 + 7);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 4);
}
END_TEST

START_TEST(without_a_unit_nothing_stays)
{
    leave_units(1);
    ck_assert_int_eq(dictionary_move_lease(&handed_over, &ledger), 0);
    chunk_manager_pay_anew(manager);
    ck_assert_uint_eq(lease_count(&ledger, owner), 1);
    ck_assert_uint_le(resident_bytes(), LEASE_UNIT_BYTES);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 5 + 7);
}
END_TEST

START_TEST(without_any_unit_there_is_no_arena)
{
    struct arena none;
    leave_units(0);
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, (lease_owner)9 << 32 | 2, &none), -ENOSPC);
    ck_assert_int_eq(none.fd, -1);
}
END_TEST

START_TEST(the_dictionary_grows_only_within_the_lease)
{
    struct dictionary dictionary;
    static char text[4096];
    int error = 0;
    uint64_t put = 0;
    memset(text, 'x', sizeof(text) - 1);
    dictionary_init(&dictionary, &arena);
    leave_units(1);
    while ((error = dictionary_put_log(&dictionary, 1, text)) == 0)
        put += sizeof(text) - 1;
    ck_assert_int_eq(error, -ENOSPC);
    ck_assert_uint_eq(lease_count(&ledger, owner), 2);
    ck_assert_uint_gt(put, LEASE_UNIT_BYTES);
    ck_assert_uint_le(ARENA_HEADER_BYTES + arena.header->dictionary_used_bytes,
                      2 * LEASE_UNIT_BYTES);
    ck_assert_uint_gt(arena.header->drops[DROP_DICTIONARY_FULL], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.chunk_lease");

    TCase *leased = tcase_create("within a lease");
    tcase_add_checked_fixture(leased, set_up_leased, tear_down_leased);
    tcase_add_test(leased, the_arena_takes_a_unit_and_each_chunk_another);
    tcase_add_test(leased, what_is_destroyed_goes_back_to_the_ledger);
    tcase_add_test(leased, without_a_unit_the_oldest_released_chunk_is_recycled);
    tcase_add_test(leased, quiet_processes_give_prepared_chunks_back);
    tcase_add_test(leased, at_the_end_of_a_session_all_chunks_go_back);
    tcase_add_test(leased, without_any_unit_there_is_no_arena);
    tcase_add_test(leased, the_dictionary_grows_only_within_the_lease);
    suite_add_tcase(suite, leased);
    TCase *handover = tcase_create("handed over");
    tcase_add_checked_fixture(handover, set_up_handover, tear_down_leased);
    tcase_add_test(handover, another_session_goes_on_with_what_one_recorded);
    tcase_add_test(handover, what_the_new_ledger_cannot_pay_goes_oldest_first);
    tcase_add_test(handover, without_a_unit_nothing_stays);
    suite_add_tcase(suite, handover);
    return run_suite(suite);
}
