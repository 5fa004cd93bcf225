/* buffer.arena_reader: what the header tells, times of chunks included, and which headers are
 * refused. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/arena_reader_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.arena_header");
    TCase *tests = make_case(suite, "header");
    tcase_add_loop_test(tests, a_damaged_header_is_refused, 0, COUNT(damages));
    tcase_add_test(tests, what_is_no_arena_is_refused);
    tcase_add_test(tests, the_header_is_told);
    tcase_add_test(tests, a_clock_that_nobody_knows_is_none);

    tests = make_case(suite, "times");
    tcase_add_loop_test(tests, a_chunk_is_calibrated_by_the_best_pairs, 0, COUNT(calibrations));
    tcase_add_test(tests, ticks_that_are_nanoseconds_are_taken_as_such);
    tcase_add_test(tests, a_clock_update_that_was_cut_off_is_not_used);
    tcase_add_test(tests, a_process_that_ended_at_once_has_a_plausible_rate);
    return run_suite(suite);
}
