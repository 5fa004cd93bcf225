/* json.gecko_timed_samples: what threads wrote of themselves, among the rows of ticks. */
#include "buffer/sampler_entry.h"
#include "tests/unit/gecko_timed_scene.h"
#include "tests/unit/run_suite.h"

/* A thread that sleeps is looked at. */
static void encode_look(uint32_t thread, uint64_t ms, const char *stack)
{
    struct stack_frame frames[16];
    uint32_t depth = stack_of(stack, frames);
    ck_assert_int_eq(
        sample_encoder_sample(own.encoder, thread, ticks_at(ms * MS), 0, frames, depth, false), 0);
}

START_TEST(no_idle_row_is_made_up_behind_a_timed_one)
{
    for (uint64_t ms = 3; ms < 20; ms++) {
        encode_tick(ms);
        if (ms % 5 == 0)
            encode_sample(MAIN, ms, 4000, "ab");
    }
    make_profile();
    ASSERT_ROWS(0, { 5, 4000, "ab" }, { 10, 4000, "ab" }, { 15, 4000, "ab" });
}
END_TEST

START_TEST(a_thread_that_was_seen_asleep_has_rows_until_it_tells_of_itself)
{
    encode_sample(MAIN, 3, 4000, "ab");
    encode_tick(4);
    encode_tick(5);
    encode_look(MAIN, 5, "aw"); /* waits */
    encode_tick(6);
    encode_tick(7);
    timed_by(own.encoders[1], MAIN, 8, 900, "ac");
    encode_tick(9);
    encode_tick(10);
    encode_look(MAIN, 10, "aw");
    encode_tick(11);
    make_profile();
    ASSERT_ROWS(0, { 3, 4000, "ab" }, { 5, 0, "aw" }, { 6, 0, "aw" }, { 7, 0, "aw" },
                { 8, 900, "ac" }, { 10, 0, "aw" }, { 11, 0, "aw" });
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(a_look_may_come_first)
{
    encode_tick(3);
    encode_tick(4);
    encode_look(MAIN, 4, "aw");
    encode_tick(5);
    encode_sample(MAIN, 6, 900, "ab");
    encode_tick(7);
    make_profile();
    ASSERT_ROWS(0, { 4, 0, "aw" }, { 5, 0, "aw" }, { 6, 900, "ab" });
}
END_TEST

START_TEST(a_row_of_a_tick_and_a_timed_one_share_their_stack)
{
    encode_tick(3);
    encode_look(MAIN, 3, "aw");
    encode_sample(MAIN, 4, 900, "aw"); /* which is written as "the same" */
    encode_tick(5);
    encode_look(MAIN, 5, "aw");
    make_profile();
    ASSERT_ROWS(0, { 3, 0, "aw" }, { 4, 900, "aw" }, { 5, 0, "aw" });
}
END_TEST

/* Viewers draw CPU time no further back than to the row before. */
START_TEST(rows_across_which_cpu_time_is_drawn_are_left_out)
{
    encode_tick(3);
    encode_look(MAIN, 3, "aw");
    encode_tick(4);
    encode_tick(5);
    encode_tick(6);
    encode_look(MAIN, 6, "av");
    encode_tick(7);
    encode_sample(MAIN, 8, 3500, "ab");
    encode_tick(9);
    encode_look(MAIN, 9, "aw");
    make_profile();
    ASSERT_ROWS(0, { 3, 0, "aw" }, { 4, 0, "aw" }, { 8, 3500, "ab" }, { 9, 0, "aw" });
}
END_TEST

START_TEST(no_more_rows_are_left_out_than_one_timer_can_cover)
{
    encode_tick(28);
    encode_look(MAIN, 28, "aw");
    for (uint64_t ms = 30; ms < 45; ms += 2)
        encode_tick(ms);
    encode_sample(MAIN, 45, 400000, "ab");
    make_profile();
    ASSERT_ROWS(0, { 28, 0, "aw" }, { 30, 0, "aw" }, { 32, 0, "aw" }, { 34, 0, "aw" },
                { 45, 400000, "ab" });
}
END_TEST

START_TEST(cpu_use_alone_ends_idle_rows_too)
{
    encode_tick(3);
    encode_look(MAIN, 3, "aw");
    encode_tick(4);
    thread_cpu(MAIN, 5, 18);
    encode_tick(6);
    make_profile();
    ASSERT_ROWS(0, { 3, 0, "aw" }, { 4, 0, "aw" }, { 5, 18, "-" });
}
END_TEST

START_TEST(a_late_one_is_no_row_among_timed_ones)
{
    encode_sample(MAIN, 3, 4000, "ab");
    encode_tick(4);
    ck_assert_int_eq(sample_encoder_late(own.encoder, MAIN), 0);
    encode_tick(5);
    encode_sample(MAIN, 6, 4000, "ab");
    make_profile();
    ASSERT_ROWS(0, { 3, 4000, "ab" }, { 6, 4000, "ab" });
}
END_TEST

START_TEST(a_timed_row_tells_the_event_delay_of_the_last_tick)
{
    static const double expected_ms[] = { 0, 0, 1.5, 2.5, 0 };
    for (uint64_t ms = 3; ms < 12; ms += 2) {
        timed_by(own.encoders[1], MAIN, ms, 4000, "ab");
        encode_tick(ms + 1);
        if (ms == 5 || ms == 7)
            ck_assert_int_eq(sample_encoder_event_delay(own.encoder, MAIN, 1500 + (ms - 5) * 500),
                             0);
    }
    make_profile();
    const cJSON *samples = table_rows(0, "samples");
    ck_assert_int_eq(cJSON_GetArraySize(samples), 5);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(cell_value(samples, i, 2), expected_ms[i], 1e-6);
}
END_TEST

/* What the one that ticks says of its ticks, it says with entries of others in between. */
START_TEST(counters_are_of_their_tick_whatever_came_after_it)
{
    const struct counter_total before = { 0, 0 }, now = { 5, 1 };
    uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];
    dictionary_put_counter(&own.dictionary, 0, "requests", "Network", "");
    encode_tick(3);
    encode_sample(MAIN, 9, 4000, "ab");
    size_t bytes = counters_entry_write(entry, 0, &before, &now, 1);
    ck_assert_int_eq(sample_encoder_put(own.encoder, entry, bytes), 0);
    make_profile();
    const cJSON *counter = cJSON_GetArrayItem(get_member(own.profile, "counters"), 0);
    const cJSON *samples = get_member(get_member(counter, "samples"), "data");
    int last = cJSON_GetArraySize(samples) - 1;
    ck_assert_double_eq_tol(cell_value(samples, last, 0), 3, 0.01);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_timed_ticks");
    TCase *ticks = add_case(suite, "among ticks");
    tcase_add_test(ticks, no_idle_row_is_made_up_behind_a_timed_one);
    tcase_add_test(ticks, a_thread_that_was_seen_asleep_has_rows_until_it_tells_of_itself);
    tcase_add_test(ticks, a_look_may_come_first);
    tcase_add_test(ticks, a_row_of_a_tick_and_a_timed_one_share_their_stack);
    tcase_add_test(ticks, rows_across_which_cpu_time_is_drawn_are_left_out);
    tcase_add_test(ticks, no_more_rows_are_left_out_than_one_timer_can_cover);
    tcase_add_test(ticks, cpu_use_alone_ends_idle_rows_too);
    tcase_add_test(ticks, a_late_one_is_no_row_among_timed_ones);
    tcase_add_test(ticks, a_timed_row_tells_the_event_delay_of_the_last_tick);
    tcase_add_test(ticks, counters_are_of_their_tick_whatever_came_after_it);
    return run_suite(suite);
}
