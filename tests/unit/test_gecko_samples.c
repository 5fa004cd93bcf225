/* json.gecko_process: what was sampled of each thread. */

#include "tests/unit/gecko_tables.h"
#include "tests/unit/run_suite.h"

START_TEST(stacks_become_frames_and_labels)
{
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, 1000, stack_a, 3);
    encode_tick(4);
    encode_sample(MAIN, 4, 900, stack_b, 3);
    encode_tick(5);
    encode_sample(MAIN, 5, 10, stack_a, 0);
    make_profile();
    ck_assert_str_eq(stack_text(thread_at(0), 0), "0x401100 > accept loop > 0x401200");
    ck_assert_str_eq(stack_text(thread_at(0), 1), "0x401100 > accept loop > 0x401300");
    ck_assert_str_eq(stack_text(thread_at(0), 2), "null");
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "stackTable")), 4);
    ck_assert_double_eq(cell_value(thread_at(0), "samples", 0, 3), 1000);
    ck_assert_double_eq(cell_value(thread_at(0), "frameTable", 0, 6), CATEGORY_NATIVE);
    ck_assert_double_eq(cell_value(thread_at(0), "frameTable", 1, 6), CATEGORY_NETWORK);
    ck_assert_double_eq(cell_value(thread_at(0), "frameTable", 1, 4), 7);
}
END_TEST

START_TEST(a_thread_that_slept_has_a_sample_for_every_tick)
{
    put_process();
    for (uint64_t ms = 3; ms < 13; ms++) {
        encode_tick(ms);
        if (ms == 5)
            encode_sample(WORKER, ms, 400, stack_a, 3);
        if (ms == 8)
            encode_sample(WORKER, ms, 300, stack_a, 3);
    }
    make_profile();
    const cJSON *worker = thread_at(1);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(worker, "samples")), 8);
    for (int i = 0; i < 8; i++) {
        ck_assert_double_eq_tol(cell_value(worker, "samples", i, 1), 5 + i, 0.01);
        ck_assert_double_eq(cell_value(worker, "samples", i, 3), i == 0 ? 400 : i == 3 ? 300 : 0);
        ck_assert_str_eq(stack_text(worker, i), "0x401100 > accept loop > 0x401200");
    }
}
END_TEST

START_TEST(quiet_ticks_are_ticks_evenly_apart)
{
    put_process();
    encode_tick(3);
    encode_sample(WORKER, 3, 400, stack_a, 3);
    ck_assert_int_eq(sample_encoder_quiet_ticks(own.encoder, 7, ticks_at(10 * MS)), 0);
    encode_tick(11);
    encode_sample(WORKER, 11, 300, stack_b, 3);
    make_profile();
    const cJSON *worker = thread_at(1);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(worker, "samples")), 9);
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq_tol(cell_value(worker, "samples", i, 1), 3 + i, 0.01);
        ck_assert_double_eq(cell_value(worker, "samples", i, 3), i == 0 ? 400 : i == 8 ? 300 : 0);
    }
}
END_TEST

START_TEST(a_late_sample_leaves_a_gap)
{
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, 1, stack_a, 3);
    encode_tick(4);
    ck_assert_int_eq(sample_encoder_late(own.encoder, MAIN), 0);
    encode_tick(5);
    encode_sample(MAIN, 5, 1, stack_b, 3);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "samples")), 2);
    ck_assert_double_eq_tol(cell_value(thread_at(0), "samples", 1, 1), 5, 0.01);
}
END_TEST

START_TEST(event_delays_are_those_of_their_ticks)
{
    static const double expected_ms[] = { 0, 1.5, 2.5, 0, 0, 7.25, 0 };
    put_process();
    for (uint64_t ms = 3; ms < 10; ms++) {
        encode_tick(ms);
        if (ms == 4 || ms == 5)
            ck_assert_int_eq(sample_encoder_event_delay(own.encoder, MAIN, 1500 + (ms - 4) * 1000),
                             0);
        if (ms == 8)
            ck_assert_int_eq(sample_encoder_event_delay(own.encoder, MAIN, 7250), 0);
        if (ms == 3 || ms == 5)
            encode_sample(MAIN, ms, 1, stack_a, 3);
        encode_sample(WORKER, ms, 1, stack_b, 3);
    }
    make_profile();
    for (int i = 0; i < 7; i++) {
        ck_assert_double_eq_tol(cell_value(thread_at(0), "samples", i, 2), expected_ms[i], 1e-6);
        ck_assert_double_eq(cell_value(thread_at(1), "samples", i, 2), 0);
    }
}
END_TEST

START_TEST(the_longest_event_delay_is_a_number)
{
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, UINT64_MAX, stack_a, 3);
    ck_assert_int_eq(sample_encoder_event_delay(own.encoder, MAIN, EVENT_DELAY_MOST_US), 0);
    make_profile();
    ck_assert_double_eq(cell_value(thread_at(0), "samples", 0, 2),
                        (double)(EVENT_DELAY_MOST_US / 1000));
}
END_TEST

START_TEST(no_sample_after_the_thread_ended)
{
    put_process();
    encode_tick(3);
    encode_sample(WORKER, 3, 1, stack_a, 3);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS + MS / 2));
    for (uint64_t ms = 4; ms < 9; ms++)
        encode_tick(ms);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(1), "samples")), 2);
    ck_assert_double_eq(get_member(thread_at(1), "unregisterTime")->valuedouble, 4.5);
}
END_TEST

START_TEST(a_sample_that_was_found_after_the_end_is_of_the_end)
{
    put_process();
    encode_tick(3);
    encode_sample(WORKER, 3, 1, stack_a, 3);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS + MS / 2));
    encode_tick(4);
    encode_tick(6);
    encode_sample(WORKER, 6, 700, stack_b, 3);
    make_profile();
    const cJSON *worker = thread_at(1);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(worker, "samples")), 3);
    ck_assert_double_eq(cell_value(worker, "samples", 2, 1), 4.5);
    ck_assert_double_eq(cell_value(worker, "samples", 2, 3), 700);
    ck_assert_str_eq(stack_text(worker, 2), "0x401100 > accept loop > 0x401300");
}
END_TEST

START_TEST(a_thread_that_ended_before_what_is_shown_is_not_there)
{
    put_process();
    encode_tick(3);
    encode_sample(WORKER, 3, 1, stack_a, 3);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS));
    encode_tick(6);
    encode_sample(MAIN, 6, 1, stack_a, 3);
    own.options.since_ns = ns_at(5 * MS);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "threads")), 1);
}
END_TEST

START_TEST(a_thread_without_samples_has_one_without_stack)
{
    put_process();
    make_profile();
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(i), "samples")), 1);
        ck_assert_str_eq(stack_text(thread_at(i), 0), "null");
    }
    ck_assert_double_eq(cell_value(thread_at(1), "samples", 0, 1), 2);
}
END_TEST

START_TEST(a_reused_index_is_another_thread)
{
    put_process();
    encode_tick(3);
    encode_sample(WORKER, 3, 1, stack_a, 3);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS));
    dictionary_put_thread(&own.dictionary, WORKER, PID + 1, false, ns_at(5 * MS), "second");
    sample_encoder_forget(own.encoder, WORKER);
    encode_tick(6);
    encode_sample(WORKER, 6, 1, stack_b, 3);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "threads")), 3);
    ck_assert_str_eq(stack_text(thread_at(1), 0), "0x401100 > accept loop > 0x401200");
    ck_assert_str_eq(get_member(thread_at(2), "name")->valuestring, "second");
    ck_assert_str_eq(stack_text(thread_at(2), 0), "0x401100 > accept loop > 0x401300");
    ck_assert_double_ne(get_member(thread_at(1), "tid")->valuedouble,
                        get_member(thread_at(2), "tid")->valuedouble);
}
END_TEST

START_TEST(samples_go_on_through_chunks)
{
    struct stack_frame frames[200];
    put_process();
    for (uint64_t i = 0; i < 3000; i++) {
        for (uint32_t depth = 0; depth < 200; depth++)
            frames[depth] =
                (struct stack_frame){ 0x401000 + (depth < 20 ? depth : i * 7 + depth), 0 };
        ck_assert_int_eq(sample_encoder_tick(own.encoder, ticks_at(i * 10000)), 0);
        ck_assert_int_eq(sample_encoder_sample(own.encoder, MAIN, ticks_at(i * 10000 + 500), 1,
                                               frames, 200, false),
                         0);
    }
    make_profile();
    cJSON *row;
    double last = -1;
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "samples")), 3000);
    cJSON_ArrayForEach(row, table_rows(thread_at(0), "samples"))
    {
        ck_assert_double_ge(cJSON_GetArrayItem(row, 1)->valuedouble, last);
        last = cJSON_GetArrayItem(row, 1)->valuedouble;
    }
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "frameTable")),
                     20 + 2999 * 7 + 180);
}
END_TEST

START_TEST(truncated_stacks_have_a_root_that_says_so)
{
    put_process();
    encode_tick(3);
    ck_assert_int_eq(
        sample_encoder_sample(own.encoder, MAIN, ticks_at(3 * MS), 1, stack_a, 3, true), 0);
    encode_tick(4);
    encode_sample(MAIN, 4, 1, stack_a, 3);
    make_profile();
    ck_assert_str_eq(stack_text(thread_at(0), 0),
                     "(stack truncated) > 0x401100 > accept loop > 0x401200");
    ck_assert_str_eq(stack_text(thread_at(0), 1), "0x401100 > accept loop > 0x401200");
}
END_TEST

START_TEST(a_thread_without_a_record_keeps_its_data)
{
    put_process();
    own.thread.writer_index = 9;
    encode_marker(ENTRY_MARKER, 5, 0, SITE_MARKER, NULL);
    encode_tick(6);
    encode_sample(10, 6, 1, stack_a, 3);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "threads")), 4);
    ck_assert_str_eq(get_member(thread_at(2), "name")->valuestring, "Unknown thread");
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(2), "markers")), 1);
    ck_assert_str_eq(stack_text(thread_at(3), 0), "0x401100 > accept loop > 0x401200");
}
END_TEST

START_TEST(labels_that_look_like_code_are_kept_apart)
{
    struct dictionary_site site = { .id = SITE_LABEL,
                                    .category = CATEGORY_LABEL,
                                    .name = "Thread pool:3",
                                    .function = "",
                                    .file = "" };
    dictionary_put_thread(&own.dictionary, MAIN, PID, true, ns_at(0), "server");
    dictionary_put_site(&own.dictionary, &site);
    encode_tick(3);
    encode_sample(MAIN, 3, 1, stack_a + 1, 1);
    make_profile();
    ck_assert_str_eq(stack_text(thread_at(0), 0), " Thread pool:3 ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_samples");
    TCase *samples = add_case(suite, "samples");
    tcase_add_test(samples, stacks_become_frames_and_labels);
    tcase_add_test(samples, a_thread_that_slept_has_a_sample_for_every_tick);
    tcase_add_test(samples, quiet_ticks_are_ticks_evenly_apart);
    tcase_add_test(samples, a_late_sample_leaves_a_gap);
    tcase_add_test(samples, event_delays_are_those_of_their_ticks);
    tcase_add_test(samples, the_longest_event_delay_is_a_number);
    tcase_add_test(samples, no_sample_after_the_thread_ended);
    tcase_add_test(samples, a_sample_that_was_found_after_the_end_is_of_the_end);
    tcase_add_test(samples, a_thread_that_ended_before_what_is_shown_is_not_there);
    tcase_add_test(samples, a_thread_without_samples_has_one_without_stack);
    tcase_add_test(samples, a_reused_index_is_another_thread);
    tcase_add_test(samples, samples_go_on_through_chunks);
    tcase_add_test(samples, truncated_stacks_have_a_root_that_says_so);
    tcase_add_test(samples, labels_that_look_like_code_are_kept_apart);
    TCase *process = add_case(suite, "process");
    tcase_add_test(process, a_thread_without_a_record_keeps_its_data);
    return run_suite(suite);
}
