/* json.gecko_process: arenas made here, their profiles parsed back. */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer/allocation_encoder.h"
#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "buffer/clock.h"
#include "buffer/dictionary.h"
#include "buffer/sample_encoder.h"
#include "json/gecko/gecko_process.h"
#include "json/gecko/gecko_root.h"

enum { MAIN = 1, WORKER = 2, SITE_LABEL = 1, SITE_MARKER = 2, PID = 4242 };

static const uint64_t MS = 1000000;
static const uint64_t WALL_CLOCK_NS = 1700000000123456789;

/* One arena, with writers for the sampler and one thread, and the profile made from it. */
static struct {
    struct arena arena;
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer sampler, thread;
    struct sample_encoder *encoder;
    struct clock_pair start;
    struct gecko_process_options options;
    cJSON *profile;
} own;

static uint64_t ticks_at(uint64_t ns)
{
    struct clock_calibration calibration =
        clock_calibrate(own.arena.header->first_pair, clock_read_pair(), 1.0);
    return own.start.ticks + (uint64_t)((double)ns / calibration.ns_per_tick);
}

static void wait_for_the_clock(void)
{
    /* Calibration needs two readings some time apart. */
    struct clock_pair now = clock_read_pair();
    while (now.monotonic_ns - own.arena.header->first_pair.monotonic_ns < 5 * MS)
        now = clock_read_pair();
}

static void set_up(void)
{
    memset(&own, 0, sizeof(own));
    clock_initialize();
    ck_assert_int_eq(arena_create(64 * CHUNK_BYTES, &own.arena), 0);
    wait_for_the_clock();
    dictionary_init(&own.dictionary, &own.arena);
    ck_assert_int_eq(chunk_manager_create(&own.arena, 1, 64 * CHUNK_BYTES, &own.manager), 0);
    own.start = clock_read_pair();
    own.arena.header->process_id = PID;
    own.arena.header->process_start_ns = own.start.monotonic_ns;
    atomic_store(&own.arena.header->session_start_ns, own.start.monotonic_ns);
    chunk_writer_init(&own.sampler, own.manager, CHUNK_WRITER_SAMPLER);
    chunk_writer_init(&own.thread, own.manager, MAIN);
    ck_assert_int_eq(sample_encoder_create(&own.sampler, 16, &own.encoder), 0);
    own.options.reference_ns = own.start.monotonic_ns;
    own.options.reference_unix_ns = WALL_CLOCK_NS;
    own.options.capture_ns = own.start.monotonic_ns + 1000 * MS;
}

static void tear_down(void)
{
    cJSON_Delete(own.profile);
    sample_encoder_destroy(own.encoder);
    chunk_writer_finish(&own.sampler);
    chunk_writer_finish(&own.thread);
    chunk_manager_destroy(own.manager);
    arena_destroy(&own.arena);
}

static uint64_t ns_at(uint64_t ns)
{
    return own.start.monotonic_ns + ns;
}

static void put_process(void)
{
    static const char command_line[] = "/opt/bin/server\0--port\0"
                                       "80";
    struct dictionary_library library = {
        .time_ns = ns_at(0),
        .start = 0x401000,
        .end = 0x500000,
        .load_bias = 0x400000,
        .path = "/opt/bin/server",
        .build_id = (const uint8_t *)"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
                                     "\x10\x11\x12\x13\x14",
        .build_id_bytes = 20,
    };
    struct dictionary_site label = {
        .id = SITE_LABEL,
        .category = CATEGORY_NETWORK,
        .line = 7,
        .name = "accept loop",
        .function = "serve",
        .file = "server.c",
    };
    struct dictionary_site marker = {
        .id = SITE_MARKER,
        .category = CATEGORY_DISK,
        .line = 9,
        .name = "flush",
        .function = "flush",
        .file = "server.c",
    };
    dictionary_put_process(&own.dictionary, PID, 1, ns_at(0), "/opt/bin/server", command_line,
                           sizeof(command_line));
    dictionary_put_thread(&own.dictionary, MAIN, PID, true, ns_at(0), "server");
    dictionary_put_thread(&own.dictionary, WORKER, PID + 1, false, ns_at(2 * MS), "pool");
    dictionary_put_library(&own.dictionary, &library);
    dictionary_put_site(&own.dictionary, &label);
    dictionary_put_site(&own.dictionary, &marker);
}

static void encode_tick(uint64_t ms)
{
    ck_assert_int_eq(sample_encoder_tick(own.encoder, ticks_at(ms * MS)), 0);
}

static void encode_sample(uint32_t thread, uint64_t ms, uint64_t cpu_us,
                          const struct stack_frame *frames, uint32_t depth)
{
    ck_assert_int_eq(
        sample_encoder_sample(own.encoder, thread, ticks_at(ms * MS), cpu_us, frames, depth, false),
        0);
}

static void encode_marker(enum entry_kind kind, uint64_t ms, uint64_t duration_ms, uint32_t site,
                          const char *text)
{
    uint8_t entry[256], *out = entry;
    uint64_t ticks = ticks_at(ms * MS);
    if (own.thread.chunk == NULL)
        ck_assert_int_eq(chunk_writer_refill(&own.thread, sizeof(entry)), 0);
    *out++ = (uint8_t)kind;
    out = leb128_write(out, ticks - own.thread.last_ticks);
    if (kind == ENTRY_MARKER_INTERVAL || kind == ENTRY_TEXT_MARKER_INTERVAL)
        out = leb128_write(out, ticks_at(duration_ms * MS) - own.start.ticks);
    out = leb128_write(out, site);
    if (text != NULL)
        out = (uint8_t *)stpcpy((char *)out, text);
    ck_assert_int_eq(chunk_writer_put(&own.thread, entry, (size_t)(out - entry)), 0);
    own.thread.last_ticks = ticks;
}

struct text {
    char *bytes;
    size_t length;
};

static int append_text(void *context, const char *bytes, size_t n)
{
    struct text *text = context;
    text->bytes = realloc(text->bytes, text->length + n + 1);
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    text->bytes[text->length] = '\0';
    return 0;
}

static void make_into(struct text *text)
{
    struct arena_reader *reader;
    struct failure_latch latch;
    struct json_writer writer;
    struct progress_value reached;
    failure_latch_init(&latch);
    progress_value_init(&reached);
    struct progress progress = progress_whole(&reached);
    arena_update_clock(&own.arena);
    ck_assert_int_eq(arena_reader_open(own.arena.fd, &reader), 0);
    json_writer_init_sink(&writer, append_text, text, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, &own.options, &writer, &progress, &latch), 0);
    ck_assert_uint_eq(progress_value_get(&reached), PROGRESS_SCALE);
    json_writer_fini(&writer);
    arena_reader_close(reader);
}

static cJSON *parse_json(struct text *text)
{
    cJSON *json = cJSON_ParseWithLength(text->bytes, text->length);
    ck_assert_msg(json != NULL, "no JSON: %s", text->bytes);
    free(text->bytes);
    return json;
}

static cJSON *make_profile(void)
{
    struct text text = { NULL, 0 };
    make_into(&text);
    cJSON_Delete(own.profile);
    own.profile = parse_json(&text);
    return own.profile;
}

static cJSON *get_member(const cJSON *object, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(item != NULL, "no \"%s\"", name);
    return item;
}

static cJSON *thread_at(int position)
{
    return cJSON_GetArrayItem(get_member(own.profile, "threads"), position);
}

static cJSON *table_rows(const cJSON *thread, const char *table)
{
    return get_member(get_member(thread, table), "data");
}

static const char *string_at(const cJSON *thread, const cJSON *index)
{
    ck_assert(cJSON_IsNumber(index));
    return cJSON_GetArrayItem(get_member(thread, "stringTable"), index->valueint)->valuestring;
}

/* "outer > inner" of the stack that a sample refers to; "null" for none. */
static const char *stack_text(const cJSON *thread, int sample_position)
{
    static char text[2048];
    const cJSON *stack =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "samples"), sample_position), 0);
    text[0] = '\0';
    if (cJSON_IsNull(stack))
        return "null";
    while (cJSON_IsNumber(stack)) {
        char rest[1024];
        cJSON *row = cJSON_GetArrayItem(table_rows(thread, "stackTable"), stack->valueint);
        int frame = cJSON_GetArrayItem(row, 1)->valueint;
        cJSON *frame_row = cJSON_GetArrayItem(table_rows(thread, "frameTable"), frame);
        ck_assert_uint_lt(strlen(text), sizeof(rest));
        memcpy(rest, text, strlen(text) + 1);
        snprintf(text, sizeof(text), "%s%s%s", string_at(thread, cJSON_GetArrayItem(frame_row, 0)),
                 rest[0] ? " > " : "", rest);
        stack = cJSON_GetArrayItem(row, 0);
    }
    return text;
}

static double cell_value(const cJSON *thread, const char *table, int row, int column)
{
    return cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, table), row), column)
        ->valuedouble;
}

static const struct stack_frame stack_a[] = { { 0x401100, false },
                                              { SITE_LABEL, true },
                                              { 0x401200, false } };
static const struct stack_frame stack_b[] = { { 0x401100, false },
                                              { SITE_LABEL, true },
                                              { 0x401300, false } };

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
    struct text text = { NULL, 0 };
    put_process();
    for (uint32_t i = 0; i < 200; i++)
        dictionary_put_thread(&own.dictionary, 100 + i, (int)i + 5000, false, ns_at(0), "owner");
    encode_tick(3);
    put_expensive_allocations();
    own.options.max_held_bytes = 4 << 20;
    make_into(&text);
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

START_TEST(libraries_carry_their_ids)
{
    put_process();
    const cJSON *lib = cJSON_GetArrayItem(get_member(make_profile(), "libs"), 0);
    ck_assert_double_eq(get_member(lib, "start")->valuedouble, 0x401000);
    ck_assert_double_eq(get_member(lib, "offset")->valuedouble, 0x1000);
    ck_assert_str_eq(get_member(lib, "name")->valuestring, "server");
    ck_assert_str_eq(get_member(lib, "breakpadId")->valuestring,
                     "0403020106050807090A0B0C0D0E0F100");
    ck_assert_str_eq(get_member(lib, "codeId")->valuestring,
                     "0102030405060708090a0b0c0d0e0f1011121314");
}
END_TEST

START_TEST(a_later_library_takes_the_place_of_those_below_it)
{
    static const uint64_t ranges[][2] = { { 0x9000, 0xa000 }, { 0x1000, 0x3000 },
                                          { 0x3000, 0x4000 }, { 0x5000, 0x6000 },
                                          { 0x2000, 0x5000 }, { 0x7000, 0x7000 } };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        struct dictionary_library library = { .start = ranges[i][0],
                                              .end = ranges[i][1],
                                              .path = "/lib/x.so" };
        dictionary_put_library(&own.dictionary, &library);
    }
    const cJSON *libs = get_member(make_profile(), "libs");
    static const double starts[] = { 0x2000, 0x5000, 0x9000 };
    ck_assert_int_eq(cJSON_GetArraySize(libs), 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq(get_member(cJSON_GetArrayItem(libs, i), "start")->valuedouble,
                            starts[i]);
}
END_TEST

START_TEST(the_main_thread_and_the_process_have_their_names)
{
    put_process();
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "name")->valuestring, "GeckoMain");
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server");
    ck_assert_str_eq(get_member(thread_at(1), "name")->valuestring, "pool");
    dictionary_put_process_name(&own.dictionary, ns_at(0), "server: worker 3");
    dictionary_put_thread_name(&own.dictionary, WORKER, ns_at(0), "renamed");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server: worker 3");
    ck_assert_str_eq(get_member(thread_at(1), "name")->valuestring, "renamed");
}
END_TEST

START_TEST(a_title_is_the_name_of_a_process_that_has_chosen_none)
{
    put_process();
    strcpy(own.arena.header->title, "server: idle");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server: idle");
    own.options.title = "/usr/bin/server 10.0.0.1/24";
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "server 10.0.0.1/24");
    dictionary_put_process_name(&own.dictionary, ns_at(0), "chosen");
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "chosen");
}
END_TEST

START_TEST(a_title_without_an_end_is_cut)
{
    char expect[ARENA_TITLE_BYTES] = "";

    memset(own.arena.header->title, 'x', ARENA_TITLE_BYTES);
    memset(expect, 'x', sizeof(expect) - 1);
    make_profile();
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, expect);
}
END_TEST

START_TEST(an_arena_without_records_is_a_process_with_a_main_thread)
{
    make_profile();
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "threads")), 1);
    ck_assert_str_eq(get_member(thread_at(0), "name")->valuestring, "GeckoMain");
    ck_assert_double_eq(get_member(thread_at(0), "pid")->valuedouble, PID);
}
END_TEST

START_TEST(images_of_one_pid_are_different_processes)
{
    put_process();
    own.options.later_images = 2;
    make_profile();
    ck_assert_double_eq(get_member(thread_at(0), "pid")->valuedouble, 20000000 + PID);
}
END_TEST

static const cJSON *told_of_process(const char *name)
{
    return get_member(
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd"), name);
}

START_TEST(what_was_used_until_an_exec_is_told_apart)
{
    put_process();
    own.options.process_start_ns = own.options.reference_ns + 2500000;
    own.options.cpu_time = (struct process_cpu_time){ 7000000, 0, CPU_TIME_TO_EXEC };
    make_profile();
    ck_assert(cJSON_IsNull(told_of_process("cpuTime")));
    ck_assert_double_eq(told_of_process("cpuTimeAtExec")->valuedouble, 7);
    ck_assert_double_eq(told_of_process("processStartTime")->valuedouble, 2.5);
}
END_TEST

START_TEST(when_a_process_began_may_not_be_known)
{
    put_process();
    own.options.cpu_time = (struct process_cpu_time){ 7000000, 0, CPU_TIME_TO_END };
    make_profile();
    ck_assert_double_eq(told_of_process("cpuTime")->valuedouble, 7);
    ck_assert(cJSON_IsNull(told_of_process("cpuTimeAtExec")));
    ck_assert(cJSON_IsNull(told_of_process("processStartTime")));
}
END_TEST

START_TEST(the_clock_is_told)
{
    put_process();
    atomic_store(&own.arena.header->sampling_clock, SAMPLING_CLOCK_CPU);
    atomic_store(&own.arena.header->sampling_clock_refusal, CLOCK_REFUSAL_FILTER);
    atomic_store(&own.arena.header->sampling_interval_ns, 2500000);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_str_eq(get_member(about, "clock")->valuestring, "cpu");
    ck_assert_double_eq(get_member(about, "clockInterval")->valuedouble, 2.5);
    ck_assert_str_eq(get_member(about, "clockRefused")->valuestring,
                     clock_refusal_text(CLOCK_REFUSAL_FILTER));
    ck_assert_double_eq(get_member(get_member(own.profile, "meta"), "interval")->valuedouble, 2.5);
}
END_TEST

START_TEST(who_has_no_clock_tells_none)
{
    put_process();
    atomic_store(&own.arena.header->sampling_interval_ns, 2500000);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert(cJSON_IsNull(get_member(about, "clock")));
    ck_assert(cJSON_IsNull(get_member(about, "clockInterval")));
    ck_assert(cJSON_IsNull(get_member(about, "clockRefused")));
    ck_assert_ptr_null(cJSON_GetObjectItem(get_member(own.profile, "meta"), "interval"));
}
END_TEST

START_TEST(the_verdict_is_shown)
{
    put_process();
    own.options.verdict = VERDICT_KILLED;
    own.options.code = 9;
    own.options.end_ns = ns_at(20 * MS);
    make_profile();
    const cJSON *row = cJSON_GetArrayItem(table_rows(thread_at(0), "markers"), 0);
    ck_assert_str_eq(get_member(cJSON_GetArrayItem(row, 5), "name")->valuestring,
                     "killed by signal 9");
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_str_eq(get_member(about, "verdict")->valuestring, "killed");
    ck_assert_int_eq(get_member(about, "code")->valueint, 9);
    ck_assert_int_eq(cJSON_GetArraySize(get_member(about, "commandLine")), 3);
    ck_assert_double_eq(get_member(get_member(own.profile, "meta"), "shutdownTime")->valuedouble,
                        20);
    ck_assert_double_eq(get_member(thread_at(1), "unregisterTime")->valuedouble, 20);
}
END_TEST

START_TEST(drops_are_counted_by_cause)
{
    put_process();
    arena_count_drop(&own.arena, DROP_LATE_SAMPLE, 3);
    make_profile();
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "4242"), "profd");
    ck_assert_int_eq(get_member(get_member(about, "events"), "late-sample")->valueint, 3);
    ck_assert_int_eq(
        get_member(get_member(get_member(about, "drops"), "memory-limit"), "blocks")->valueint, 0);
}
END_TEST

START_TEST(pauses_are_ranges)
{
    put_process();
    dictionary_put_pause(&own.dictionary, ns_at(3 * MS));
    dictionary_put_resume(&own.dictionary, ns_at(4 * MS));
    dictionary_put_pause(&own.dictionary, ns_at(6 * MS));
    const cJSON *ranges = get_member(make_profile(), "pausedRanges");
    ck_assert_int_eq(cJSON_GetArraySize(ranges), 2);
    ck_assert_double_eq(get_member(cJSON_GetArrayItem(ranges, 0), "endTime")->valuedouble, 4);
    ck_assert(cJSON_IsNull(get_member(cJSON_GetArrayItem(ranges, 1), "endTime")));
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

START_TEST(what_the_sink_refuses_ends_the_work)
{
    struct arena_reader *reader;
    struct failure_latch latch;
    struct json_writer writer;
    int closed = -1;
    failure_latch_init(&latch);
    put_process();
    ck_assert_int_eq(arena_reader_open(own.arena.fd, &reader), 0);
    json_writer_init_sink(&writer, json_sink_fd, &closed, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, &own.options, &writer, NULL, &latch), -EBADF);
    ck_assert_int_eq(failure_latch_error(&latch), -EBADF);
    json_writer_fini(&writer);
    arena_reader_close(reader);
}
END_TEST

START_TEST(an_unprofiled_process_is_listed_with_its_reason)
{
    struct gecko_unprofiled_process unprofiled = {
        .pid = 77, .parent_pid = 1, .start_ns = ns_at(0), .executable = "/bin/static"
    };
    struct failure_latch latch;
    struct json_writer writer;
    struct text text = { NULL, 0 };
    failure_latch_init(&latch);
    own.options.verdict = VERDICT_NOT_PROFILED;
    own.options.reason = "statically linked";
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_unprofiled(&unprofiled, &own.options, &writer, &latch), 0);
    json_writer_fini(&writer);
    own.profile = parse_json(&text);
    ck_assert_str_eq(get_member(thread_at(0), "processName")->valuestring, "static");
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "77"), "profd");
    ck_assert_str_eq(get_member(about, "reason")->valuestring, "statically linked");
    ck_assert_double_eq(get_member(about, "startTime")->valuedouble, 0);
}
END_TEST

START_TEST(a_process_known_by_its_end_has_no_start)
{
    struct gecko_unprofiled_process unprofiled = { .pid = 77, .executable = "/bin/static" };
    struct failure_latch latch;
    struct json_writer writer;
    struct text text = { NULL, 0 };
    failure_latch_init(&latch);
    own.options.end_ns = own.options.reference_ns + 3000000;
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_unprofiled(&unprofiled, &own.options, &writer, &latch), 0);
    json_writer_fini(&writer);
    own.profile = parse_json(&text);
    const cJSON *about =
        get_member(get_member(get_member(own.profile, "profilingLog"), "77"), "profd");
    ck_assert(cJSON_IsNull(get_member(about, "startTime")));
    ck_assert_double_eq(get_member(about, "endTime")->valuedouble, 3);
    ck_assert_double_eq(get_member(thread_at(0), "registerTime")->valuedouble, 3);
}
END_TEST

START_TEST(the_root_holds_the_processes)
{
    static const char *const features[] = { "stacks", "cpu", NULL };
    struct text text = { NULL, 0 };
    struct failure_latch latch;
    struct json_writer head, tail, log;
    struct gecko_root_options root = {
        .reference_ns = own.options.reference_ns,
        .reference_unix_ns = own.options.reference_unix_ns,
        .session_start_ns = own.start.monotonic_ns,
        .capture_ns = own.options.capture_ns,
        .interval_ns = MS,
        .memory_limit_bytes = 1 << 20,
        .pid = 99,
        .features = features,
        .thread_filters = "GeckoMain,pool",
    };
    failure_latch_init(&latch);
    put_process();
    encode_tick(3);
    encode_sample(MAIN, 3, 1000, stack_a, 3);
    encode_tick(4);
    encode_sample(MAIN, 4, 1000, stack_a, 3);
    encode_marker(ENTRY_TEXT_MARKER_INTERVAL, 5, 2, SITE_MARKER, "log.1");
    json_writer_init_sink(&head, append_text, &text, &latch);
    json_writer_init_sink(&tail, append_text, &text, &latch);
    json_writer_init(&log, &latch);
    gecko_root_begin(&head, &root);
    ck_assert_int_eq(json_writer_flush(&head), 0);
    make_into(&text);
    append_text(&text, ",", 1);
    own.options.later_images = 1;
    make_into(&text);
    json_start_object(&log);
    json_string_property(&log, "event", "gathered");
    json_end_object(&log);
    gecko_root_end(&tail, &root, &log);
    ck_assert_int_eq(json_writer_flush(&tail), 0);
    json_writer_fini(&head);
    json_writer_fini(&tail);
    json_writer_fini(&log);
    own.profile = parse_json(&text);
    const cJSON *meta = get_member(own.profile, "meta");
    ck_assert_int_eq(get_member(meta, "version")->valueint, 36);
    ck_assert_double_eq(get_member(meta, "interval")->valuedouble, 1);
    ck_assert_double_eq(get_member(meta, "profilingEndTime")->valuedouble, 1000);
    ck_assert_int_eq(cJSON_GetArraySize(get_member(own.profile, "processes")), 2);
    const cJSON *process = cJSON_GetArrayItem(get_member(own.profile, "processes"), 0);
    ck_assert_double_eq(get_member(meta, "startTime")->valuedouble, WALL_CLOCK_NS / 1e6);
    ck_assert_double_eq(get_member(get_member(process, "meta"), "startTime")->valuedouble,
                        get_member(meta, "startTime")->valuedouble);
    ck_assert(cJSON_Compare(get_member(get_member(process, "meta"), "categories"),
                            get_member(meta, "categories"), 1));
    const cJSON *events = get_member(get_member(own.profile, "profileGatheringLog"), "99");
    ck_assert_str_eq(get_member(events, "event")->valuestring, "gathered");
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("json.gecko_process");
    TCase *samples = add_case(suite, "samples");
    tcase_add_test(samples, stacks_become_frames_and_labels);
    tcase_add_test(samples, a_thread_that_slept_has_a_sample_for_every_tick);
    tcase_add_test(samples, quiet_ticks_are_ticks_evenly_apart);
    tcase_add_test(samples, a_late_sample_leaves_a_gap);
    tcase_add_test(samples, unregistered_threads_are_markers_of_the_main_thread);
    tcase_add_test(samples, event_delays_are_those_of_their_ticks);
    tcase_add_test(samples, the_longest_event_delay_is_a_number);
    tcase_add_test(samples, no_sample_after_the_thread_ended);
    tcase_add_test(samples, a_sample_that_was_found_after_the_end_is_of_the_end);
    tcase_add_test(samples, a_thread_that_ended_before_what_is_shown_is_not_there);
    tcase_add_test(samples, what_is_recorded_for_an_ended_thread_comes_before_its_end);
    tcase_add_test(samples, a_thread_without_samples_has_one_without_stack);
    tcase_add_test(samples, a_reused_index_is_another_thread);
    tcase_add_test(samples, samples_go_on_through_chunks);
    tcase_add_test(samples, truncated_stacks_have_a_root_that_says_so);
    tcase_add_test(samples, allocations_and_their_ends_are_markers_of_the_thread_that_allocated);
    tcase_add_test(samples, labels_that_look_like_code_are_kept_apart);
    TCase *marks = add_case(suite, "markers");
    tcase_add_loop_test(marks, markers_have_the_phase_and_times_of_their_kind, 0,
                        (int)(sizeof(markers) / sizeof(markers[0])));
    TCase *process = add_case(suite, "process");
    tcase_add_test(process, a_thread_without_a_record_keeps_its_data);
    tcase_add_test(process, what_an_arena_makes_its_reader_hold_is_bounded);
    tcase_add_test(process, what_programs_record_is_not_left_out);
    tcase_add_test(process, markers_and_samples_are_left_out_when_there_is_no_room);
    tcase_add_test(process, libraries_carry_their_ids);
    tcase_add_test(process, a_later_library_takes_the_place_of_those_below_it);
    tcase_add_test(process, the_main_thread_and_the_process_have_their_names);
    tcase_add_test(process, a_title_is_the_name_of_a_process_that_has_chosen_none);
    tcase_add_test(process, a_title_without_an_end_is_cut);
    tcase_add_test(process, an_arena_without_records_is_a_process_with_a_main_thread);
    tcase_add_test(process, images_of_one_pid_are_different_processes);
    tcase_add_test(process, what_was_used_until_an_exec_is_told_apart);
    tcase_add_test(process, when_a_process_began_may_not_be_known);
    tcase_add_test(process, the_clock_is_told);
    tcase_add_test(process, who_has_no_clock_tells_none);
    tcase_add_test(process, the_verdict_is_shown);
    tcase_add_test(process, drops_are_counted_by_cause);
    tcase_add_test(process, pauses_are_ranges);
    tcase_add_test(process, what_the_sink_refuses_ends_the_work);
    tcase_add_test(process, an_unprofiled_process_is_listed_with_its_reason);
    tcase_add_test(process, a_process_known_by_its_end_has_no_start);
    tcase_add_test(process, the_root_holds_the_processes);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
