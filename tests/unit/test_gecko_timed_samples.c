/* json.gecko_timed_samples: what threads wrote of themselves, among the rows of ticks. */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/chunk_manager.h"
#include "buffer/clock.h"
#include "buffer/dictionary.h"
#include "buffer/sample_encoder.h"
#include "buffer/sampler_entry.h"
#include "json/gecko/gecko_process.h"

enum { MAIN = 1, WORKER = 2, PID = 4242, WRITERS = 2, SLOTS = 64 };

static const uint64_t MS = 1000000;

/* One arena, with chunks that several threads share in turn, and the profile made from it. */
static struct {
    struct arena arena;
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer writers[WRITERS];
    struct sample_encoder *encoders[WRITERS], *encoder; /* the first, which has the ticks */
    struct clock_pair start;
    double ns_per_tick;
    struct gecko_process_options options;
    cJSON *profile;
} own;

static uint64_t ticks_at(uint64_t ns)
{
    return own.start.ticks + (uint64_t)((double)ns / own.ns_per_tick);
}

static uint64_t ns_at(uint64_t ns)
{
    return own.start.monotonic_ns + ns;
}

/* Calibration needs two readings some time apart. */
static void wait_for_the_clock(void)
{
    const struct clock_pair first = own.arena.header->first_pair;
    do
        own.start = clock_read_pair();
    while (own.start.monotonic_ns - first.monotonic_ns < 5 * MS);
    own.ns_per_tick = clock_calibrate(first, own.start, 1.0).ns_per_tick;
}

static void set_up(void)
{
    memset(&own, 0, sizeof(own));
    clock_initialize();
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &own.arena), 0);
    wait_for_the_clock();
    dictionary_init(&own.dictionary, &own.arena);
    ck_assert_int_eq(chunk_manager_create(&own.arena, 1, SLOTS * CHUNK_BYTES, &own.manager), 0);
    own.arena.header->process_id = PID;
    own.arena.header->process_start_ns = own.start.monotonic_ns;
    atomic_store(&own.arena.header->session_start_ns, own.start.monotonic_ns);
    for (int i = 0; i < WRITERS; i++) {
        chunk_writer_init_in_handler(&own.writers[i], own.manager, CHUNK_WRITER_SAMPLER);
        ck_assert_int_eq(sample_encoder_create(&own.writers[i], 16, &own.encoders[i]), 0);
    }
    own.encoder = own.encoders[0];
    own.options.reference_ns = own.start.monotonic_ns;
    own.options.capture_ns = own.start.monotonic_ns + 1000 * MS;
    dictionary_put_thread(&own.dictionary, MAIN, PID, true, ns_at(0), "server");
    dictionary_put_thread(&own.dictionary, WORKER, PID + 1, false, ns_at(2 * MS), "pool");
}

static void tear_down(void)
{
    cJSON_Delete(own.profile);
    for (int i = 0; i < WRITERS; i++) {
        sample_encoder_destroy(own.encoders[i]);
        chunk_writer_finish(&own.writers[i]);
    }
    chunk_manager_destroy(own.manager);
    arena_destroy(&own.arena);
}

/* --- Writing: stacks are one frame of the program, then one of each in a text --- */

/* "ab" is a stack of three frames, innermost b. */
static uint32_t stack_of(const char *text, struct stack_frame *frames)
{
    uint32_t depth = 0;
    frames[depth++] = (struct stack_frame){ 0x401000, false };
    for (; *text != '\0'; text++)
        frames[depth++] = (struct stack_frame){ (uint64_t)*text, false };
    return depth;
}

static void timed_by(struct sample_encoder *encoder, uint32_t thread, uint64_t ms, uint64_t cpu_us,
                     const char *stack)
{
    struct stack_frame frames[16];
    uint32_t depth = stack_of(stack, frames);
    ck_assert_int_eq(sample_encoder_timed_sample(encoder, thread, ticks_at(ms * MS), cpu_us, frames,
                                                 depth, false),
                     0);
}

static void encode_sample(uint32_t thread, uint64_t ms, uint64_t cpu_us, const char *stack)
{
    timed_by(own.encoder, thread, ms, cpu_us, stack);
}

static void thread_cpu(uint32_t thread, uint64_t ms, uint64_t cpu_us)
{
    ck_assert_int_eq(sample_encoder_thread_cpu(own.encoder, thread, ticks_at(ms * MS), cpu_us), 0);
}

static void encode_tick(uint64_t ms)
{
    ck_assert_int_eq(sample_encoder_tick(own.encoder, ticks_at(ms * MS)), 0);
}

/* A thread that sleeps is looked at. */
static void encode_look(uint32_t thread, uint64_t ms, const char *stack)
{
    struct stack_frame frames[16];
    uint32_t depth = stack_of(stack, frames);
    ck_assert_int_eq(
        sample_encoder_sample(own.encoder, thread, ticks_at(ms * MS), 0, frames, depth, false), 0);
}

/* An entry as it is, with its kind. */
static void put_raw(struct chunk_writer *writer, const char *bytes, size_t count)
{
    ck_assert_int_eq(chunk_writer_put(writer, (const uint8_t *)bytes, count), 0);
}

/* --- Reading --- */

struct text {
    char *bytes;
    size_t length;
};

static int append_text(void *context, const char *bytes, size_t n)
{
    struct text *text = context;
    text->bytes = realloc(text->bytes, text->length + n);
    ck_assert_ptr_nonnull(text->bytes);
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    return 0;
}

static void make_profile(void)
{
    struct text text = { NULL, 0 };
    struct arena_reader *reader;
    struct failure_latch latch;
    struct json_writer writer;
    failure_latch_init(&latch);
    arena_update_clock(&own.arena);
    ck_assert_int_eq(arena_reader_open(own.arena.fd, &reader), 0);
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, &own.options, &writer, NULL, &latch), 0);
    json_writer_fini(&writer);
    arena_reader_close(reader);
    cJSON_Delete(own.profile);
    own.profile = cJSON_ParseWithLength(text.bytes, text.length);
    ck_assert_ptr_nonnull(own.profile);
    free(text.bytes);
}

static cJSON *get_member(const cJSON *object, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    ck_assert_msg(item != NULL, "no \"%s\"", name);
    return item;
}

static const cJSON *table_rows(int thread, const char *table)
{
    return get_member(
        get_member(cJSON_GetArrayItem(get_member(own.profile, "threads"), thread), table), "data");
}

static double cell_value(const cJSON *table, int row, int column)
{
    return cJSON_GetArrayItem(cJSON_GetArrayItem(table, row), column)->valuedouble;
}

/* The stack as it was written, without its first frame; "-" for none. */
static const char *stack_text(int thread, int row)
{
    static char text[64];
    char *out = text + sizeof(text) - 1;
    const cJSON *strings =
        get_member(cJSON_GetArrayItem(get_member(own.profile, "threads"), thread), "stringTable");
    const cJSON *stack =
        cJSON_GetArrayItem(cJSON_GetArrayItem(table_rows(thread, "samples"), row), 0);
    if (cJSON_IsNull(stack))
        return "-";
    while (cJSON_IsNumber(stack)) {
        const cJSON *stack_row =
            cJSON_GetArrayItem(table_rows(thread, "stackTable"), stack->valueint);
        int frame = (int)cell_value(table_rows(thread, "stackTable"), stack->valueint, 1);
        int location = (int)cell_value(table_rows(thread, "frameTable"), frame, 0);
        const char *address = cJSON_GetArrayItem(strings, location)->valuestring;
        unsigned long value = strtoul(address, NULL, 16);
        ck_assert_ptr_ne(out, text);
        if (value != 0x401000)
            *--out = address[0] == '(' ? '(' : (char)value;
        stack = cJSON_GetArrayItem(stack_row, 0);
    }
    return out;
}

static uint64_t bad_blocks(void)
{
    const cJSON *log = get_member(own.profile, "profilingLog");
    return (uint64_t)get_member(get_member(cJSON_GetArrayItem(log, 0), "profd"), "badBlocks")
        ->valuedouble;
}

struct row {
    double ms, cpu_us;
    const char *stack;
};

static void assert_rows(int thread, const struct row *expected, int count)
{
    const cJSON *samples = table_rows(thread, "samples");
    ck_assert_int_eq(cJSON_GetArraySize(samples), count);
    for (int i = 0; i < count; i++) {
        ck_assert_double_eq_tol(cell_value(samples, i, 1), expected[i].ms, 0.01);
        ck_assert_double_eq(cell_value(samples, i, 3), expected[i].cpu_us);
        ck_assert_str_eq(stack_text(thread, i), expected[i].stack);
    }
}

#define ASSERT_ROWS(THREAD, ...)                                                                   \
    do {                                                                                           \
        const struct row expected_rows[] = { __VA_ARGS__ };                                        \
        assert_rows(THREAD, expected_rows, sizeof(expected_rows) / sizeof(expected_rows[0]));      \
    } while (0)

/* --- Samples --- */

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

/* --- Among ticks --- */

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
    timed_by(own.encoders[1], MAIN, 8, 4000, "ac");
    encode_tick(9);
    encode_tick(10);
    encode_look(MAIN, 10, "aw");
    encode_tick(11);
    make_profile();
    ASSERT_ROWS(0, { 3, 4000, "ab" }, { 5, 0, "aw" }, { 6, 0, "aw" }, { 7, 0, "aw" },
                { 8, 4000, "ac" }, { 10, 0, "aw" }, { 11, 0, "aw" });
    ck_assert_uint_eq(bad_blocks(), 0);
}
END_TEST

START_TEST(a_look_may_come_first)
{
    encode_tick(3);
    encode_tick(4);
    encode_look(MAIN, 4, "aw");
    encode_tick(5);
    encode_sample(MAIN, 6, 4000, "ab");
    encode_tick(7);
    make_profile();
    ASSERT_ROWS(0, { 4, 0, "aw" }, { 5, 0, "aw" }, { 6, 4000, "ab" });
}
END_TEST

START_TEST(a_row_of_a_tick_and_a_timed_one_share_their_stack)
{
    encode_tick(3);
    encode_look(MAIN, 3, "aw");
    encode_sample(MAIN, 4, 4000, "aw"); /* which is written as "the same" */
    encode_tick(5);
    encode_look(MAIN, 5, "aw");
    make_profile();
    ASSERT_ROWS(0, { 3, 0, "aw" }, { 4, 4000, "aw" }, { 5, 0, "aw" });
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

/* --- Threads --- */

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

/* --- Damage --- */

START_TEST(samples_for_which_there_is_no_room_are_left_out_and_counted)
{
    for (uint64_t i = 0; i < 1000; i++) {
        encode_sample(MAIN, 3, i, "ab");
        thread_cpu(MAIN, 3, i);
    }
    own.options.max_held_bytes = 4096;
    make_profile();
    int shown = cJSON_GetArraySize(table_rows(0, "samples"));
    ck_assert_int_gt(shown, 10);
    ck_assert_int_lt(shown, 4096 / 16);
    const cJSON *log =
        get_member(cJSON_GetArrayItem(get_member(own.profile, "profilingLog"), 0), "profd");
    ck_assert_int_eq(get_member(log, "leftOutEntries")->valueint, 2000 - shown);
}
END_TEST

static const struct {
    const char *claim;
    const char *bytes;
    size_t count;
} damaged[] = {
    { "nothing but its kind", "\x26", 1 },
    { "a number that goes on behind the end", "\x26\x01\xff", 3 },
    { "without CPU use", "\x28\x01\x05", 3 },
    { "a thread above 32 bits", "\x28\xff\xff\xff\xff\x1f\x05\x05", 8 },
    { "more behind the end", "\x28\x01\x05\x05\x05", 5 },
    { "CPU use, and more behind the end", "\x29\x01\x05\x05\x05", 5 },
    { "CPU use that goes on behind the end", "\x29\x01\x05\x80", 4 },
    { "frames that nobody wrote", "\x26\x01\x05\x05\x04\x00", 6 },
    { "fewer frames than it says", "\x26\x01\x05\x05\x00\x02\x04", 7 },
    { "more frames than it says", "\x26\x01\x05\x05\x00\x01\x04\x04", 8 },
    { "more frames than there may be", "\x26\x01\x05\x05\x00\x81\x08\x04", 8 },
    { "a truncated one, cut", "\x27\x01\x05\x05\x00\x01\x84", 7 },
    { "a site above 32 bits", "\x27\x01\x05\x05\x00\x01\xff\xff\xff\xff\x7f", 11 },
    { "the same as nothing", "\x28\x01\x05\x05", 4 },
};

START_TEST(a_damaged_entry_is_counted_and_shows_no_stack)
{
    encode_sample(MAIN, 0, 1, "ab");
    chunk_writer_finish(&own.writers[0]);
    put_raw(&own.writers[0], damaged[_i].bytes, damaged[_i].count);
    make_profile();
    ck_assert_msg(bad_blocks() == 1, "%s", damaged[_i].claim);
    for (int i = 1; i < cJSON_GetArraySize(table_rows(0, "samples")); i++)
        ck_assert_str_eq(stack_text(0, i), "-");
    /* What comes after is read. */
    encode_sample(MAIN, 900, 2, "ab");
    encode_sample(MAIN, 901, 3, "ab");
    make_profile();
    int last = cJSON_GetArraySize(table_rows(0, "samples")) - 1;
    ck_assert_msg(bad_blocks() == 1, "%s", damaged[_i].claim);
    ck_assert_int_ge(last, 2);
    for (int i = last - 1; i <= last; i++) {
        ck_assert_str_eq(stack_text(0, i), "ab");
        ck_assert_double_eq(cell_value(table_rows(0, "samples"), i, 3), i == last ? 3 : 2);
    }
}
END_TEST

START_TEST(what_is_the_same_as_a_damaged_stack_has_none)
{
    encode_sample(MAIN, 3, 1, "ab");
    put_raw(&own.writers[0], "\x26\x01\x05\x05\x00\x02\x04", 7);
    encode_sample(MAIN, 4, 2, "ab");
    make_profile();
    ck_assert_uint_eq(bad_blocks(), 1);
    ASSERT_ROWS(0, { 3, 1, "ab" }, { 4, 2, "-" });
}
END_TEST

START_TEST(timed_entries_in_the_chunk_of_a_thread_are_damage)
{
    struct chunk_writer writer;
    chunk_writer_init(&writer, own.manager, MAIN);
    for (char kind = ENTRY_TIMED_SAMPLE; kind <= ENTRY_THREAD_CPU; kind++) {
        const char entry[] = { kind, MAIN, 5, 5 };
        put_raw(&writer, entry, sizeof(entry));
    }
    make_profile();
    ck_assert_uint_eq(bad_blocks(), 4);
    ck_assert_int_eq(cJSON_GetArraySize(table_rows(0, "samples")), 1);
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
    Suite *suite = suite_create("json.gecko_timed_samples");
    TCase *samples = add_case(suite, "samples");
    tcase_add_test(samples, timed_samples_are_rows_without_any_tick);
    tcase_add_test(samples, threads_share_a_chunk);
    tcase_add_test(samples, samples_of_several_chunks_are_put_in_order);
    tcase_add_test(samples, times_that_go_backwards_are_put_in_order);
    tcase_add_test(samples, cpu_use_without_a_sample_has_no_stack);
    tcase_add_test(samples, truncated_stacks_have_a_root_that_says_so);
    tcase_add_test(samples, a_stack_goes_on_in_the_next_chunk);
    TCase *ticks = add_case(suite, "among ticks");
    tcase_add_test(ticks, no_idle_row_is_made_up_behind_a_timed_one);
    tcase_add_test(ticks, a_thread_that_was_seen_asleep_has_rows_until_it_tells_of_itself);
    tcase_add_test(ticks, a_look_may_come_first);
    tcase_add_test(ticks, a_row_of_a_tick_and_a_timed_one_share_their_stack);
    tcase_add_test(ticks, cpu_use_alone_ends_idle_rows_too);
    tcase_add_test(ticks, a_late_one_is_no_row_among_timed_ones);
    tcase_add_test(ticks, a_timed_row_tells_the_event_delay_of_the_last_tick);
    tcase_add_test(ticks, counters_are_of_their_tick_whatever_came_after_it);
    TCase *threads = add_case(suite, "threads");
    tcase_add_test(threads, what_comes_after_the_end_of_a_thread_is_of_its_end);
    tcase_add_test(threads, what_is_too_old_is_not_shown);
    tcase_add_test(threads, a_reused_index_is_another_thread);
    tcase_add_test(threads, a_thread_without_a_record_keeps_its_samples);
    TCase *damage = add_case(suite, "damage");
    tcase_add_test(damage, samples_for_which_there_is_no_room_are_left_out_and_counted);
    tcase_add_loop_test(damage, a_damaged_entry_is_counted_and_shows_no_stack, 0,
                        sizeof(damaged) / sizeof(damaged[0]));
    tcase_add_test(damage, what_is_the_same_as_a_damaged_stack_has_none);
    tcase_add_test(damage, timed_entries_in_the_chunk_of_a_thread_are_damage);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
