/* json.gecko_process: markers of each thread, and what is left out when there is no room. */

#include "buffer/allocation_encoder.h"
#include "tests/unit/gecko_tables.h"
#include "tests/unit/run_suite.h"

static void allocation(uint32_t owner, uint32_t actor, uint64_t ms, int64_t size, uint64_t address)
{
    static struct allocation_encoder encoder;
    struct allocation allocation = {
        .owner_index = owner,
        .actor_index = actor,
        .ticks = ticks_at(ms * MS),
        .size = size,
        .address = address,
        .frames = stack_a,
        .depth = 3,
    };
    encoder = (struct allocation_encoder){ .writer = &own.sampler };
    ck_assert_int_eq(allocation_encoder_write(&encoder, &allocation), 0);
}

static void put_unregistered(enum unregistered_state state, uint64_t ms, const char *name)
{
    struct unregistered_entry entry = { .state = state, .tid = 77, .name = { name, strlen(name) } };
    if (state == UNREGISTERED_RAN) {
        entry.period_ticks = ticks_at(4 * MS) - ticks_at(2 * MS);
        entry.cpu_us = 500;
    }
    ck_assert_int_eq(sample_encoder_unregistered(own.encoder, &entry, ticks_at(ms * MS)), 0);
}

START_TEST(unregistered_threads_are_markers_of_the_main_thread)
{
    put_process();
    encode_tick(3);
    put_unregistered(UNREGISTERED_FOUND, 4, "odd \xff \" name, cut");
    put_unregistered(UNREGISTERED_RAN, 6, "odd");
    put_unregistered(UNREGISTERED_GONE, 7, "");
    make_profile();
    const cJSON *markers = table_rows(thread_at(0), "markers");
    ck_assert_int_eq(cJSON_GetArraySize(markers), 3);
    const cJSON *ran = cJSON_GetArrayItem(markers, 1), *payload = cJSON_GetArrayItem(ran, 5);
    ck_assert_str_eq(string_at(thread_at(0), cJSON_GetArrayItem(ran, 0)), "Unregistered thread");
    ck_assert_double_eq_tol(cJSON_GetArrayItem(ran, 1)->valuedouble, 4, 0.01);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(ran, 2)->valuedouble, 6, 0.01);
    ck_assert_str_eq(get_member(payload, "threadName")->valuestring, "odd");
    ck_assert_int_eq(get_member(payload, "threadId")->valueint, 77);
    ck_assert_double_eq_tol(get_member(payload, "cpuTime")->valuedouble, 0.5, 1e-9);
    ck_assert_double_eq_tol(get_member(payload, "cpuUse")->valuedouble, 0.25, 0.01);
}
END_TEST

START_TEST(what_is_recorded_for_an_ended_thread_comes_before_its_end)
{
    put_process();
    encode_tick(3);
    dictionary_put_thread_end(&own.dictionary, WORKER, ns_at(4 * MS));
    encode_tick(6);
    allocation(WORKER, MAIN, 7, -1, 0x1000);
    own.options.since_ns = ns_at(5 * MS);
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(1), "markers")), 1);
    ck_assert_double_le(cell_value(thread_at(1), "samples", 0, 1),
                        get_member(thread_at(1), "unregisterTime")->valuedouble);
}
END_TEST

static void assert_allocation(int row, double ms, double size, double address, int tid)
{
    const cJSON *cells = cJSON_GetArrayItem(table_rows(thread_at(0), "markers"), row);
    const cJSON *data = cJSON_GetArrayItem(cells, 5);
    const cJSON *samples = get_member(get_member(data, "stack"), "samples");
    const cJSON *stack_sample = cJSON_GetArrayItem(get_member(samples, "data"), 0);
    ck_assert_str_eq(string_at(thread_at(0), cJSON_GetArrayItem(cells, 0)), "Native allocation");
    ck_assert_double_eq_tol(cJSON_GetArrayItem(cells, 1)->valuedouble, ms, 0.01);
    ck_assert_str_eq(get_member(data, "type")->valuestring, "Native allocation");
    ck_assert_double_eq(get_member(data, "size")->valuedouble, size);
    ck_assert_double_eq(get_member(data, "memoryAddress")->valuedouble, address);
    ck_assert_int_eq(get_member(data, "threadId")->valueint, tid);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(stack_sample, 1)->valuedouble, ms, 0.01);
    ck_assert_int_eq(cJSON_GetArrayItem(stack_sample, 0)->valueint, 2);
}

START_TEST(allocations_and_their_ends_are_markers_of_the_thread_that_allocated)
{
    put_process();
    encode_tick(3);
    allocation(MAIN, MAIN, 4, 600000, 0x7f0000001000);
    encode_tick(5);
    allocation(MAIN, WORKER, 6, -600000, 0x7f0000001000);
    /* An earlier time than the one before: threads write into different chunks. Viewers want them
     * sorted. */
    allocation(MAIN, MAIN, 5, 1, 0x1000);
    make_profile();
    assert_allocation(0, 4, 600000, 0x7f0000001000, PID);
    assert_allocation(1, 5, 1, 0x1000, PID);
    assert_allocation(2, 6, -600000, 0x7f0000001000, PID + 1);
    /* They are no samples: the two ticks have none with a stack. */
    ck_assert_str_eq(stack_text(thread_at(0), 0), "null");
}
END_TEST

/* The stacks of other threads' allocations: a few bytes each, of which each owner has all frames.
 */
static void put_expensive_allocations(void)
{
    static struct allocation_encoder encoder;
    static struct stack_frame frames[SAMPLE_MAX_FRAMES];
    enum { STACKS = 8, OWNERS = 200 };
    memset(&encoder, 0, sizeof(encoder));
    encoder.writer = &own.sampler;
    for (uint64_t stack = 0; stack < STACKS; stack++) {
        for (uint32_t i = 0; i < SAMPLE_MAX_FRAMES; i++)
            frames[i] = (struct stack_frame){ stack * 0x100000 + i * 64, false };
        for (uint32_t owner = 0; owner < OWNERS; owner++) {
            struct allocation expensive = { .owner_index = 100 + owner,
                                            .actor_index = MAIN,
                                            .ticks = ticks_at(4 * MS),
                                            .size = 1,
                                            .address = 16,
                                            .frames = frames,
                                            .depth = SAMPLE_MAX_FRAMES };
            ck_assert_int_eq(allocation_encoder_write(&encoder, &expensive), 0);
        }
    }
}

START_TEST(what_an_arena_makes_its_reader_hold_is_bounded)
{
    struct text text = { 0 };
    put_process();
    for (uint32_t i = 0; i < 200; i++)
        dictionary_put_thread(&own.dictionary, 100 + i, (int)i + 5000, false, ns_at(0), "owner");
    encode_tick(3);
    put_expensive_allocations();
    own.options.max_held_bytes = 4 << 20;
    stream_arena(&own.arena, &own.options, &text);
    /* Of some 100 MB: what is held, as text, and an empty thread for each owner. */
    ck_assert_uint_lt(text.length, 16 << 20);
    own.profile = parse_json(&text);
    const cJSON *log =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_double_gt(get_member(log, "leftOutEntries")->valuedouble, 100);
    ck_assert_double_lt(get_member(log, "leftOutEntries")->valuedouble, 1600);
}
END_TEST

START_TEST(what_programs_record_is_not_left_out)
{
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, 1, stack_a, 3);
    allocation(MAIN, MAIN, 4, 600000, 0x7f0000001000);
    encode_marker(ENTRY_TEXT_MARKER, 5, 0, SITE_MARKER, "text");
    make_profile();
    const cJSON *log =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_double_eq(get_member(log, "leftOutEntries")->valuedouble, 0);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "markers")), 2);
}
END_TEST

START_TEST(markers_and_samples_are_left_out_when_there_is_no_room)
{
    put_process();
    own.options.max_held_bytes = 1;
    encode_tick(3);
    encode_sample(MAIN, 3, 1, stack_a, 3);
    encode_tick(4);
    encode_sample(MAIN, 4, 1, stack_b, 3);
    encode_marker(ENTRY_TEXT_MARKER, 5, 0, SITE_MARKER, "text");
    make_profile();
    const cJSON *log =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_double_eq(get_member(log, "leftOutEntries")->valuedouble, 2);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(thread_at(0), "markers")), 0);
    ck_assert_str_eq(stack_text(thread_at(0), 0), "0x401100 > accept loop > 0x401200");
}
END_TEST

static const struct {
    enum entry_kind kind;
    int phase;
    double start, end; /* -1: null */
    const char *text;
} markers[] = {
    { ENTRY_MARKER, 0, 5, -1, NULL },
    { ENTRY_MARKER_START, 2, 5, -1, NULL },
    { ENTRY_MARKER_END, 3, -1, 5, NULL },
    { ENTRY_MARKER_INTERVAL, 1, 2, 5, NULL },
    { ENTRY_TEXT_MARKER, 0, 5, -1, "one \"two\"" },
    { ENTRY_TEXT_MARKER_START, 2, 5, -1, "a" },
    { ENTRY_TEXT_MARKER_END, 3, -1, 5, "b" },
    { ENTRY_TEXT_MARKER_INTERVAL, 1, 2, 5, "c" },
};

static void assert_time(const cJSON *cell_json, double expected)
{
    if (expected < 0)
        ck_assert(cJSON_IsNull(cell_json));
    else
        ck_assert_double_eq_tol(cell_json->valuedouble, expected, 0.01);
}

START_TEST(markers_have_the_phase_and_times_of_their_kind)
{
    put_process();
    encode_marker(markers[_i].kind, 5, 3, SITE_MARKER, markers[_i].text);
    make_profile();
    const cJSON *row = cJSON_GetArrayItem(table_rows(thread_at(0), "markers"), 0);
    ck_assert_str_eq(string_at(thread_at(0), cJSON_GetArrayItem(row, 0)), "flush");
    assert_time(cJSON_GetArrayItem(row, 1), markers[_i].start);
    assert_time(cJSON_GetArrayItem(row, 2), markers[_i].end);
    ck_assert_int_eq(cJSON_GetArrayItem(row, 3)->valueint, markers[_i].phase);
    ck_assert_int_eq(cJSON_GetArrayItem(row, 4)->valueint, CATEGORY_DISK);
    if (markers[_i].text != NULL) {
        const cJSON *data = cJSON_GetArrayItem(row, 5);
        ck_assert_str_eq(get_member(data, "type")->valuestring, "Text");
        ck_assert_str_eq(get_member(data, "name")->valuestring, markers[_i].text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_markers");
    TCase *threads = add_case(suite, "threads");
    tcase_add_test(threads, unregistered_threads_are_markers_of_the_main_thread);
    tcase_add_test(threads, what_is_recorded_for_an_ended_thread_comes_before_its_end);
    tcase_add_test(threads, allocations_and_their_ends_are_markers_of_the_thread_that_allocated);
    TCase *marks = add_case(suite, "markers");
    tcase_add_loop_test(marks, markers_have_the_phase_and_times_of_their_kind, 0,
                        (int)(sizeof(markers) / sizeof(markers[0])));
    TCase *room = add_case(suite, "room");
    tcase_add_test(room, what_an_arena_makes_its_reader_hold_is_bounded);
    tcase_add_test(room, what_programs_record_is_not_left_out);
    tcase_add_test(room, markers_and_samples_are_left_out_when_there_is_no_room);
    return run_suite(suite);
}
