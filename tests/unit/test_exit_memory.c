/* daemon.exit_store: the memory that copies take, and whose it is. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "daemon/memory/compact_arena.h"
#include "tests/unit/exit_store_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(a_copy_is_much_smaller_than_the_room_in_the_arena)
{
    end_process(0, 3);
    ck_assert_uint_gt(store.memory_bytes, 3000);
    ck_assert_uint_lt(store.memory_bytes, 5 * 4096);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
}
END_TEST

START_TEST(what_was_moved_is_not_in_memory_twice)
{
    struct stat status;
    int fd = make_arena(1000, 0), watched = dup(fd);

    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(fstat(watched, &status), 0);
    ck_assert_int_le(status.st_blocks * 512, ARENA_HEADER_BYTES);
    close(watched);
}
END_TEST

/* All that is free is in the hands of others, and still there is room to move. */
START_TEST(moving_needs_no_free_unit)
{
    uint32_t unit;
    int fds[] = { make_arena(1000, 0), make_arena(1000, 1) };

    while (lease_take(&ledger, lease_of(7), LEASE_TO_START, &unit) == 0)
        ;
    for (intptr_t i = 0; i < 2; i++)
        keep_arena(fds[i], i);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 1000);
    ck_assert_uint_le(lease_ledger_recount(&ledger, NULL), LIMIT_UNITS);
    lease_move(&ledger, lease_of(7), LEASE_OWNER_NOBODY, UINT32_MAX);
    expect_lease(store.memory_bytes);
}
END_TEST

/* Its chunk claims to be full, and most of it is a hole: copied, it would take more than was
 * leased.
 */
START_TEST(an_arena_that_would_grow_is_not_kept)
{
    enum { CHUNKS = 40 };
    int fd = make_arena(1, 0);
    struct arena_header header;
    struct chunk chunk;

    ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
    ck_assert_int_eq(pread(fd, &chunk, sizeof(chunk), (off_t)header.chunks_offset), sizeof(chunk));
    atomic_store(&chunk.offset_past_last_block, CHUNK_BUFFER_BYTES);
    atomic_store(&header.chunk_high_water, CHUNKS);
    ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
    for (uint64_t i = 0; i < CHUNKS; i++)
        ck_assert_int_eq(
            pwrite(fd, &chunk, sizeof(chunk), (off_t)(header.chunks_offset + i * CHUNK_BYTES)),
            sizeof(chunk));
    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, -EFBIG);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), 0);
    expect_lease(0);
}
END_TEST

/* A process of before the ledger. */
START_TEST(without_a_lease_what_is_free_is_taken)
{
    uint32_t unit;
    int fds[] = { make_arena(100, 0), make_arena(100, 1) };

    for (intptr_t i = 0; i < 2; i++)
        lease_move(&ledger, lease_of(i), LEASE_OWNER_NOBODY, UINT32_MAX);
    keep_arena(fds[0], 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    expect_lease(store.memory_bytes);
    while (lease_take(&ledger, lease_of(7), LEASE_TO_START, &unit) == 0)
        ;
    keep_arena(fds[1], 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, -ENOSPC);
}
END_TEST

/* As valgrind does, by reading them. */
START_TEST(holes_that_were_filled_by_others_need_no_lease)
{
    int fd = make_arena(3, 0);
    struct stat status;

    ck_assert_int_eq(fstat(fd, &status), 0);
    ck_assert_int_gt(status.st_size, (off_t)LIMIT_UNITS * LEASE_UNIT_BYTES);
    ck_assert_int_eq(posix_fallocate(fd, 0, status.st_size), 0);
    keep_arena(fd, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_error, 0);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 3);
    expect_lease(store.memory_bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exit_memory");
    TCase *exits = tcase_create("exits");
    tcase_add_checked_fixture(exits, set_up, tear_down);
    tcase_add_test(exits, a_copy_is_much_smaller_than_the_room_in_the_arena);
    tcase_add_test(exits, what_was_moved_is_not_in_memory_twice);
    tcase_add_test(exits, moving_needs_no_free_unit);
    tcase_add_test(exits, an_arena_that_would_grow_is_not_kept);
    tcase_add_test(exits, without_a_lease_what_is_free_is_taken);
    tcase_add_test(exits, holes_that_were_filled_by_others_need_no_lease);
    suite_add_tcase(suite, exits);
    return run_suite(suite);
}
