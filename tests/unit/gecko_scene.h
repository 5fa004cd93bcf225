/* One arena, with writers for the sampler and one thread, and the profile that is made of it and
 * parsed back. */
#ifndef TESTS_UNIT_GECKO_SCENE_H
#define TESTS_UNIT_GECKO_SCENE_H

#include <check.h>
#include <string.h>

#include "buffer/chunk_manager.h"
#include "buffer/chunk_writer.h"
#include "buffer/clock.h"
#include "buffer/dictionary.h"
#include "buffer/sample_encoder.h"
#include "tests/unit/gecko_json.h"

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

static inline void encode_marker(enum entry_kind kind, uint64_t ms, uint64_t duration_ms,
                                 uint32_t site, const char *text)
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

static cJSON *make_profile(void)
{
    cJSON_Delete(own.profile);
    own.profile = parse_arena(&own.arena, &own.options);
    return own.profile;
}

static cJSON *thread_at(int position)
{
    return cJSON_GetArrayItem(get_member(own.profile, "threads"), position);
}

static cJSON *table_rows(const cJSON *thread, const char *table)
{
    return get_member(get_member(thread, table), "data");
}

static const struct stack_frame stack_a[]
    __attribute__((unused)) = { { 0x401100, false }, { SITE_LABEL, true }, { 0x401200, false } };
static const struct stack_frame stack_b[]
    __attribute__((unused)) = { { 0x401100, false }, { SITE_LABEL, true }, { 0x401300, false } };

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

#endif
