#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/chunk_writer.h"

enum { SLOTS = 8, GENERATION = 5 };

static struct arena arena;
static struct chunk_manager *manager;
static struct arena_reader *reader;
static struct chunk_copy copy;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION, SLOTS * CHUNK_BYTES, &manager), 0);
    reader = NULL;
}

static void tear_down(void)
{
    arena_reader_close(reader);
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

static void open_reader(void)
{
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
}

/* A chunk of writer WRITER_INDEX with one block: an entry of kind WRITER_INDEX and two bytes. */
static struct chunk *put_chunk(uint32_t writer_index)
{
    struct chunk_writer writer;
    chunk_writer_init(&writer, manager, writer_index);
    uint8_t entry[] = { (uint8_t)writer_index, 0xab, 0xcd };
    ck_assert_int_eq(chunk_writer_put(&writer, entry, sizeof(entry)), 0);
    return writer.chunk;
}

static struct arena_info read_info(void)
{
    struct arena_info result;
    arena_reader_info(reader, &result);
    return result;
}

/* --- headers --- */

static void break_magic(struct arena_header *header)
{
    header->magic++;
}
static void break_version(struct arena_header *header)
{
    header->version = ARENA_VERSION + 1;
}
static void break_chunk_bytes(struct arena_header *header)
{
    header->chunk_bytes = 4096;
}
static void break_chunk_count(struct arena_header *header)
{
    header->chunk_count = SLOTS + 1;
}
static void break_chunk_count_hugely(struct arena_header *header)
{
    header->chunk_count = UINT32_MAX;
}
static void break_chunks_offset(struct arena_header *header)
{
    header->chunks_offset = UINT64_MAX - 63;
}
static void break_chunks_alignment(struct arena_header *header)
{
    header->chunks_offset += 8;
    header->total_bytes += 8;
}
static void break_chunks_over_dictionary(struct arena_header *header)
{
    header->chunks_offset -= 4096;
}
static void break_dictionary_offset(struct arena_header *header)
{
    header->dictionary_offset = UINT32_MAX;
}
static void break_dictionary_over_header(struct arena_header *header)
{
    header->dictionary_offset = 64;
}
static void break_dictionary_bytes(struct arena_header *header)
{
    header->dictionary_bytes = UINT32_MAX;
}
static void break_total_bytes(struct arena_header *header)
{
    header->total_bytes += CHUNK_BYTES;
}

static const struct {
    void (*damage)(struct arena_header *header);
    int error;
} damages[] = {
    { break_magic, -EPROTO },
    { break_version, -EPROTO },
    { break_chunk_bytes, -EPROTO },
    { break_chunk_count, -EPROTO },
    { break_chunk_count_hugely, -EPROTO },
    { break_chunks_offset, -EPROTO },
    { break_chunks_alignment, -EPROTO },
    { break_chunks_over_dictionary, -EPROTO },
    { break_dictionary_offset, -EPROTO },
    { break_dictionary_over_header, -EPROTO },
    { break_dictionary_bytes, -EPROTO },
    { break_total_bytes, -EIO },
};

START_TEST(a_damaged_header_is_refused)
{
    damages[_i].damage(arena.header);
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), damages[_i].error);
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader),
                     damages[_i].error);
    ck_assert_ptr_null(reader);
}
END_TEST

START_TEST(what_is_no_arena_is_refused)
{
    static const uint64_t zeros[ARENA_HEADER_BYTES / 8];
    int pipe_fds[2];
    ck_assert_int_eq(arena_reader_open(-1, &reader), -EBADF);
    ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
    ck_assert_int_lt(arena_reader_open(pipe_fds[0], &reader), 0);
    ck_assert_int_eq(arena_reader_open_memory(zeros, 0, &reader), -EPROTO);
    ck_assert_int_eq(arena_reader_open_memory(zeros, sizeof(zeros), &reader), -EPROTO);
    ck_assert_int_eq(arena_reader_open_memory((const char *)zeros + 1, 100, &reader), -EINVAL);
    ck_assert_int_eq(arena_reader_open_memory(arena.header, ARENA_HEADER_BYTES - 1, &reader),
                     -EPROTO);
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes - 1, &reader), -EIO);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}
END_TEST

START_TEST(the_header_is_told)
{
    arena.header->process_start_ns = 11;
    arena.header->session_start_ns = 12;
    arena.header->interval_ns = 13;
    arena.header->sampling_clock = SAMPLING_CLOCK_CPU;
    arena.header->sampling_clock_refusal = CLOCK_REFUSAL_KERNEL;
    arena.header->sampling_interval_ns = 4000000;
    arena.header->drops[DROP_RECYCLED] = 14;
    arena.header->drop_bytes[DROP_RECYCLED] = 15;
    arena_count_drop(&arena, DROP_REENTRANT, 16);
    open_reader();
    ck_assert_int_eq(read_info().process_id, getpid());
    ck_assert_int_eq(read_info().parent_process_id, getppid());
    ck_assert_uint_eq(read_info().generation, GENERATION);
    ck_assert_uint_eq(read_info().process_start_ns, 11);
    ck_assert_uint_eq(read_info().session_start_ns, 12);
    ck_assert_uint_eq(read_info().interval_ns, 13);
    ck_assert_int_eq(read_info().sampling_clock, SAMPLING_CLOCK_CPU);
    ck_assert_int_eq(read_info().sampling_clock_refusal, CLOCK_REFUSAL_KERNEL);
    ck_assert_uint_eq(read_info().sampling_interval_ns, 4000000);
    ck_assert_uint_eq(read_info().drops[DROP_RECYCLED], 14);
    ck_assert_uint_eq(read_info().drop_bytes[DROP_RECYCLED], 15);
    ck_assert_uint_eq(read_info().drops[DROP_REENTRANT], 16);
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 0);
}
END_TEST

START_TEST(a_clock_that_nobody_knows_is_none)
{
    arena.header->sampling_clock = 77;
    arena.header->sampling_clock_refusal = UINT32_MAX;
    arena.header->sampling_interval_ns = UINT64_MAX;
    open_reader();
    ck_assert_int_eq(read_info().sampling_clock, SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(read_info().sampling_clock_refusal, CLOCK_REFUSAL_OTHER);
    ck_assert_uint_eq(read_info().sampling_interval_ns, 0);
}
END_TEST

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

/* Opens the reader between two blocks of WRITER, which has one chunk. */
static void open_reader_while_writing(struct chunk_writer *writer)
{
    uint8_t entry[] = { 1, 2 };
    chunk_writer_init(writer, manager, 1);
    ck_assert_int_eq(chunk_writer_put(writer, entry, sizeof(entry)), 0);
    open_reader();
    ck_assert_int_eq(chunk_writer_put(writer, entry, sizeof(entry)), 0);
}

START_TEST(a_chunk_that_grew_since_is_read_whole)
{
    struct chunk_writer writer;
    open_reader_while_writing(&writer);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(copy.block_count, 2);
}
END_TEST

/* --- the account --- */

static void read_all(void)
{
    open_reader();
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++)
        (void)arena_reader_copy_chunk(reader, i, &copy);
}

/* Of what was produced, so much is neither kept nor dropped. */
static void is_lost(int64_t blocks, int64_t bytes)
{
    struct arena_info account = read_info();
    uint64_t dropped_blocks = 0, dropped_bytes = 0;
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (drop_cause_counts_blocks((enum drop_cause)cause)) {
            dropped_blocks += account.drops[cause];
            dropped_bytes += account.drop_bytes[cause];
        }
    }
    ck_assert_int_eq((int64_t)(account.produced_blocks - account.kept_blocks - dropped_blocks),
                     blocks);
    ck_assert_int_eq((int64_t)(account.produced_bytes - account.kept_bytes - dropped_bytes), bytes);
}

START_TEST(what_was_produced_is_kept_or_dropped)
{
    static uint8_t too_large[CHUNK_BUFFER_BYTES];
    struct chunk_writer writer;
    for (uint32_t i = 1; i <= 4; i++)
        put_chunk(i);
    chunk_manager_release(manager, arena_chunk(&arena, 0));
    chunk_manager_release(manager, arena_chunk(&arena, 1));
    chunk_manager_set_limit(manager, 4 * CHUNK_BYTES);
    put_chunk(5);
    chunk_writer_init(&writer, manager, 6);
    ck_assert_int_eq(chunk_writer_put(&writer, too_large, sizeof(too_large)), -EMSGSIZE);
    read_all();
    ck_assert_uint_eq(read_info().produced_blocks, 6);
    ck_assert_uint_eq(read_info().kept_blocks, 4);
    is_lost(0, 0);
}
END_TEST

START_TEST(what_is_recorded_while_it_is_read_is_produced_as_well)
{
    struct chunk_writer writer;
    open_reader_while_writing(&writer);
    chunk_writer_finish(&writer);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(read_info().produced_blocks, 2);
    is_lost(0, 0);
}
END_TEST

/* As a program may that writes where it should not. */
START_TEST(a_chunk_that_vanished_is_missed)
{
    struct chunk *full = put_chunk(1), *in_use = put_chunk(2);
    put_chunk(3);
    chunk_manager_release(manager, full);
    full->state = CHUNK_FREE;
    in_use->state = CHUNK_FREE;
    chunk_manager_release(manager, in_use);
    read_all();
    ck_assert_uint_eq(read_info().kept_blocks, 1);
    is_lost(2, 2 * 4);
}
END_TEST

START_TEST(a_session_has_an_account_of_its_own)
{
    struct chunk_manager *next;
    chunk_manager_release(manager, put_chunk(1));
    arena_count_refused_block(arena.header, DROP_REENTRANT, 0);
    ck_assert_int_eq(chunk_manager_create(&arena, GENERATION + 1, SLOTS * CHUNK_BYTES, &next), 0);
    read_all();
    ck_assert_uint_eq(read_info().produced_blocks, 0);
    is_lost(0, 0);
    chunk_manager_destroy(next);
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

/* --- times --- */

#define SECOND_NS 1000000000u

static void set_latest(uint64_t ticks, uint64_t monotonic_ns)
{
    arena.header->latest_ticks = ticks;
    arena.header->latest_monotonic_ns = monotonic_ns;
}

static const struct {
    const char *claim;
    struct clock_pair done, latest;
    double ns_per_tick;
} calibrations[] = {
    { "done", { 3 * SECOND_NS, 2 * SECOND_NS }, { 7, 7 }, 0.5 },
    { "in use: latest", { 0, 0 }, { 5 * (uint64_t)SECOND_NS, 2 * SECOND_NS }, 0.25 },
    { "done at once: the process's",
      { 1 * SECOND_NS + 10, SECOND_NS + 10 },
      { 4 * (uint64_t)SECOND_NS, 8 * (uint64_t)SECOND_NS },
      2.0 },
    { "half written done: the process's",
      { 3 * SECOND_NS, 0 },
      { 4 * (uint64_t)SECOND_NS, 8 * (uint64_t)SECOND_NS },
      7.0 / 3.0 },
};

START_TEST(a_chunk_is_calibrated_by_the_best_pairs)
{
    struct chunk *chunk = put_chunk(1);
    arena.header->ticks_are_tsc = 1;
    arena.header->first_pair = (struct clock_pair){ 0, 0 };
    set_latest(calibrations[_i].latest.ticks, calibrations[_i].latest.monotonic_ns);
    chunk->start = (struct clock_pair){ SECOND_NS, SECOND_NS };
    chunk->done = calibrations[_i].done;
    open_reader();
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert_uint_eq(copy.start_ticks, SECOND_NS);
    ck_assert_uint_eq(copy.calibration.base.monotonic_ns, SECOND_NS);
    ck_assert_msg(copy.calibration.ns_per_tick == calibrations[_i].ns_per_tick, "%s: %g",
                  calibrations[_i].claim, copy.calibration.ns_per_tick);
}
END_TEST

START_TEST(ticks_that_are_nanoseconds_are_taken_as_such)
{
    struct chunk *chunk = put_chunk(1);
    arena.header->ticks_are_tsc = 0;
    arena.header->first_pair = (struct clock_pair){ 5, 5 };
    set_latest(5, 5);
    chunk->start = (struct clock_pair){ 100, 100 };
    open_reader();
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert(copy.calibration.ns_per_tick == 1.0);
}
END_TEST

START_TEST(a_clock_update_that_was_cut_off_is_not_used)
{
    struct chunk *chunk = put_chunk(1);
    arena.header->ticks_are_tsc = 0;
    arena.header->first_pair = (struct clock_pair){ 0, 0 };
    arena.header->latest_sequence = 7;
    set_latest(5 * (uint64_t)SECOND_NS, 2 * SECOND_NS);
    chunk->start = (struct clock_pair){ SECOND_NS, SECOND_NS };
    open_reader();
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert(copy.calibration.ns_per_tick == 1.0);
}
END_TEST

START_TEST(a_process_that_ended_at_once_has_a_plausible_rate)
{
    if (!clock_is_tsc())
        return;
    put_chunk(1);
    open_reader();
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), 0);
    ck_assert(copy.calibration.ns_per_tick > 0.05 && copy.calibration.ns_per_tick < 2.0);
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

/* --- entries --- */

static const struct {
    const char *claim;
    uint8_t kind;
    const char *payload;
    size_t bytes;
    int result;
    struct marker_entry expected;
} markers[] = {
    { "instant",
      ENTRY_MARKER,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "start",
      ENTRY_MARKER_START,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "interval",
      ENTRY_MARKER_INTERVAL,
      "\x05\x06\x07",
      3,
      0,
      { .ticks_delta = 5, .duration_ticks = 6, .site = 7, .text = { NULL, 0 } } },
    { "text",
      ENTRY_TEXT_MARKER_END,
      "\x05\x07hi",
      4,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 2 } } },
    { "empty text",
      ENTRY_TEXT_MARKER,
      "\x05\x07",
      2,
      0,
      { .ticks_delta = 5, .duration_ticks = 0, .site = 7, .text = { NULL, 0 } } },
    { "text interval",
      ENTRY_TEXT_MARKER_INTERVAL,
      "\x05\x06\x07x",
      4,
      0,
      { .ticks_delta = 5, .duration_ticks = 6, .site = 7, .text = { NULL, 1 } } },
    { "payload",
      ENTRY_TYPED_MARKER_START,
      "\x05\x07pq",
      4,
      0,
      { .ticks_delta = 5, .phase = PHASE_INTERVAL_START, .site = 7, .text = { NULL, 2 } } },
    { "payload of an interval",
      ENTRY_TYPED_MARKER_INTERVAL,
      "\x05\x06\x07",
      3,
      0,
      { .ticks_delta = 5, .phase = PHASE_INTERVAL, .duration_ticks = 6, .site = 7 } },
    /* time, interval, 2 ticks ago, duration, site, thread 3, no stack, text */
    { "full",
      ENTRY_FULL_MARKER,
      "\x05\x01\x04\x06\x07\x04\0p",
      8,
      0,
      { .ticks_delta = 5,
        .phase = PHASE_INTERVAL,
        .duration_ticks = 6,
        .site = 7,
        .ticks_ago = 2,
        .thread_index_plus_1 = 4,
        .text = { NULL, 1 } } },
    { "full with a stack",
      ENTRY_FULL_MARKER,
      "\x05\0\0\0\x07\0\x02\x02\x08\x03",
      10,
      0,
      { .ticks_delta = 5, .site = 7, .frame_count = 2, .stack_ticks_ago = 1 } },
    { "unknown phase", ENTRY_FULL_MARKER, "\x05\x04\0\0\x07\0\0", 7, -EPROTO, { 0 } },
    { "more frames than there are",
      ENTRY_FULL_MARKER,
      "\x05\0\0\0\x07\0\x02\x02\x08",
      9,
      -EPROTO,
      { 0 } },
    { "too many frames", ENTRY_FULL_MARKER, "\x05\0\0\0\x07\0\x81\x02\x02", 9, -EPROTO, { 0 } },
    { "trailing", ENTRY_MARKER, "\x05\x07z", 3, -EPROTO, { 0 } },
    { "short", ENTRY_MARKER_INTERVAL, "\x05\x06", 2, -EPROTO, { 0 } },
    { "empty", ENTRY_TEXT_MARKER, "", 0, -EPROTO, { 0 } },
    { "site above 32 bits", ENTRY_MARKER, "\x05\xff\xff\xff\xff\x1f", 6, -EPROTO, { 0 } },
    { "not a marker", ENTRY_LATE, "\x05\x07", 2, -EPROTO, { 0 } },
    { "not an entry", 200, "\x05\x07", 2, -EPROTO, { 0 } },
};

START_TEST(markers_are_decoded_or_refused)
{
    struct marker_entry marker;
    int result = entry_decode_marker(markers[_i].kind, (const uint8_t *)markers[_i].payload,
                                     markers[_i].bytes, &marker);
    ck_assert_msg(result == markers[_i].result, "%s", markers[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(marker.ticks_delta, markers[_i].expected.ticks_delta);
    ck_assert_uint_eq(marker.duration_ticks, markers[_i].expected.duration_ticks);
    ck_assert_uint_eq(marker.site, markers[_i].expected.site);
    ck_assert_uint_eq(marker.text.length, markers[_i].expected.text.length);
    ck_assert_int_eq(marker.ticks_ago, markers[_i].expected.ticks_ago);
    ck_assert_uint_eq(marker.thread_index_plus_1, markers[_i].expected.thread_index_plus_1);
    ck_assert_uint_eq(marker.frame_count, markers[_i].expected.frame_count);
    ck_assert_int_eq(marker.stack_ticks_ago, markers[_i].expected.stack_ticks_ago);
    ck_assert((marker.text.bytes != NULL) == (markers[_i].kind >= ENTRY_TEXT_MARKER));
}
END_TEST

static const struct {
    const char *claim;
    const char *payload;
    size_t bytes;
    uint32_t depth_before;
    int decode_result, stack_result;
    uint32_t depth;
    struct stack_frame frames[4];
} samples[] = {
    /* thread, ticks, cpu, kept, added, frames; 64 is address +16, 35 is site 17 */
    { "empty", "\x01\x02\x03\x00\x00", 5, 0, 0, 0, 0, { { 0 } } },
    { "two addresses", "\x01\x02\x03\x00\x02\x40\x40", 7, 0, 0, 0, 2, { { 16, 0 }, { 32, 0 } } },
    { "label between",
      "\x01\x02\x03\x00\x03\x40\x23\x40",
      8,
      0,
      0,
      0,
      3,
      { { 16, 0 }, { 17, 1 }, { 32, 0 } } },
    { "kept label: the address before it counts",
      "\x01\x02\x03\x02\x01\x42",
      6,
      3,
      0,
      0,
      3,
      { { 100, 0 }, { 5, 1 }, { 83, 0 } } },
    { "kept is more than there was", "\x01\x02\x03\x04\x00", 5, 3, 0, -EPROTO, 3, { { 0 } } },
    { "frame missing", "\x01\x02\x03\x00\x02\x40", 6, 0, 0, -EPROTO, 0, { { 0 } } },
    { "frame too many", "\x01\x02\x03\x00\x01\x40\x40", 7, 0, 0, -EPROTO, 0, { { 0 } } },
    { "label above 32 bits",
      "\x01\x02\x03\x00\x01\xff\xff\xff\xff\x7f",
      10,
      0,
      0,
      -EPROTO,
      0,
      { { 0 } } },
    { "kept above the most", "\x01\x02\x03\x81\x08\x00", 6, 0, -EPROTO, 0, 0, { { 0 } } },
    { "sum above the most", "\x01\x02\x03\x80\x08\x01\x40", 7, 0, -EPROTO, 0, 0, { { 0 } } },
    { "cut", "\x01\x02\x03\x00", 4, 0, -EPROTO, 0, 0, { { 0 } } },
    { "nothing", "", 0, 0, -EPROTO, 0, 0, { { 0 } } },
};

START_TEST(samples_are_decoded_or_refused)
{
    static struct stack_state state;
    struct sample_entry sample;
    state.depth = samples[_i].depth_before;
    state.frames[0] = (struct stack_frame){ 100, false };
    state.frames[1] = (struct stack_frame){ 5, true };
    state.frames[2] = (struct stack_frame){ 300, false };
    int result =
        entry_decode_sample((const uint8_t *)samples[_i].payload, samples[_i].bytes, &sample);
    ck_assert_msg(result == samples[_i].decode_result, "%s", samples[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(sample.thread_index, 1);
    ck_assert_uint_eq(sample.ticks_after_tick, 2);
    ck_assert_uint_eq(sample.cpu_us, 3);
    result = sample_decode_stack(&sample, &state);
    ck_assert_msg(result == samples[_i].stack_result, "%s", samples[_i].claim);
    if (result != 0)
        return;
    ck_assert_uint_eq(state.depth, samples[_i].depth);
    for (uint32_t i = 0; i < state.depth; i++) {
        ck_assert_msg(state.frames[i].value == samples[_i].frames[i].value &&
                          state.frames[i].is_label == samples[_i].frames[i].is_label,
                      "%s: frame %u is %lu", samples[_i].claim, i,
                      (unsigned long)state.frames[i].value);
    }
}
END_TEST

START_TEST(small_entries_are_decoded_or_refused)
{
    uint64_t delta;
    uint32_t thread;
    struct sample_entry same;
    const uint8_t bytes[] = { 0x81, 0x01, 3, 4, 5 };
    ck_assert_int_eq(entry_decode_tick(bytes, 2, &delta), 0);
    ck_assert_uint_eq(delta, 129);
    ck_assert_int_eq(entry_decode_tick(bytes, 1, &delta), -EPROTO);
    ck_assert_int_eq(entry_decode_tick(bytes, 3, &delta), -EPROTO);
    ck_assert_int_eq(entry_decode_late(bytes, 2, &thread), 0);
    ck_assert_uint_eq(thread, 129);
    ck_assert_int_eq(entry_decode_late(bytes, 0, &thread), -EPROTO);
    ck_assert_int_eq(entry_decode_late(bytes, 3, &thread), -EPROTO);
    ck_assert_int_eq(entry_decode_same(bytes, 4, &same), 0);
    ck_assert_uint_eq(same.thread_index, 129);
    ck_assert_uint_eq(same.ticks_after_tick, 3);
    ck_assert_uint_eq(same.cpu_us, 4);
    ck_assert_int_eq(entry_decode_same(bytes, 3, &same), -EPROTO);
    ck_assert_int_eq(entry_decode_same(bytes, 5, &same), -EPROTO);
}
END_TEST

/* --- while it is written --- */

static struct chunk *racing_chunk;
static bool race_destroys;

/* The reader touched the guarded page of a chunk that it copies: the chunk gets another life now.
 */
static void recycle_under_the_reader(int signal_number)
{
    (void)signal_number;
    if (mprotect(racing_chunk, CHUNK_BYTES, PROT_READ | PROT_WRITE) != 0)
        _exit(3);
    chunk_manager_release(manager, racing_chunk);
    if (race_destroys) {
        chunk_manager_destroy_released_at_or_before(manager, UINT64_MAX);
        return;
    }
    if (chunk_manager_get(manager, 9) != racing_chunk)
        _exit(4);
    racing_chunk->offset_past_last_block = CHUNK_BUFFER_BYTES;
}

START_TEST(a_chunk_that_changes_hands_while_it_is_copied_is_not_there)
{
    struct sigaction action = { .sa_handler = recycle_under_the_reader };
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    racing_chunk = put_chunk(1);
    racing_chunk->offset_past_last_block = CHUNK_BUFFER_BYTES;
    race_destroys = _i == 1;
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader), 0);
    ck_assert_uint_eq(arena_reader_chunk_count(reader), 1);
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    ck_assert_int_eq(mprotect((uint8_t *)racing_chunk + CHUNK_BYTES / 2, 4096, PROT_NONE), 0);
    ck_assert_int_eq(arena_reader_copy_chunk(reader, 0, &copy), -ENOENT);
    ck_assert_uint_eq(read_info().bad_chunks + read_info().kept_blocks, 0);
}
END_TEST

static _Atomic bool is_over;

/* Entries whose bytes all are the same, of different lengths. */
static void *write_on(void *context)
{
    struct chunk_writer writer;
    uint8_t entry[64];
    chunk_writer_init(&writer, manager, (uint32_t)(uintptr_t)context);
    for (unsigned i = 0; !is_over; i++) {
        memset(entry, (int)(i % 251), sizeof(entry));
        if (chunk_writer_put(&writer, entry, 1 + i % sizeof(entry)) != 0)
            return "refused";
    }
    chunk_writer_finish(&writer);
    return NULL;
}

static void check_copy(void)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t payload_bytes;
    int result;
    block_cursor_init(&cursor, &copy);
    size_t foreign_bytes = 0;
    while ((result = block_cursor_next(&cursor, &kind, &payload, &payload_bytes)) == 1)
        for (size_t i = 0; i < payload_bytes; i++)
            foreign_bytes += payload[i] != kind;
    ck_assert_int_eq(result, 0);
    ck_assert_uint_eq(foreign_bytes, 0);
}

START_TEST(no_half_block_is_seen_while_others_write_and_recycle)
{
    pthread_t threads[2];
    unsigned copied = 0;
    is_over = false;
    chunk_manager_set_limit(manager, 6 * CHUNK_BYTES);
    for (uintptr_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_on, (void *)i), 0);
    while (copied < 300) {
        int result = _i == 0 ? arena_reader_open(arena.fd, &reader)
                             : arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader);
        ck_assert_int_eq(result, 0);
        for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
            result = arena_reader_copy_chunk(reader, i, &copy);
            ck_assert(result == 0 || result == -ENOENT);
            if (result == 0) {
                check_copy();
                copied++;
            }
        }
        ck_assert_uint_eq(read_info().bad_chunks + read_info().bad_blocks, 0);
        arena_reader_close(reader);
        reader = NULL;
    }
    is_over = true;
    for (int i = 0; i < 2; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_ptr_null(problem);
    }
}
END_TEST

/* Writes with its own arena until it is killed; its parent has the descriptor. */
static void record_until_killed(int fd_out)
{
    struct arena own;
    struct chunk_writer writer;
    uint8_t entry[] = { 42, 42, 42 };
    if (arena_create(SLOTS * CHUNK_BYTES, &own) != 0 ||
        chunk_manager_create(&own, 1, 2 * CHUNK_BYTES, &manager) != 0)
        _exit(1);
    dup2(own.fd, fd_out);
    chunk_writer_init(&writer, manager, 0);
    for (;;)
        if (chunk_writer_put(&writer, entry, sizeof(entry)) != 0)
            _exit(2);
}

START_TEST(what_a_killed_process_recorded_is_all_there)
{
    /* A pidfd-less way to its descriptor: /proc/PID/fd, once the first chunk was recycled. */
    char path[64];
    int status, fd = -1;
    uint64_t recycled = 0;
    pid_t child = fork();
    if (child == 0)
        record_until_killed(100);
    snprintf(path, sizeof(path), "/proc/%d/fd/100", (int)child);
    while (recycled == 0) {
        if (fd < 0)
            fd = open(path, O_RDONLY | O_CLOEXEC);
        ck_assert_int_eq(waitpid(child, &status, WNOHANG), 0);
        if (fd >= 0)
            ck_assert_int_ge(pread(fd, &recycled, sizeof(recycled),
                                   (off_t)offsetof(struct arena_header, drops[DROP_RECYCLED])),
                             0);
    }
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(arena_reader_open(fd, &reader), 0);
    ck_assert_int_eq(read_info().process_id, child);
    ck_assert_uint_ge(arena_reader_chunk_count(reader), 1);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        check_copy();
    }
    ck_assert_uint_ge(read_info().kept_blocks, CHUNK_BUFFER_BYTES / 4 - 4);
    close(fd);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static TCase *make_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    suite_add_tcase(suite, tests);
    return tests;
}

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.arena_reader");
    TCase *tests = make_case(suite, "header");
    tcase_add_loop_test(tests, a_damaged_header_is_refused, 0, COUNT(damages));
    tcase_add_test(tests, what_is_no_arena_is_refused);
    tcase_add_test(tests, the_header_is_told);
    tcase_add_test(tests, a_clock_that_nobody_knows_is_none);

    tests = make_case(suite, "chunks");
    tcase_add_test(tests, chunks_come_in_the_order_of_their_range);
    tcase_add_test(tests, many_chunks_are_sorted);
    tcase_add_test(tests, only_chunks_of_this_session_with_data_are_listed);
    tcase_add_test(tests, without_a_session_there_are_no_chunks);
    tcase_add_test(tests, chunks_that_changed_hands_since_are_not_there);
    tcase_add_test(tests, a_chunk_that_grew_since_is_read_whole);
    tcase_add_test(tests, what_was_produced_is_kept_or_dropped);
    tcase_add_test(tests, what_is_recorded_while_it_is_read_is_produced_as_well);
    tcase_add_test(tests, a_chunk_that_vanished_is_missed);
    tcase_add_test(tests, a_session_has_an_account_of_its_own);
    tcase_add_loop_test(tests, a_damaged_chunk_header_is_refused_and_counted, 0, 4);
    tcase_add_test(tests, a_high_water_mark_above_the_chunks_is_cut);
    tcase_add_test(tests, an_arena_is_read_from_memory_as_from_its_file);
    tcase_add_test(tests, the_borrowed_descriptor_may_be_closed_while_reading);
    tcase_add_test(tests, a_file_that_shrinks_while_reading_is_an_error_not_a_fault);
    tcase_add_test(tests, reading_fills_no_holes);

    tests = make_case(suite, "times");
    tcase_add_loop_test(tests, a_chunk_is_calibrated_by_the_best_pairs, 0, COUNT(calibrations));
    tcase_add_test(tests, ticks_that_are_nanoseconds_are_taken_as_such);
    tcase_add_test(tests, a_clock_update_that_was_cut_off_is_not_used);
    tcase_add_test(tests, a_process_that_ended_at_once_has_a_plausible_rate);

    tests = make_case(suite, "blocks and entries");
    tcase_add_loop_test(tests, blocks_are_walked_up_to_the_damage, 0, COUNT(framings));
    tcase_add_test(tests, a_chunk_with_a_damaged_block_keeps_the_ones_before);
    tcase_add_loop_test(tests, markers_are_decoded_or_refused, 0, COUNT(markers));
    tcase_add_loop_test(tests, samples_are_decoded_or_refused, 0, COUNT(samples));
    tcase_add_test(tests, small_entries_are_decoded_or_refused);

    tests = make_case(suite, "live and dead");
    tcase_add_loop_test(tests, a_chunk_that_changes_hands_while_it_is_copied_is_not_there, 0, 2);
    tcase_add_loop_test(tests, no_half_block_is_seen_while_others_write_and_recycle, 0, 2);
    tcase_add_test(tests, what_a_killed_process_recorded_is_all_there);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
