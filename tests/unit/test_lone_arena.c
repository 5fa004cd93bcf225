#include <check.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/chunk_manager.h"
#include "daemon/memory/lone_arena.h"
#include "tests/unit/run_suite.h"

enum { CHUNKS = 8, LIMIT_UNITS = 32, GENERATION = 3, PAGE = 4096, BLOCK_BYTES = 100 };

static const lease_owner owner = (lease_owner)4242 << LEASE_OWNER_PID_SHIFT | 2;
static struct lease_ledger ledger;
static struct arena arena;
static struct chunk_manager *manager;
static struct chunk_update update;

static void set_up(void)
{
    clock_initialize();
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, LIMIT_UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    close(fd);
    const struct arena_room room = { CHUNKS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, CHUNKS * CHUNK_BYTES, &manager), 0);
}

static void tear_down(void)
{
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
    lease_ledger_close(&ledger);
}

/* A chunk with one block, as its writer left it. */
static struct chunk *get_filled(void)
{
    struct chunk *chunk = chunk_manager_get(manager, 0);
    ck_assert_ptr_nonnull(chunk);
    chunk_publish(chunk, BLOCK_BYTES);
    return chunk;
}

static struct chunk *release_filled(void)
{
    struct chunk *chunk = get_filled();
    chunk_manager_release(manager, chunk);
    return chunk;
}

static uint64_t resident_bytes(void)
{
    struct stat status;
    ck_assert_int_eq(fstat(arena.fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

START_TEST(an_update_is_what_the_manager_would_tell)
{
    struct chunk *first = release_filled();
    struct chunk *second = release_filled();
    (void)get_filled();
    ck_assert_int_eq(lone_arena_update(arena.fd, &update), 0);
    ck_assert_int_eq(update.kind, CHUNK_UPDATE_ORDINARY);
    ck_assert_uint_eq(update.released_bytes, 2 * CHUNK_BYTES);
    ck_assert_uint_eq(update.unreleased_bytes, CHUNK_BYTES);
    ck_assert_uint_eq(update.oldest_done_ns, first->done.monotonic_ns);
    ck_assert_uint_eq(update.newly_released_count, 2);
    ck_assert_uint_eq(update.newly_released[0].done_ns, first->done.monotonic_ns);
    ck_assert_uint_eq(update.newly_released[1].done_ns, second->done.monotonic_ns);
}
END_TEST

START_TEST(the_oldest_are_destroyed_with_their_memory_and_units)
{
    struct chunk *first = release_filled();
    (void)release_filled();
    uint32_t before = lease_count(&ledger, owner);
    uint64_t memory = resident_bytes();
    ck_assert_int_eq(lone_arena_destroy(arena.fd, &ledger, owner, first->done.monotonic_ns),
                     CHUNK_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, owner), before - 1);
    ck_assert_uint_lt(resident_bytes(), memory);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], 1);
    ck_assert_uint_eq(arena.header->drop_bytes[DROP_RECYCLED], BLOCK_BYTES);
    ck_assert_int_eq(lone_arena_update(arena.fd, &update), 0);
    ck_assert_uint_eq(update.released_bytes, CHUNK_BYTES);
}
END_TEST

START_TEST(what_is_in_use_is_left_alone)
{
    struct chunk *used = get_filled();
    ck_assert_int_eq(lone_arena_destroy(arena.fd, &ledger, owner, UINT64_MAX), 0);
    ck_assert_uint_eq(used->state, CHUNK_IN_USE);
    ck_assert_uint_eq(used->block_count, 1);
}
END_TEST

/* The process goes on, and finds the slots free again. */
START_TEST(the_manager_goes_on_with_what_was_destroyed)
{
    for (int i = 0; i < CHUNKS; i++)
        (void)release_filled();
    ck_assert_int_eq(lone_arena_destroy(arena.fd, &ledger, owner, UINT64_MAX),
                     CHUNKS * CHUNK_BYTES);
    uint32_t front = lease_count(&ledger, owner);
    for (int i = 0; i < CHUNKS; i++)
        (void)release_filled();
    ck_assert_uint_eq(lease_count(&ledger, owner), front + CHUNKS);
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], CHUNKS);
    (void)release_filled(); /* the limit is reached: one of the new ones is recycled */
    ck_assert_uint_eq(arena.header->drops[DROP_RECYCLED], CHUNKS + 1);
}
END_TEST

/* A unit that was given back and taken again for another chunk stays that one's. */
START_TEST(units_are_given_back_once)
{
    (void)release_filled();
    ck_assert_int_eq(lone_arena_destroy(arena.fd, &ledger, owner, UINT64_MAX), CHUNK_BYTES);
    struct chunk *chunks[CHUNKS];
    for (int i = 0; i < CHUNKS; i++)
        chunks[i] = get_filled();
    uint32_t full = lease_count(&ledger, owner);
    for (int i = 0; i < CHUNKS; i++)
        chunk_manager_release(manager, chunks[i]);
    ck_assert_uint_eq(lease_count(&ledger, owner), full);
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    ck_assert_uint_eq(lease_count(&ledger, owner), full - (CHUNKS - 1));
}
END_TEST

/* Between the two steps of profd, which may be killed there. */
START_TEST(a_chunk_that_is_being_destroyed_is_nobodys)
{
    struct chunk *chunk = release_filled();
    ck_assert_int_eq(chunk_move(chunk, CHUNK_RELEASED, CHUNK_DESTROYING), 0);
    ck_assert_int_eq(lone_arena_update(arena.fd, &update), 0);
    ck_assert_uint_eq(update.released_bytes + update.unreleased_bytes, 0);
    for (int i = 0; i < CHUNKS; i++)
        ck_assert_ptr_ne(release_filled(), chunk);
}
END_TEST

START_TEST(a_cleared_arena_has_no_chunks_and_pays_for_none)
{
    uint32_t front = lease_count(&ledger, owner);
    (void)release_filled();
    (void)get_filled();
    ck_assert_int_eq(lone_arena_clear(arena.fd, &ledger, owner), 0);
    ck_assert_uint_eq(lease_count(&ledger, owner), front);
    ck_assert_uint_le(resident_bytes(), PAGE);
    chunk_manager_discard_all(manager); /* its process finds out later */
    ck_assert_uint_eq(lease_count(&ledger, owner), front);
}
END_TEST

START_TEST(what_is_no_arena_is_refused)
{
    int fd = memfd_create("other", MFD_CLOEXEC);
    ck_assert_int_lt(lone_arena_update(fd, &update), 0);
    ck_assert_int_lt(lone_arena_destroy(fd, &ledger, owner, UINT64_MAX), 0);
    ck_assert_int_lt(lone_arena_clear(fd, &ledger, owner), 0);
    close(fd);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.lone_arena");
    TCase *tests = tcase_create("arena");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_update_is_what_the_manager_would_tell);
    tcase_add_test(tests, the_oldest_are_destroyed_with_their_memory_and_units);
    tcase_add_test(tests, what_is_in_use_is_left_alone);
    tcase_add_test(tests, the_manager_goes_on_with_what_was_destroyed);
    tcase_add_test(tests, units_are_given_back_once);
    tcase_add_test(tests, a_chunk_that_is_being_destroyed_is_nobodys);
    tcase_add_test(tests, a_cleared_arena_has_no_chunks_and_pays_for_none);
    tcase_add_test(tests, what_is_no_arena_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
