/* daemon.exit_store: what is kept of a process that ended, and for how long. */
#include <fcntl.h>

#include "daemon/memory/exit_store.h"
#include "tests/unit/exit_store_scene.h"
#include "tests/unit/run_suite.h"

/* Markers of a kilobyte that fill a chunk. */
enum { BLOCKS_OF_A_CHUNK = 65 };

/* Drops what the controller chooses for a total of at most BYTES; returns how many chunks. */
static unsigned drop_down_to(uint64_t bytes)
{
    struct chunk_drop drop;
    unsigned count = 0;

    controller.target_bytes = bytes;
    for (; memory_controller_next_drop(&controller, 0, &drop); count++)
        exit_store_drop(&store, drop.source, drop.slot);
    exit_store_settle(&store);
    return count;
}

START_TEST(readers_of_the_file_cannot_change_it)
{
    end_process(0, 5);
    int fd = exit_store_fd(&store);
    ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    ck_assert_int_eq(ftruncate(fd, 0), -1);
    ck_assert_int_eq(pwrite(fd, "x", 1, 0), -1);
    ck_assert_ptr_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
}
END_TEST

START_TEST(what_was_recorded_is_in_the_copy)
{
    keep_arena(make_arena(200, 0), 0);
    keep_arena(make_arena(3, 1), 1);
    ck_assert_int_eq(kept_count, 0); /* never from inside the call */
    uv_run(&loop, UV_RUN_DEFAULT);

    ck_assert_int_eq(kept_count, 2);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 200);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 3);
    ck_assert_uint_eq(store.records, 2);
    expect_lease(store.memory_bytes);
}
END_TEST

START_TEST(a_process_that_recorded_nothing_is_kept)
{
    end_process(0, 0);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 0);
    ck_assert_uint_eq(read_record(kept[0]).records, 1);
}
END_TEST

START_TEST(chunks_are_dropped_one_by_one_and_counted)
{
    end_process(0, 3 * BLOCKS_OF_A_CHUNK);
    uint64_t before = store.memory_bytes;
    ck_assert_uint_eq(drop_down_to(before - 1), 1);
    ck_assert_uint_eq(store.memory_bytes, before - CHUNK_BYTES);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
    expect_lease(store.memory_bytes);
    ck_assert_uint_eq(read_record(kept[0]).blocks, 2 * BLOCKS_OF_A_CHUNK);
    ck_assert_uint_eq(read_record(kept[0]).dropped_blocks, BLOCKS_OF_A_CHUNK);
    ck_assert_int_eq(expired[0], 0);
}
END_TEST

START_TEST(a_profile_expires_with_its_last_chunk)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK);
    end_process(1, 1);
    drop_down_to(store.memory_bytes - 2 * CHUNK_BYTES);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_int_eq(expired[1], 0);
    ck_assert_uint_eq(store.records, 1);
    ck_assert_uint_eq(store.expired_records, 1);
    ck_assert_uint_eq(exit_store_kernel_bytes(&store), store.memory_bytes);
    expect_lease(store.memory_bytes);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 1);
}
END_TEST

/* Also of the chunk that its writer had not given back. */
START_TEST(what_expired_leaves_its_account)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK + 1);
    drop_down_to(0);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_uint_eq(last_account.produced_blocks, 2 * BLOCKS_OF_A_CHUNK + 1);
    ck_assert_uint_eq(last_account.dropped_blocks, last_account.produced_blocks);
    ck_assert_uint_eq(last_account.dropped_bytes, last_account.produced_bytes);
}
END_TEST

START_TEST(a_profile_without_chunks_expires_too)
{
    end_process(0, 0);
    end_process(1, 1);
    ck_assert_uint_eq(drop_down_to(store.memory_bytes - 1), 1);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_int_eq(expired[1], 0);
}
END_TEST

START_TEST(what_a_capture_reads_stays_whole)
{
    end_process(0, 2 * BLOCKS_OF_A_CHUNK);
    exit_store_hold(&store, kept[0], true);
    ck_assert_uint_eq(drop_down_to(0), 0);
    exit_store_hold(&store, kept[0], false);
    drop_down_to(0);
    ck_assert_int_eq(expired[0], 1);
    ck_assert_uint_eq(store.memory_bytes, 0);
}
END_TEST

START_TEST(many_that_end_at_once_wait_in_line)
{
    for (intptr_t i = 0; i < 8; i++)
        keep_arena(make_arena(100, i), i);
    ck_assert_uint_le(store.moving, EXIT_STORE_MOVERS);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(kept_count, 8);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(read_record(kept[i]).blocks, 100);
}
END_TEST

START_TEST(a_late_copy_does_not_land_in_the_next_session)
{
    keep_arena(make_arena(1, 0), 0);
    exit_store_clear(&store);
    keep_arena(make_arena(2, 1), 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_ptr_null(kept[0]);
    ck_assert_uint_eq(read_record(kept[1]).blocks, 2);
    ck_assert_uint_eq(store.records, 1);
    ck_assert_uint_eq(store.failed_records, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exit_store");
    TCase *exits = tcase_create("exits");
    tcase_add_checked_fixture(exits, set_up, tear_down);
    tcase_add_test(exits, readers_of_the_file_cannot_change_it);
    tcase_add_test(exits, what_was_recorded_is_in_the_copy);
    tcase_add_test(exits, a_process_that_recorded_nothing_is_kept);
    tcase_add_test(exits, chunks_are_dropped_one_by_one_and_counted);
    tcase_add_test(exits, a_profile_expires_with_its_last_chunk);
    tcase_add_test(exits, what_expired_leaves_its_account);
    tcase_add_test(exits, a_profile_without_chunks_expires_too);
    tcase_add_test(exits, what_a_capture_reads_stays_whole);
    tcase_add_test(exits, many_that_end_at_once_wait_in_line);
    tcase_add_test(exits, a_late_copy_does_not_land_in_the_next_session);
    suite_add_tcase(suite, exits);
    return run_suite(suite);
}
