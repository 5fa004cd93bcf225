/* A valid arena with something of everything. */
#ifndef TESTS_UNIT_VALID_ARENA_H
#define TESTS_UNIT_VALID_ARENA_H

#include <check.h>

#include "buffer/arena_reader.h"
#include "buffer/sample_encoder.h"
#include "buffer/sampler_entry.h"

enum {
    SLOTS = 4,
    DICTIONARY_RECORDS = 40,
    THREADS = 4,
    COUNTERS = 20,
    FULL_MARKER_BYTES = 8, /* without a payload */
};

static struct arena arena;
static struct chunk_manager *manager;
static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state >> 3;
}

static uint64_t random_below(uint64_t bound)
{
    return random_next() % bound;
}

static void seed_random(uint64_t seed)
{
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 8; i++)
        random_next();
}

static void fill_dictionary(void)
{
    static const uint8_t build_id[20] = { 1, 2, 3 };
    struct dictionary dictionary;
    dictionary_init(&dictionary, &arena);
    dictionary_put_process(&dictionary, 1, 2, 3, "/bin/program", "program\0-x", 11);
    for (uint32_t i = 0; i < DICTIONARY_RECORDS; i++) {
        struct dictionary_library library = {
            i, i * 4096, i * 4096 + 100, 0, "/lib/some.so", build_id, sizeof(build_id)
        };
        struct dictionary_site site = { i, CATEGORY_FIRST_OWN, i, "name", "function", "file.c" };
        dictionary_put_thread(&dictionary, i, (pid_t)i, i == 0, i, "thread");
        dictionary_put_thread_name(&dictionary, i, i, "renamed");
        dictionary_put_library(&dictionary, &library);
        dictionary_put_site(&dictionary, &site);
        dictionary_put_log(&dictionary, i, "text");
        dictionary_put_thread_end(&dictionary, i, i);
        dictionary_put_library_end(&dictionary, i, i * 4096);
    }
    for (uint32_t i = 0; i < COUNTERS; i++)
        dictionary_put_counter(&dictionary, i, "counter", "Category", "description");
    dictionary_put_category(&dictionary, CATEGORY_FIRST_OWN, "red", "Own");
    dictionary_put_subcategory(&dictionary, CATEGORY_FIRST_OWN + 1, CATEGORY_FIRST_OWN, "Part");
    dictionary_put_process_name(&dictionary, 1, "worker");
    dictionary_put_pause(&dictionary, 1);
    dictionary_put_resume(&dictionary, 1);
}

static void put_counters(struct sample_encoder *encoder, uint64_t tick)
{
    uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];
    struct counter_total before[COUNTERS] = { { 0 } }, now[COUNTERS];
    for (uint32_t i = 0; i < COUNTERS; i++)
        now[i] = (struct counter_total){ (int64_t)random_below(1000), i };
    size_t bytes = tick % 50 == 0 ? counter_totals_entry_write(entry, 5, now, COUNTERS)
                                  : counters_entry_write(entry, 5, before, now, COUNTERS);
    ck_assert_int_eq(sample_encoder_put(encoder, entry, bytes), 0);
}

/* Two samples that a thread took of itself, the second the same as the first, and what it used
 * besides. */
static void put_timed(struct sample_encoder *encoder, uint64_t tick,
                      const struct stack_frame *frames)
{
    uint32_t thread = (uint32_t)(tick % THREADS), depth = 1 + (uint32_t)random_below(60);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(sample_encoder_timed_sample(encoder, thread, clock_ticks(), tick, frames,
                                                     depth, tick % 5 == 0),
                         0);
    ck_assert_int_eq(sample_encoder_thread_cpu(encoder, thread, clock_ticks() - 1000, tick), 0);
}

static void fill_sampler_chunks(void)
{
    static struct stack_frame frames[SAMPLE_MAX_FRAMES];
    struct chunk_writer writer;
    struct sample_encoder *encoder;
    chunk_writer_init(&writer, manager, CHUNK_WRITER_SAMPLER);
    ck_assert_int_eq(sample_encoder_create(&writer, THREADS, &encoder), 0);
    for (uint64_t tick = 0; tick < 300; tick++) {
        ck_assert_int_eq(sample_encoder_tick(encoder, clock_ticks()), 0);
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            uint32_t depth = tick % 50 == 0 ? SAMPLE_MAX_FRAMES : 1 + (uint32_t)random_below(60);
            for (uint32_t i = 0; i < depth; i++)
                frames[i] = (struct stack_frame){ random_below(1 << 30), random_below(4) == 0 };
            ck_assert_int_eq(sample_encoder_sample(encoder, thread, clock_ticks(), tick, frames,
                                                   depth, depth == SAMPLE_MAX_FRAMES),
                             0);
        }
        ck_assert_int_eq(sample_encoder_late(encoder, 1), 0);
        put_timed(encoder, tick, frames);
        if (tick % 7 == 0)
            ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, 7, clock_ticks()), 0);
        put_counters(encoder, tick);
    }
    chunk_writer_finish(&writer);
    sample_encoder_destroy(encoder);
}

static void fill_marker_chunk(void)
{
    struct chunk_writer writer;
    chunk_writer_init(&writer, manager, 0);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned kind = i % (ENTRY_FULL_MARKER - ENTRY_MARKER + 1);
        uint8_t entry[32] = { (uint8_t)(ENTRY_MARKER + kind), 1, 2, 3 };
        bool is_full = ENTRY_MARKER + kind == ENTRY_FULL_MARKER, is_interval = kind % 4 == 3;
        size_t bytes = is_full ? FULL_MARKER_BYTES : 3 + is_interval;
        if (kind >= ENTRY_TEXT_OFFSET)
            bytes += i % 20;
        ck_assert_int_eq(chunk_writer_put(&writer, entry, bytes), 0);
    }
    /* Stays in use, as of a process that was killed. */
}

static void set_up(void)
{
    seed_random(99);
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, SLOTS * CHUNK_BYTES, &manager), 0);
    fill_dictionary();
    fill_sampler_chunks();
    fill_marker_chunk();
    arena_update_clock(&arena);
}

static void tear_down(void)
{
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

#endif
