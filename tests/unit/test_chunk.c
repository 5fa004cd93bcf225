#include <check.h>
#include <errno.h>
#include <unistd.h>

#include "buffer/chunk.h"
#include "tests/unit/run_suite.h"

enum { STATES = 5 };

/* The moves in the picture of buffer/chunk.h: from a row to a column. */
static const bool moves[STATES][STATES] = {
    [CHUNK_FREE] = { [CHUNK_IN_USE] = true },
    [CHUNK_IN_USE] = { [CHUNK_DONE] = true },
    [CHUNK_DONE] = { [CHUNK_RELEASED] = true },
    [CHUNK_RELEASED] = { [CHUNK_FREE] = true, [CHUNK_IN_USE] = true, [CHUNK_DESTROYING] = true },
};

static _Alignas(64) uint8_t memory[CHUNK_BYTES];

START_TEST(only_moves_of_the_life_cycle_are_made)
{
    struct chunk *chunk = (struct chunk *)(void *)memory;
    enum chunk_state from = (enum chunk_state)(_i / STATES), to = (enum chunk_state)(_i % STATES);
    chunk->state = from;
    ck_assert_int_eq(chunk_move(chunk, from, to), moves[from][to] ? 0 : -EINVAL);
    ck_assert_uint_eq(chunk->state, moves[from][to] ? to : from);
}
END_TEST

START_TEST(a_chunk_in_another_state_is_not_moved)
{
    struct chunk *chunk = (struct chunk *)(void *)memory;
    chunk->state = CHUNK_RELEASED;
    ck_assert_int_eq(chunk_move(chunk, CHUNK_IN_USE, CHUNK_DONE), -EINVAL);
    ck_assert_uint_eq(chunk->state, CHUNK_RELEASED);
}
END_TEST

START_TEST(a_state_that_does_not_exist_has_no_moves)
{
    struct chunk *chunk = (struct chunk *)(void *)memory;
    chunk->state = 77;
    for (int to = 0; to < STATES; to++)
        ck_assert_int_eq(chunk_move(chunk, (enum chunk_state)77, (enum chunk_state)to), -EINVAL);
    ck_assert_uint_eq(chunk->state, 77);
    ck_assert_str_eq(chunk_state_name((enum chunk_state)77), "invalid");
}
END_TEST

START_TEST(a_new_life_forgets_the_old_one)
{
    struct chunk *chunk = (struct chunk *)(void *)memory;
    memset(memory, 0xff, sizeof(memory));
    struct clock_pair before = clock_read_pair();
    chunk_begin(chunk, 7, 3, 1234);
    struct clock_pair after = clock_read_pair();
    ck_assert_uint_eq(chunk->writer_index, 7);
    ck_assert_uint_eq(chunk->generation, 3);
    ck_assert_uint_eq(chunk->range_start, 1234);
    ck_assert(before.ticks <= chunk->start.ticks && chunk->start.ticks <= after.ticks);
    ck_assert(before.monotonic_ns <= chunk->start.monotonic_ns &&
              chunk->start.monotonic_ns <= after.monotonic_ns);
    ck_assert_uint_eq(chunk->done.ticks, 0);
    ck_assert_uint_eq(chunk->done.monotonic_ns, 0);
    ck_assert_uint_eq(chunk->buffer_bytes, CHUNK_BUFFER_BYTES);
    ck_assert_uint_eq(chunk->offset_first_block, 0);
    ck_assert_uint_eq(chunk->offset_past_last_block, 0);
    ck_assert_uint_eq(chunk->block_count, 0);
}
END_TEST

START_TEST(states_have_names)
{
    static const char *const names[STATES] = { "free", "in-use", "done", "released", "destroying" };
    ck_assert_str_eq(chunk_state_name((enum chunk_state)_i), names[_i]);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.chunk");
    TCase *tests = tcase_create("chunk");
    tcase_add_loop_test(tests, only_moves_of_the_life_cycle_are_made, 0, STATES * STATES);
    tcase_add_test(tests, a_chunk_in_another_state_is_not_moved);
    tcase_add_test(tests, a_state_that_does_not_exist_has_no_moves);
    tcase_add_test(tests, a_new_life_forgets_the_old_one);
    tcase_add_loop_test(tests, states_have_names, 0, STATES);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
