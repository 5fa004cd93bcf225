/* buffer.sample_encoder: what threads write of themselves. */
#include <errno.h>

#include "tests/unit/run_suite.h"
#include "tests/unit/sample_encoder_scene.h"

static int try_timed_sample(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    const struct test_stack *stack = &stacks[thread_index];
    int error = sample_encoder_timed_sample(encoder, thread_index, ticks, cpu_us, stack->frames,
                                            stack->depth, stack->is_truncated);
    struct event event = { .kind = (uint8_t)sample_kind(true, stack->is_truncated),
                           .thread_index = thread_index,
                           .ticks = ticks,
                           .cpu_us = cpu_us,
                           .depth = stack->depth,
                           .frames_sum = sum_of(stack->frames, stack->depth) };
    if (error == 0)
        add_event(written, &written_count, event);
    return error;
}

static void write_timed_sample(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    ck_assert_int_eq(try_timed_sample(thread_index, ticks, cpu_us), 0);
}

static void write_thread_cpu(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    struct event event = {
        .kind = ENTRY_THREAD_CPU, .thread_index = thread_index, .ticks = ticks, .cpu_us = cpu_us
    };
    ck_assert_int_eq(sample_encoder_thread_cpu(encoder, thread_index, ticks, cpu_us), 0);
    add_event(written, &written_count, event);
}

START_TEST(a_timed_sample_needs_no_tick)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 4000);
    write_thread_cpu(0, now + 5, 30);
    read_all();
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
    /* What is of a tick does. */
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -EINVAL);
    ck_assert_int_eq(sample_encoder_repeat(encoder, 0, now), -EINVAL);
}
END_TEST

START_TEST(timed_samples_of_many_threads_survive)
{
    static const uint32_t depths[] = { 3, 40, 300, SAMPLE_MAX_FRAMES };
    uint64_t now = clock_ticks();
    written_count = 0;
    seed += (uint64_t)_i;
    memset(stacks, 0, sizeof(stacks));
    while (writer.chunk == NULL || writer.chunk->range_start < 8 * CHUNK_BUFFER_BYTES) {
        if (written_count == MAX_EVENTS)
            break;
        uint32_t thread = (uint32_t)random_below(INDICES);
        struct test_stack *stack = &stacks[thread];
        uint64_t choice = random_below(12), cpu_us = random_below(3) == 0 ? 0 : random_below(5000);
        now += random_below(100000);
        if (choice == 0)
            sample_encoder_forget(encoder, thread);
        if (choice == 1)
            stack->is_truncated = !stack->is_truncated;
        if (choice > 4)
            change_stack(stack, depths[_i]);
        /* A thread may be interrupted between its look at the clock and its entry. */
        if (choice == 2)
            write_thread_cpu(thread, now - random_below(1000000), cpu_us);
        else
            write_timed_sample(thread, choice == 3 ? now - random_below(1000000) : now, cpu_us);
    }
    chunk_writer_finish(&writer);
    ck_assert_uint_ge(read_all(), 2);
    ck_assert_uint_gt(same_count, 0);
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_timed_sample_with_the_stack_of_before_costs_a_few_bytes)
{
    enum { A_FEW_MS_IN_TICKS = 12000000 };
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 4000);
    write_timed_sample(1, now += A_FEW_MS_IN_TICKS, 4000);
    const uint8_t *end = writer.next;
    write_timed_sample(0, now += A_FEW_MS_IN_TICKS, 4000);
    write_timed_sample(1, now += A_FEW_MS_IN_TICKS, 4000);
    ck_assert_uint_le(bytes_written_since(end), 2 * 9);
    end = writer.next;
    stacks[0].frames[39].value ^= 16;
    write_timed_sample(0, now + A_FEW_MS_IN_TICKS, 4000);
    ck_assert_uint_le(bytes_written_since(end), 21);
    read_all();
    ck_assert_uint_eq(same_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(cpu_use_without_a_sample_changes_no_stack)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_thread_cpu(0, now, 7);
    write_timed_sample(0, now + 1, 4000);
    write_thread_cpu(0, now + 2, UINT64_MAX);
    write_thread_cpu(THREADS, now + 3, 0); /* whose place is that of the other */
    write_timed_sample(0, now + 4, 4000);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_new_chunk_has_the_stack_of_a_timed_sample_whole)
{
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 1);
    write_timed_sample(1, now + 1, 1);
    chunk_writer_finish(&writer);
    write_timed_sample(1, now + 2, 2);
    write_timed_sample(0, now + 3, 3);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(same_count, 0);
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_timed_sample_and_one_of_a_tick_share_their_stack)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    write_timed_sample(0, now_ticks + 1000, 4000);
    now_ticks += 2000;
    write_sample(0, 0);
    encode_tick();
    write_sample(0, 0);
    read_all();
    ck_assert_uint_eq(same_count, 3);
    assert_read_as_written();
}
END_TEST

START_TEST(a_time_before_the_latest_is_exact_and_costs_ten_bytes)
{
    make_stack(&stacks[0], 2);
    written_count = 0;
    uint64_t now = clock_ticks() - 1000000; /* before the chunk's start, too */
    write_timed_sample(0, now, 1);
    const uint8_t *end = writer.next;
    write_timed_sample(0, now - 1, 1);
    /* Size, kind, thread and CPU use take a byte each. */
    ck_assert_uint_eq(bytes_written_since(end), 4 + LEB128_MAX_BYTES);
    write_thread_cpu(0, now - 50000, 1);
    write_timed_sample(0, now, 1);
    read_all();
    ck_assert_uint_eq(same_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(timed_samples_that_make_no_sense_are_refused)
{
    struct stack_frame address = { UINT64_C(1) << 62, false };
    struct stack_frame label = { UINT64_C(1) << 32, true };
    make_stack(&stacks[0], 1);
    const struct stack_frame *frames = stacks[0].frames;
    ck_assert_int_eq(
        sample_encoder_timed_sample(encoder, 0, 1, 0, frames, SAMPLE_MAX_FRAMES + 1, false),
        -EINVAL);
    ck_assert_int_eq(sample_encoder_timed_sample(encoder, 0, 1, 0, &address, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_timed_sample(encoder, 0, 1, 0, &label, 1, false), -EINVAL);
    ck_assert_ptr_null(writer.chunk);
}
END_TEST

static int error_when_held;

/* As a handler would that interrupts whoever tells this: the manager is held. */
static void sample_while_held(const struct chunk_update *update, void *context)
{
    (void)update;
    error_when_held = try_timed_sample(1, *(const uint64_t *)context, 4000);
}

START_TEST(a_sample_that_finds_no_chunk_in_time_changes_nothing)
{
    uint64_t now = clock_ticks();
    written_count = 0;
    chunk_writer_init_in_handler(&writer, manager, CHUNK_WRITER_SAMPLER);
    make_stack(&stacks[0], 20);
    make_stack(&stacks[1], SAMPLE_MAX_FRAMES);
    write_timed_sample(1, now, 4000);
    while (chunk_writer_has_room(&writer, SAMPLE_MAX_FRAMES * LEB128_MAX_BYTES)) {
        stacks[0].frames[19] = random_frame();
        write_timed_sample(0, ++now, 4000);
    }
    struct chunk *nearly_full = writer.chunk;
    make_stack(&stacks[1], SAMPLE_MAX_FRAMES);
    chunk_manager_set_update_callback(manager, sample_while_held, &now);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    ck_assert_int_eq(error_when_held, -EAGAIN);
    ck_assert_ptr_eq(writer.chunk, nearly_full);
    /* What fits is written, relative to what was before; then what did not fit. */
    write_timed_sample(0, ++now, 4000);
    ck_assert_ptr_eq(writer.chunk, nearly_full);
    write_timed_sample(1, ++now, 8000);
    ck_assert_ptr_ne(writer.chunk, nearly_full);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_ge(same_count, 1);
    assert_read_as_written();
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++)
        ck_assert_uint_eq(arena.header->drops[cause], 0);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.timed_samples");

    TCase *timed = tcase_create("timed");
    tcase_add_checked_fixture(timed, set_up, tear_down);
    tcase_add_test(timed, a_timed_sample_needs_no_tick);
    tcase_add_loop_test(timed, timed_samples_of_many_threads_survive, 0, 4);
    tcase_add_test(timed, a_timed_sample_with_the_stack_of_before_costs_a_few_bytes);
    tcase_add_test(timed, cpu_use_without_a_sample_changes_no_stack);
    tcase_add_test(timed, a_new_chunk_has_the_stack_of_a_timed_sample_whole);
    tcase_add_test(timed, a_timed_sample_and_one_of_a_tick_share_their_stack);
    tcase_add_test(timed, a_time_before_the_latest_is_exact_and_costs_ten_bytes);
    tcase_add_test(timed, timed_samples_that_make_no_sense_are_refused);
    tcase_add_test(timed, a_sample_that_finds_no_chunk_in_time_changes_nothing);
    suite_add_tcase(suite, timed);
    return run_suite(suite);
}
