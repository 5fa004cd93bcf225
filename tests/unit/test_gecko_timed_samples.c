/* json.gecko_timed_samples: what threads wrote of themselves becomes rows of theirs. */
#include "tests/unit/gecko_timed_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(timed_samples_are_rows_without_any_tick)
{
    encode_sample(MAIN, 3, 4000, "ab");
    encode_sample(MAIN, 7, 4001, "ab");
    encode_sample(MAIN, 12, 4002, "ac");
    make_profile();
    ASSERT_ROWS(0, { 3, 4000, "ab" }, { 7, 4001, "ab" }, { 12, 4002, "ac" });
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(threads_share_a_chunk)
{
    encode_sample(MAIN, 3, 4000, "ab");
    encode_sample(WORKER, 4, 1000, "ax");
    encode_sample(MAIN, 5, 4001, "ab");
    encode_sample(WORKER, 6, 1001, "ay");
    encode_sample(WORKER, 7, 1002, "ay");
    encode_sample(MAIN, 8, 4002, "ac");
    make_profile();
    ASSERT_ROWS(0, { 3, 4000, "ab" }, { 5, 4001, "ab" }, { 8, 4002, "ac" });
    ASSERT_ROWS(1, { 4, 1000, "ax" }, { 6, 1001, "ay" }, { 7, 1002, "ay" });
    ck_assert_uint_eq(own.arena.header->next_range_start, CHUNK_BUFFER_BYTES);
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(samples_of_several_chunks_are_put_in_order)
{
    enum { ROWS = 1000 };
    static struct row expected[ROWS];
    static const char *const stacks[] = { "a", "ab", "abc", "d" };
    for (uint64_t i = 0; i < ROWS; i++) {
        /* Some stretches in one chunk, then in the other, and some turn by turn. */
        uint64_t writer = i / 100 % 2 == 0 ? i % 2 : i / 50 % 2;
        expected[i] = (struct row){ (double)(3 + i), (double)(i * 7), stacks[i * 5 % 4] };
        timed_by(own.encoders[writer], MAIN, 3 + i, i * 7, expected[i].stack);
    }
    own.options.capture_ns = own.start.monotonic_ns + 2000 * MS;
    make_profile();
    ck_assert_uint_ge(own.arena.header->next_range_start, 2 * CHUNK_BUFFER_BYTES);
    assert_rows(0, expected, ROWS);
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(times_that_go_backwards_are_put_in_order)
{
    encode_sample(MAIN, 9, 3, "c");
    encode_sample(MAIN, 3, 1, "a");
    thread_cpu(MAIN, 5, 2);
    encode_sample(MAIN, 9, 4, "c");
    make_profile();
    ASSERT_ROWS(0, { 3, 1, "a" }, { 5, 2, "-" }, { 9, 3, "c" }, { 9, 4, "c" });
}
END_TEST

START_TEST(cpu_use_without_a_sample_has_no_stack)
{
    thread_cpu(MAIN, 3, 17);
    encode_sample(MAIN, 5, 4000, "ab");
    thread_cpu(MAIN, 6, 18);
    encode_sample(MAIN, 7, 4000, "ab");
    thread_cpu(MAIN, 8, 19);
    make_profile();
    ASSERT_ROWS(0, { 3, 17, "-" }, { 5, 4000, "ab" }, { 6, 18, "-" }, { 7, 4000, "ab" },
                { 8, 19, "-" });
    /* It is enough to show a thread. */
    thread_cpu(WORKER, 9, 20);
    make_profile();
    ASSERT_ROWS(1, { 9, 20, "-" });
}
END_TEST

START_TEST(truncated_stacks_have_a_root_that_says_so)
{
    struct stack_frame frames[16];
    uint32_t depth = stack_of("ab", frames);
    static const bool is_truncated[] = { true, true, false, true };
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_int_eq(sample_encoder_timed_sample(own.encoder, MAIN, ticks_at((3 + i) * MS), i,
                                                     frames, depth, is_truncated[i]),
                         0);
    make_profile();
    ASSERT_ROWS(0, { 3, 0, "(ab" }, { 4, 1, "(ab" }, { 5, 2, "ab" }, { 6, 3, "(ab" });
}
END_TEST

START_TEST(a_stack_goes_on_in_the_next_chunk)
{
    encode_sample(MAIN, 3, 1, "ab");
    chunk_writer_finish(&own.writers[0]);
    encode_sample(MAIN, 4, 2, "ab");
    encode_sample(MAIN, 5, 3, "ab");
    make_profile();
    ASSERT_ROWS(0, { 3, 1, "ab" }, { 4, 2, "ab" }, { 5, 3, "ab" });
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(what_comes_after_the_end_of_a_thread_is_of_its_end)
{
    encode_sample(WORKER, 3, 1, "ab");
    thread_cpu(WORKER, 5, 2);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS + MS / 2));
    encode_tick(6);
    make_profile();
    ASSERT_ROWS(1, { 3, 1, "ab" }, { 4.5, 2, "-" });
}
END_TEST

START_TEST(what_is_too_old_is_not_shown)
{
    encode_sample(MAIN, 3, 1, "ab");
    encode_sample(MAIN, 6, 2, "ab");
    own.options.since_ns = ns_at(5 * MS);
    make_profile();
    ASSERT_ROWS(0, { 6, 2, "ab" });
}
END_TEST

START_TEST(a_reused_index_is_another_thread)
{
    encode_sample(WORKER, 3, 1, "ab");
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS));
    dictionary_put_thread(&own.dictionary, WORKER, PID + 2, false, ns_at(6 * MS), "later");
    sample_encoder_forget(own.encoder, WORKER);
    encode_sample(WORKER, 8, 2, "ab");
    thread_cpu(WORKER, 4, 3); /* of the first */
    make_profile();
    ASSERT_ROWS(1, { 3, 1, "ab" }, { 4, 3, "-" });
    ASSERT_ROWS(2, { 8, 2, "ab" });
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(a_thread_without_a_record_keeps_its_samples)
{
    encode_sample(77, 3, 1, "ab");
    thread_cpu(78, 4, 2);
    make_profile();
    ASSERT_ROWS(2, { 3, 1, "ab" });
    ASSERT_ROWS(3, { 4, 2, "-" });
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_timed_samples");
    TCase *samples = add_case(suite, "samples");
    tcase_add_test(samples, timed_samples_are_rows_without_any_tick);
    tcase_add_test(samples, threads_share_a_chunk);
    tcase_add_test(samples, samples_of_several_chunks_are_put_in_order);
    tcase_add_test(samples, times_that_go_backwards_are_put_in_order);
    tcase_add_test(samples, cpu_use_without_a_sample_has_no_stack);
    tcase_add_test(samples, truncated_stacks_have_a_root_that_says_so);
    tcase_add_test(samples, a_stack_goes_on_in_the_next_chunk);
    TCase *threads = add_case(suite, "threads");
    tcase_add_test(threads, what_comes_after_the_end_of_a_thread_is_of_its_end);
    tcase_add_test(threads, what_is_too_old_is_not_shown);
    tcase_add_test(threads, a_reused_index_is_another_thread);
    tcase_add_test(threads, a_thread_without_a_record_keeps_its_samples);
    return run_suite(suite);
}
