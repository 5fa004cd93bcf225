#include <check.h>
#include <errno.h>

#include "buffer/allocation_encoder.h"
#include "buffer/arena_reader.h"
#include "buffer/sample_encoder.h"
#include "tests/unit/run_suite.h"

enum { SLOTS = 64, COUNT = 5000, DEPTH = 30 };

static struct arena arena;
static struct chunk_manager *manager;
static struct chunk_writer writer;
static struct allocation_encoder encoder;
static struct sample_encoder *samples;
static struct chunk_copy copy;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, SLOTS * CHUNK_BYTES, &manager), 0);
    chunk_writer_init(&writer, manager, CHUNK_WRITER_SAMPLER);
    encoder = (struct allocation_encoder){ .writer = &writer };
    ck_assert_int_eq(sample_encoder_create(&writer, 4, &samples), 0);
    atomic_store(&arena.header->generation, 1);
}

static void tear_down(void)
{
    sample_encoder_destroy(samples);
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

/* The stack of allocation NUMBER: most of it is that of the one before. */
static void make_stack(uint64_t number, struct stack_frame *frames, uint32_t *depth)
{
    *depth = 5 + (uint32_t)(number * 7 % (DEPTH - 5));
    for (uint32_t i = 0; i < *depth; i++)
        frames[i] = (struct stack_frame){ .value = 0x7f0000000000 + i * 4096, .is_label = false };
    frames[*depth - 1].value += number;
    if (number % 3 == 0)
        frames[2] = (struct stack_frame){ .value = number % 50, .is_label = true };
}

static struct allocation make_allocation(uint64_t number, struct stack_frame *frames)
{
    struct allocation allocation = {
        .owner_index = (uint32_t)(number % 3),
        .actor_index = (uint32_t)(number % 5),
        .ticks = 1000000 + number * 100 - number % 7 * 500,
        .size = number % 2 == 0 ? (int64_t)number * 1000 : -(int64_t)number * 3000000000,
        .address = 0x550000000000 + number * 64,
        .frames = frames,
        .is_truncated = number % 11 == 0,
    };
    make_stack(number, frames, &allocation.depth);
    return allocation;
}

static uint64_t chunk_ticks, found;
static struct stack_state state;

static void check_allocation(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct stack_frame frames[DEPTH];
    struct allocation expected = make_allocation(found++, frames);
    struct allocation_entry entry;
    ck_assert_int_eq(entry_decode_allocation(payload, bytes, &entry), 0);
    ck_assert_int_eq(sample_decode_stack(&entry.stack, &state), 0);
    ck_assert_uint_eq(entry.owner_index, expected.owner_index);
    ck_assert_uint_eq(entry.actor_index, expected.actor_index);
    ck_assert_uint_eq(chunk_ticks + (uint64_t)entry.ticks_after, expected.ticks);
    ck_assert_int_eq(entry.size, expected.size);
    ck_assert_uint_eq(entry.address, expected.address);
    ck_assert_int_eq(kind == ENTRY_ALLOCATION_TRUNCATED, expected.is_truncated);
    ck_assert_uint_eq(state.depth, expected.depth);
    for (uint32_t i = 0; i < state.depth; i++) {
        ck_assert_uint_eq(state.frames[i].value, frames[i].value);
        ck_assert_int_eq(state.frames[i].is_label, frames[i].is_label);
    }
}

static void check_chunk(void)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t bytes;
    uint64_t delta;
    chunk_ticks = copy.start_ticks;
    state.depth = 0;
    block_cursor_init(&cursor, &copy);
    while (block_cursor_next(&cursor, &kind, &payload, &bytes) == 1) {
        if (kind == ENTRY_ALLOCATION || kind == ENTRY_ALLOCATION_TRUNCATED)
            check_allocation(kind, payload, bytes);
        if (kind == ENTRY_TICK) {
            ck_assert_int_eq(entry_decode_tick(payload, bytes, &delta), 0);
            chunk_ticks += delta;
        }
    }
}

START_TEST(allocations_read_back_as_they_were_among_samples_and_over_chunks)
{
    struct arena_reader *reader;
    struct stack_frame frames[DEPTH];
    for (uint64_t i = 0; i < COUNT; i++) {
        struct allocation allocation = make_allocation(i, frames);
        if (i % 10 == 0) {
            ck_assert_int_eq(sample_encoder_tick(samples, 1000000 + i * 100), 0);
            ck_assert_int_eq(sample_encoder_sample(samples, 1, 1000001 + i * 100, 3, frames,
                                                   allocation.depth, false),
                             0);
        }
        ck_assert_int_eq(allocation_encoder_write(&encoder, &allocation), 0);
    }
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    ck_assert_uint_gt(arena_reader_chunk_count(reader), 1);
    found = 0;
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        check_chunk();
    }
    ck_assert_uint_eq(found, COUNT);
    arena_reader_close(reader);
}
END_TEST

START_TEST(what_is_no_stack_is_refused)
{
    static struct stack_frame frames[SAMPLE_MAX_FRAMES + 1];
    struct allocation allocation = { .frames = frames, .depth = SAMPLE_MAX_FRAMES + 1 };
    ck_assert_int_eq(allocation_encoder_write(&encoder, &allocation), -EINVAL);
    frames[0].value = UINT64_C(1) << 62;
    allocation.depth = 1;
    ck_assert_int_eq(allocation_encoder_write(&encoder, &allocation), -EINVAL);
}
END_TEST

START_TEST(every_cut_of_an_entry_is_refused)
{
    const uint8_t payload[] = { 1, 2, 3, 4, 5, 0, 1, 0x80, 1 };
    struct allocation_entry entry;
    struct stack_state stack = { 0 };
    ck_assert_int_eq(entry_decode_allocation(payload, sizeof(payload), &entry), 0);
    ck_assert_int_eq(sample_decode_stack(&entry.stack, &stack), 0);
    for (size_t bytes = 0; bytes < sizeof(payload); bytes++) {
        int error = entry_decode_allocation(payload, bytes, &entry);
        if (error == 0)
            error = sample_decode_stack(&entry.stack, &stack);
        ck_assert_int_eq(error, -EPROTO);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.allocation_encoder");
    TCase *tcase = tcase_create("encoder");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, allocations_read_back_as_they_were_among_samples_and_over_chunks);
    tcase_add_test(tcase, what_is_no_stack_is_refused);
    tcase_add_test(tcase, every_cut_of_an_entry_is_refused);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
