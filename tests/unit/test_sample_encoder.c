/* buffer.sample_encoder: what the sampler writes of threads. */
#include <errno.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/sample_encoder_scene.h"

START_TEST(random_stacks_of_many_threads_survive)
{
    static const uint32_t depths[] = { 3, 40, 300, SAMPLE_MAX_FRAMES };
    written_count = 0;
    seed += (uint64_t)_i;
    memset(stacks, 0, sizeof(stacks));
    while (writer.chunk == NULL || writer.chunk->range_start < 8 * CHUNK_BUFFER_BYTES) {
        if (written_count + THREADS > MAX_EVENTS)
            break;
        encode_tick();
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            struct test_stack *stack = &stacks[thread];
            uint64_t choice = random_below(10);
            if (choice == 0)
                continue;
            if (choice == 1) {
                ck_assert_int_eq(sample_encoder_late(encoder, thread), 0);
                add_event(written, &written_count,
                          (struct event){ .kind = ENTRY_LATE,
                                          .thread_index = thread,
                                          .tick_ticks = tick_ticks });
                continue;
            }
            if (choice == 2)
                sample_encoder_forget(encoder, thread);
            if (choice == 3)
                stack->is_truncated = !stack->is_truncated;
            if (choice > 4)
                change_stack(stack, depths[_i]);
            write_sample(thread, random_below(3) == 0 ? 0 : random_below(100000));
        }
    }
    chunk_writer_finish(&writer);
    ck_assert_uint_ge(read_all(), 2);
    ck_assert_uint_gt(same_count, 0);
    assert_read_as_written();
    ck_assert_uint_eq(arena.header->drops[DROP_BLOCK_TOO_LARGE], 0);
}
END_TEST

START_TEST(a_stack_that_did_not_change_costs_a_few_bytes)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1000);
    const uint8_t *end = writer.next;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 8);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(quiet_ticks_cost_a_byte_each_and_none_is_lost_between_chunks)
{
    enum { ENTRIES = 20000, TICKS_OF_EACH = 7, TICKS_APART = 3000000 };
    uint64_t last = clock_ticks();
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, 1, last), -EINVAL);
    ck_assert_int_eq(sample_encoder_tick(encoder, last), 0);
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, 0, last), -EINVAL);
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, QUIET_TICKS_MOST + 1, last), -EINVAL);
    const uint8_t *end = writer.next;
    for (int i = 0; i < ENTRIES; i++) {
        last += TICKS_OF_EACH * TICKS_APART;
        ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, TICKS_OF_EACH, last), 0);
        if (i == 0)
            ck_assert_uint_le(bytes_written_since(end), TICKS_OF_EACH);
    }
    chunk_writer_finish(&writer);
    size_t chunks = read_all();
    /* Each chunk begins with the tick that the one before ended with. */
    ck_assert_uint_gt(chunks, 2);
    ck_assert_uint_eq(tick_count, ENTRIES * TICKS_OF_EACH + chunks);
    ck_assert_uint_eq(decoding.tick_ticks, last);
}
END_TEST

START_TEST(only_what_is_new_of_a_stack_is_written)
{
    make_stack(&stacks[0], 1000);
    written_count = 0;
    encode_tick();
    write_sample(0, 1000);
    const uint8_t *end = writer.next;
    stacks[0].frames[999].value ^= 16;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 24);
    end = writer.next;
    stacks[0].depth = 998;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 14);
    read_all();
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(truncation_alone_is_a_change)
{
    make_stack(&stacks[0], 5);
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    stacks[0].is_truncated = true;
    write_sample(0, 0);
    write_sample(0, 0);
    stacks[0].is_truncated = false;
    write_sample(0, 0);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(an_empty_stack_is_a_stack)
{
    stacks[0] = (struct test_stack){ .depth = 0 };
    written_count = 0;
    encode_tick();
    write_sample(0, 5);
    write_sample(0, 6);
    ck_assert(!sample_encoder_needs_stack(encoder, 0));
    chunk_writer_finish(&writer);
    ck_assert(sample_encoder_needs_stack(encoder, 0));
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_new_chunk_in_the_middle_of_a_tick_starts_with_that_tick)
{
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    chunk_writer_finish(&writer);
    write_sample(1, 2);
    write_sample(0, 3);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(tick_count, 2);
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_chunk_that_another_took_for_the_writer_gets_the_tick_too)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    ck_assert_int_eq(chunk_writer_refill(&writer, 1), 0);
    write_sample(0, 2);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(tick_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(the_same_chunk_recycled_is_a_new_one)
{
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    struct chunk *chunk = writer.chunk;
    chunk_writer_finish(&writer);
    written_count = 0;
    write_sample(0, 2);
    ck_assert_ptr_eq(writer.chunk, chunk);
    read_all();
    ck_assert_uint_eq(tick_count, 1);
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_sleeping_thread_is_repeated_in_a_new_chunk)
{
    make_stack(&stacks[3], 40);
    stacks[3].is_truncated = true;
    written_count = 0;
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    encode_tick();
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    write_sample(3, 1);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    ck_assert_int_eq(sample_encoder_repeat(encoder, 3, now_ticks), 0);
    chunk_writer_finish(&writer);
    encode_tick();
    ck_assert(sample_encoder_needs_stack(encoder, 3));
    ck_assert(!sample_encoder_needs_stack(encoder, 4));
    ck_assert_int_eq(sample_encoder_repeat(encoder, 3, tick_ticks + 7), 0);
    struct event repeated = written[0];
    repeated.tick_ticks = tick_ticks;
    repeated.ticks = tick_ticks + 7;
    repeated.cpu_us = 0;
    add_event(written, &written_count, repeated);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    write_sample(3, 2);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_forgotten_thread_starts_anew)
{
    make_stack(&stacks[3], 40);
    written_count = 0;
    encode_tick();
    write_sample(3, 1);
    sample_encoder_forget(encoder, 3);
    write_sample(3, 1);
    sample_encoder_forget(encoder, 3);
    chunk_writer_finish(&writer);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    sample_encoder_forget(encoder, UINT32_MAX);
    read_all();
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(more_threads_than_are_remembered_are_written_whole)
{
    make_stack(&stacks[0], 20);
    stacks[THREADS] = stacks[0];
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    write_sample(THREADS, 0);
    ck_assert(!sample_encoder_needs_stack(encoder, 0));
    sample_encoder_forget(encoder, 0);
    write_sample(THREADS, 1);
    write_sample(0, 1);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    struct stack_frame address = { UINT64_C(1) << 62, false };
    struct stack_frame label = { UINT64_C(1) << 32, true };
    make_stack(&stacks[0], 1);
    const struct stack_frame *frames = stacks[0].frames;
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, frames, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -EINVAL);
    ck_assert_int_eq(sample_encoder_event_delay(encoder, 0, 1), -EINVAL);
    ck_assert_int_eq(sample_encoder_repeat(encoder, 0, 1), -EINVAL);
    encode_tick();
    const uint8_t *end = writer.next;
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, frames, SAMPLE_MAX_FRAMES + 1, false),
                     -EINVAL);
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, &address, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, &label, 1, false), -EINVAL);
    ck_assert_uint_eq(bytes_written_since(end), 0);
}
END_TEST

START_TEST(after_the_memory_limit_samples_go_on_with_their_tick)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    chunk_manager_set_limit(manager, 0);
    tick_ticks = now_ticks = clock_ticks();
    ck_assert_int_eq(sample_encoder_tick(encoder, tick_ticks), -ENOBUFS);
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -ENOBUFS);
    ck_assert_uint_eq(arena.header->drops[DROP_MEMORY_LIMIT], 2);
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    write_sample(0, 1);
    read_all();
    ck_assert_uint_eq(tick_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(times_before_the_chunk_or_the_tick_are_exact)
{
    make_stack(&stacks[0], 2);
    written_count = 0;
    tick_ticks = clock_ticks() - 1000000;
    ck_assert_int_eq(sample_encoder_tick(encoder, tick_ticks), 0);
    now_ticks = tick_ticks - 50000;
    write_sample(0, 1);
    read_all();
    assert_read_as_written();
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.sample_encoder");
    TCase *tests = tcase_create("encoder");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, random_stacks_of_many_threads_survive, 0, 4);
    tcase_add_test(tests, a_stack_that_did_not_change_costs_a_few_bytes);
    tcase_add_test(tests, quiet_ticks_cost_a_byte_each_and_none_is_lost_between_chunks);
    tcase_add_test(tests, only_what_is_new_of_a_stack_is_written);
    tcase_add_test(tests, truncation_alone_is_a_change);
    tcase_add_test(tests, an_empty_stack_is_a_stack);
    tcase_add_test(tests, a_new_chunk_in_the_middle_of_a_tick_starts_with_that_tick);
    tcase_add_test(tests, a_chunk_that_another_took_for_the_writer_gets_the_tick_too);
    tcase_add_test(tests, the_same_chunk_recycled_is_a_new_one);
    tcase_add_test(tests, a_sleeping_thread_is_repeated_in_a_new_chunk);
    tcase_add_test(tests, a_forgotten_thread_starts_anew);
    tcase_add_test(tests, what_makes_no_sense_is_refused);
    tcase_add_test(tests, more_threads_than_are_remembered_are_written_whole);
    tcase_add_test(tests, after_the_memory_limit_samples_go_on_with_their_tick);
    tcase_add_test(tests, times_before_the_chunk_or_the_tick_are_exact);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
