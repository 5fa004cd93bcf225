/* One arena, with a writer for the sampler, and the profile that is made of it and parsed back. */
#ifndef TESTS_UNIT_GECKO_COUNTERS_SCENE_H
#define TESTS_UNIT_GECKO_COUNTERS_SCENE_H

#include <check.h>
#include <string.h>

#include "buffer/chunk_manager.h"
#include "buffer/sample_encoder.h"
#include "buffer/sampler_entry.h"
#include "tests/unit/gecko_json.h"

enum { COUNTERS = 3, WORK = 0, MEMORY = 1, UNTOLD = 2 };

static const uint64_t MS = 1000000;

static struct {
    struct arena arena;
    struct dictionary dictionary;
    struct chunk_manager *manager;
    struct chunk_writer writer;
    struct sample_encoder *encoder;
    struct clock_pair start;
    double ns_per_tick;
    struct counter_total written[COUNTERS], now[COUNTERS];
    struct gecko_process_options options;
    cJSON *profile;
} own;

static void set_up(void)
{
    memset(&own, 0, sizeof(own));
    clock_initialize();
    ck_assert_int_eq(arena_create(8 * CHUNK_BYTES, &own.arena), 0);
    dictionary_init(&own.dictionary, &own.arena);
    ck_assert_int_eq(chunk_manager_create(&own.arena, 1, 8 * CHUNK_BYTES, &own.manager), 0);
    own.start = clock_read_pair();
    /* Calibration needs two readings some time apart. */
    struct clock_pair later = own.start;
    while (later.monotonic_ns - own.start.monotonic_ns < 5 * MS)
        later = clock_read_pair();
    own.ns_per_tick = clock_calibrate(own.start, later, 1.0).ns_per_tick;
    own.arena.header->process_id = 4242;
    own.arena.header->process_start_ns = own.start.monotonic_ns;
    atomic_store(&own.arena.header->session_start_ns, own.start.monotonic_ns);
    chunk_writer_init(&own.writer, own.manager, CHUNK_WRITER_SAMPLER);
    ck_assert_int_eq(sample_encoder_create(&own.writer, 16, &own.encoder), 0);
    own.options.reference_ns = own.start.monotonic_ns;
    own.options.capture_ns = own.start.monotonic_ns + 1000 * MS;
    dictionary_put_counter(&own.dictionary, WORK, "work", "Work", "what was \"done\"");
    dictionary_put_counter(&own.dictionary, MEMORY, "heap", "Memory", "");
    dictionary_put_counter(&own.dictionary, UNTOLD, "untold", "Work", "");
}

static void tear_down(void)
{
    cJSON_Delete(own.profile);
    sample_encoder_destroy(own.encoder);
    chunk_writer_finish(&own.writer);
    chunk_manager_destroy(own.manager);
    arena_destroy(&own.arena);
}

static uint64_t ticks_of_ms(double ms)
{
    return (uint64_t)(ms * 1e6 / own.ns_per_tick);
}

static void encode_tick(uint64_t ms)
{
    ck_assert_int_eq(sample_encoder_tick(own.encoder, own.start.ticks + ticks_of_ms((double)ms)),
                     0);
}

static void make_profile(void)
{
    own.profile = parse_arena(&own.arena, &own.options);
}

#endif
