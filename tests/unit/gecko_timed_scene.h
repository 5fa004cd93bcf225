/* One arena, with chunks that several threads share in turn, and the profile that is made of it and
 * parsed back. */
#ifndef TESTS_UNIT_GECKO_TIMED_SCENE_H
#define TESTS_UNIT_GECKO_TIMED_SCENE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/chunk_manager.h"
#include "buffer/clock.h"
#include "buffer/dictionary.h"
#include "buffer/sample_encoder.h"
#include "tests/unit/gecko_json.h"

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

static inline void encode_tick(uint64_t ms)
{
    ck_assert_int_eq(sample_encoder_tick(own.encoder, ticks_at(ms * MS)), 0);
}

static void make_profile(void)
{
    cJSON_Delete(own.profile);
    own.profile = parse_arena(&own.arena, &own.options);
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

/* The rate of the ticks is measured between two moments that are close together. */
static void assert_rows(int thread, const struct row *expected, int count)
{
    const cJSON *samples = table_rows(thread, "samples");
    ck_assert_int_eq(cJSON_GetArraySize(samples), count);
    for (int i = 0; i < count; i++) {
        ck_assert_double_eq_tol(cell_value(samples, i, 1), expected[i].ms, 0.1);
        ck_assert_double_eq(cell_value(samples, i, 3), expected[i].cpu_us);
        ck_assert_str_eq(stack_text(thread, i), expected[i].stack);
    }
}

#define ASSERT_ROWS(THREAD, ...)                                                                   \
    do {                                                                                           \
        const struct row expected_rows[] = { __VA_ARGS__ };                                        \
        assert_rows(THREAD, expected_rows, sizeof(expected_rows) / sizeof(expected_rows[0]));      \
    } while (0)

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#endif
