/* buffer.arena_reader: which chunks are read, and the blocks in them. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/arena_reader_scene.h"
#include "tests/unit/run_suite.h"

/* --- chunks --- */

START_TEST(chunks_come_in_the_order_of_their_range)
{
    for (uint32_t i = 1; i <= 4; i++)
        put_chunk(i);
    /* The first slot gets the newest life. */
    chunk_manager_release(manager, arena_chunk(&arena, 0));
    chunk_manager_set_limit(manager, 4 * CHUNK_BYTES);
    put_chunk(5);
    open_reader();
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 4);
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        ck_assert_uint_eq(copy.writer_index, i + 2);
        ck_assert_uint_eq(copy.range_start, (i + 1) * (uint64_t)CHUNK_BUFFER_BYTES);
        ck_assert_uint_eq(copy.used_bytes, 4);
        ck_assert_uint_eq(copy.block_count, 1);
    }
    ck_assert_uint_eq(read_info().kept_blocks, 4);
    ck_assert_uint_eq(read_info().kept_bytes, 16);
    ck_assert_uint_eq(read_info().bad_chunks + read_info().bad_blocks, 0);
}
END_TEST

/* Whatever places their ranges have. */
START_TEST(many_chunks_are_sorted)
{
    static const uint32_t order[] = { 7, 2, 8, 1, 6, 3, 5, 4 };
    const uint32_t count = sizeof(order) / sizeof(order[0]);
    for (uint32_t used = 1; used <= count; used++) {
        for (uint32_t i = 0; i < used; i++)
            put_chunk(1)->range_start = order[i] * (uint64_t)CHUNK_BUFFER_BYTES;
        open_reader();
        ck_assert_uint_eq(arena_reader_chunk_count(reader), used);
        uint64_t last = 0;
        for (uint32_t i = 0; i < used; i++) {
            ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
            ck_assert_uint_gt(copy.range_start, last);
            last = copy.range_start;
        }
        tear_down();
        set_up();
    }
}
END_TEST

START_TEST(only_chunks_of_this_session_with_data_are_listed)
{
    put_chunk(1);
    put_chunk(2)->generation = GENERATION - 1;
    put_chunk(3)->state = CHUNK_FREE;
    put_chunk(4)->offset_past_last_block = 0;
    chunk_manager_release(manager, put_chunk(5));
    open_reader();
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 2);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(copy.writer_index, 1);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 1, &copy), 0);
    ck_assert_uint_eq(copy.writer_index, 5);
}
END_TEST

START_TEST(without_a_session_there_are_no_chunks)
{
    put_chunk(1)->generation = 0;
    arena.header->generation = 0;
    open_reader();
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 0);
}
END_TEST

START_TEST(chunks_that_changed_hands_since_are_not_there)
{
    struct chunk *recycled = put_chunk(1), *destroyed = put_chunk(2), *regenerated = put_chunk(3);
    open_reader();
    chunk_manager_release(manager, recycled);
    chunk_manager_set_limit(manager, 3 * CHUNK_BYTES);
    ck_assert_ptr_eq(put_chunk(4), recycled);
    chunk_manager_release(manager, destroyed);
    chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
    regenerated->generation++;
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), -ENOENT);
    ck_assert_uint_eq(read_info().bad_chunks, 0);
    ck_assert_uint_eq(read_info().kept_blocks, 0);
}
END_TEST

START_TEST(a_damaged_chunk_header_is_refused_and_counted)
{
    struct chunk *chunk = put_chunk(1);
    open_reader();
    switch (_i) {
    case 0:
        chunk->state = 99;
        break;
    case 1:
        chunk->offset_past_last_block = CHUNK_BUFFER_BYTES + 1;
        break;
    case 2:
        chunk->buffer_bytes = UINT32_MAX;
        break;
    default:
        chunk->offset_first_block = 4;
        break;
    }
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), -EPROTO);
    ck_assert_uint_eq(read_info().bad_chunks, 1);
}
END_TEST

START_TEST(a_high_water_mark_above_the_chunks_is_cut)
{
    put_chunk(1);
    arena.header->chunk_high_water = UINT64_MAX;
    open_reader();
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 1);
}
END_TEST

START_TEST(an_arena_is_read_from_memory_as_from_its_file)
{
    put_chunk(1);
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader), 0);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    static const uint8_t expected[] = { 3, 1, 0xab, 0xcd };
    ck_assert_mem_eq(copy.bytes, expected, sizeof(expected));
}
END_TEST

START_TEST(the_borrowed_descriptor_may_be_closed_while_reading)
{
    put_chunk(1);
    int fd = dup(arena.fd);
    ck_assert_int_eq(arena_reader_open(fd, &reader), 0);
    close(fd);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
}
END_TEST

START_TEST(a_file_that_shrinks_while_reading_is_an_error_not_a_fault)
{
    char path[] = "/tmp/profd-test-XXXXXX";
    put_chunk(1);
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    unlink(path);
    ck_assert_int_eq(pwrite(fd, arena.header, ARENA_HEADER_BYTES, 0), ARENA_HEADER_BYTES);
    ck_assert_int_eq(ftruncate(fd, (off_t)arena.mapped_bytes), 0);
    ck_assert_int_eq(pwrite(fd, arena.chunks, CHUNK_BYTES, (off_t)arena.header->chunks_offset),
                     CHUNK_BYTES);
    ck_assert_int_eq(arena_reader_open(fd, &reader), 0);
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 1);
    ck_assert_int_eq(ftruncate(fd, ARENA_HEADER_BYTES), 0);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), -EIO);
    close(fd);
}
END_TEST

START_TEST(reading_fills_no_holes)
{
    struct stat before, after;
    chunk_manager_release(manager, put_chunk(1));
    chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
    ck_assert_int_eq(fstat(arena.fd, &before), 0);
    open_reader();
    ck_assert_int_eq(fstat(arena.fd, &after), 0);
    ck_assert_int_eq(after.st_blocks, before.st_blocks);
}
END_TEST

/* --- blocks --- */

static const struct {
    const char *claim;
    uint8_t bytes[8];
    uint32_t used;
    int blocks, result;
} framings[] = {
    { "nothing", { 0 }, 0, 0, 0 },
    { "two blocks", { 1, 9, 2, 9, 9 }, 5, 2, 0 },
    { "size 0", { 1, 9, 0, 1, 9 }, 5, 1, -EPROTO },
    { "past the end", { 1, 9, 3, 9, 9 }, 5, 1, -EPROTO },
    { "cut in the size", { 1, 9, 0x80 }, 3, 1, -EPROTO },
    { "huge size", { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 8, 0, -EPROTO },
};

START_TEST(blocks_are_walked_up_to_the_damage)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t payload_bytes;
    int blocks = 0, result;
    memcpy(copy.bytes, framings[_i].bytes, sizeof(framings[_i].bytes));
    copy.used_bytes = framings[_i].used;
    block_cursor_init(&cursor, &copy);
    while ((result = block_cursor_next(&cursor, &kind, &payload, &payload_bytes)) == 1) {
        ck_assert_uint_eq(kind, 9);
        blocks++;
    }
    ck_assert_msg(result == framings[_i].result && blocks == framings[_i].blocks, "%s",
                  framings[_i].claim);
}
END_TEST

START_TEST(a_chunk_with_a_damaged_block_keeps_the_ones_before)
{
    struct chunk *chunk = put_chunk(1);
    chunk->buffer[4] = 0xff;
    chunk->offset_past_last_block = 5;
    open_reader();
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(copy.block_count, 1);
    ck_assert_uint_eq(read_info().bad_blocks, 1);
    ck_assert_uint_eq(read_info().kept_blocks, 1);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.arena_reader");

    TCase *tests = make_case(suite, "chunks");
    tcase_add_test(tests, chunks_come_in_the_order_of_their_range);
    tcase_add_test(tests, many_chunks_are_sorted);
    tcase_add_test(tests, only_chunks_of_this_session_with_data_are_listed);
    tcase_add_test(tests, without_a_session_there_are_no_chunks);
    tcase_add_test(tests, chunks_that_changed_hands_since_are_not_there);
    tcase_add_loop_test(tests, a_damaged_chunk_header_is_refused_and_counted, 0, 4);
    tcase_add_test(tests, a_high_water_mark_above_the_chunks_is_cut);
    tcase_add_test(tests, an_arena_is_read_from_memory_as_from_its_file);
    tcase_add_test(tests, the_borrowed_descriptor_may_be_closed_while_reading);
    tcase_add_test(tests, a_file_that_shrinks_while_reading_is_an_error_not_a_fault);
    tcase_add_test(tests, reading_fills_no_holes);

    tests = make_case(suite, "blocks");
    tcase_add_loop_test(tests, blocks_are_walked_up_to_the_damage, 0, COUNT(framings));
    tcase_add_test(tests, a_chunk_with_a_damaged_block_keeps_the_ones_before);
    return run_suite(suite);
}
