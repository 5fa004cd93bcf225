/* daemon.exit_file: a file of memory with arenas in it, as the kernel counts it. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/arena.h"
#include "buffer/chunk.h"
#include "daemon/memory/exit_file.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096, CHUNKS = 3 };

static struct exit_file *file;

static void set_up(void)
{
    ck_assert_int_eq(exit_file_create(&file), 0);
}

static void tear_down(void)
{
    exit_file_unref(file);
}

static void fill_range(uint64_t offset, size_t bytes)
{
    char *memory = malloc(bytes);

    memset(memory, 'x', bytes);
    ck_assert_int_eq(pwrite(file->fd, memory, bytes, (off_t)offset), bytes);
    free(memory);
}

/* An arena of CHUNKS chunks, each of which holds a block of 100 bytes. */
static uint64_t append_arena(void)
{
    struct arena_header header = { .magic = ARENA_MAGIC, .chunks_offset = 8 * PAGE };
    uint64_t offset, bytes = header.chunks_offset + CHUNKS * CHUNK_BYTES;

    ck_assert_int_eq(exit_file_append(file, bytes, &offset), 0);
    fill_range(offset, bytes);
    ck_assert_int_eq(pwrite(file->fd, &header, sizeof(header), (off_t)offset), sizeof(header));
    for (int i = 0; i < CHUNKS; i++) {
        struct chunk chunk = { .block_count = 1, .offset_past_last_block = 100 };
        ck_assert_int_eq(pwrite(file->fd, &chunk, sizeof(chunk),
                                (off_t)(offset + header.chunks_offset + i * CHUNK_BYTES)),
                         sizeof(chunk));
    }
    return offset;
}

START_TEST(arenas_lie_side_by_side_on_pages)
{
    uint64_t first, second, third;

    ck_assert_int_eq(exit_file_append(file, 10, &first), 0);
    ck_assert_int_eq(exit_file_append(file, PAGE, &second), 0);
    ck_assert_int_eq(exit_file_append(file, 1, &third), 0);
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(second, PAGE);
    ck_assert_uint_eq(third, 2 * PAGE);
}
END_TEST

START_TEST(room_costs_nothing_until_it_is_written)
{
    uint64_t offset;

    ck_assert_int_eq(exit_file_append(file, 100 * PAGE, &offset), 0);
    ck_assert_uint_eq(exit_file_kernel_bytes(file), 0);
    ck_assert_int_eq(lseek(file->fd, 0, SEEK_END), 100 * PAGE);
    fill_range(offset, 2 * PAGE);
    ck_assert_uint_eq(exit_file_kernel_bytes(file), 2 * PAGE);
}
END_TEST

START_TEST(a_hole_frees_its_part_alone)
{
    uint64_t offset;
    char byte;

    ck_assert_int_eq(exit_file_append(file, 4 * PAGE, &offset), 0);
    fill_range(offset, 4 * PAGE);
    exit_file_punch(file, offset + PAGE, 2 * PAGE);
    ck_assert_uint_eq(exit_file_kernel_bytes(file), 2 * PAGE);
    ck_assert_int_eq(pread(file->fd, &byte, 1, 2 * PAGE), 1);
    ck_assert_int_eq(byte, 0);
    ck_assert_int_eq(pread(file->fd, &byte, 1, 3 * PAGE), 1);
    ck_assert_int_eq(byte, 'x');
}
END_TEST

START_TEST(a_dropped_chunk_is_counted_in_its_own_arena_and_freed)
{
    struct block_account account;
    uint64_t other = append_arena(), offset = append_arena();
    uint64_t before = exit_file_kernel_bytes(file);

    ck_assert_int_eq(exit_file_drop_chunk(file, offset, 1), 0);
    ck_assert_uint_eq(before - exit_file_kernel_bytes(file), CHUNK_BYTES);
    exit_file_read_account(file, offset, &account);
    ck_assert_uint_eq(account.dropped_blocks, 1);
    ck_assert_uint_eq(account.produced_blocks, 1);
    exit_file_read_account(file, other, &account);
    ck_assert_uint_eq(account.dropped_blocks, 0);
}
END_TEST

START_TEST(a_chunk_beyond_the_end_is_not_dropped)
{
    struct block_account account;
    uint64_t offset = append_arena();

    ck_assert_int_eq(exit_file_drop_chunk(file, offset, 1000), -EIO);
    exit_file_read_account(file, offset, &account);
    ck_assert_uint_eq(account.dropped_blocks, 0);
}
END_TEST

START_TEST(what_has_no_header_has_no_account)
{
    struct block_account account = { .produced_blocks = 7 };

    exit_file_read_account(file, 1000 * PAGE, &account);
    ck_assert_uint_eq(account.produced_blocks, 0);
}
END_TEST

START_TEST(it_lives_as_long_as_it_has_users)
{
    int fd = file->fd;

    exit_file_ref(file);
    exit_file_unref(file);
    ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
    exit_file_unref(file);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    file = NULL; /* which is nobody's */
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exit_file");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, arenas_lie_side_by_side_on_pages);
    tcase_add_test(all, room_costs_nothing_until_it_is_written);
    tcase_add_test(all, a_hole_frees_its_part_alone);
    tcase_add_test(all, a_dropped_chunk_is_counted_in_its_own_arena_and_freed);
    tcase_add_test(all, a_chunk_beyond_the_end_is_not_dropped);
    tcase_add_test(all, what_has_no_header_has_no_account);
    tcase_add_test(all, it_lives_as_long_as_it_has_users);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
