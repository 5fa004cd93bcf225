/* Damaged arenas: valid ones, with bytes changed by a seeded generator, are read block by block,
 * and some made into JSON as well.
 *
 * FUZZ_ROUNDS sets the number of damaged arenas (2000 unless told), FUZZ_SEED where they start. A
 * failure names the seed of its round; FUZZ_SEED=that with FUZZ_ROUNDS=1 repeats it. */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/sample_encoder.h"
#include "buffer/sampler_entry.h"
#include "json/gecko/gecko_process.h"

enum {
    SLOTS = 4,
    DEFAULT_ROUNDS = 2000,
    ROUNDS_PER_TEST = 100,
    MAX_DAMAGES = 40,
    DICTIONARY_RECORDS = 40,
    THREADS = 4,
    COUNTERS = 20,
    ROUNDS_PER_JSON = 10,  /* it takes much longer than reading */
    FULL_MARKER_BYTES = 8, /* without a payload */
};

static struct arena arena;
static struct chunk_manager *manager;
static struct chunk_copy copy;
static struct stack_state states[THREADS];
static uint64_t random_state, first_seed = 1;
static int round_count = DEFAULT_ROUNDS;
static volatile uint64_t sink; /* so that every byte that is handed out is read */

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

/* --- A valid arena with something of everything --- */

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

/* --- Reading all of it --- */

static void look_at(const void *bytes, size_t length)
{
    const uint8_t *in = bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += in[i];
    sink += sum;
}

static void look_at_string(struct arena_string string)
{
    look_at(string.bytes, string.length);
}

static void read_records(struct arena_reader *reader)
{
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1) {
        look_at_string(record.name);
        look_at_string(record.extra);
        look_at_string(record.file);
    }
}

static int read_sample(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct sample_entry sample;
    if (kind == ENTRY_SAME || kind == ENTRY_TIMED_SAME || kind == ENTRY_THREAD_CPU)
        return entry_decode_same(payload, bytes, &sample);
    int result = entry_decode_sample(payload, bytes, &sample);
    if (result != 0)
        return result;
    struct stack_state *state = &states[sample.thread_index % THREADS];
    result = sample_decode_stack(&sample, state);
    if (state->depth > SAMPLE_MAX_FRAMES) /* a claim for each would take longer than all the rest */
        ck_abort_msg("a stack of %zu frames", (size_t)state->depth);
    look_at(state->frames, state->depth * sizeof(state->frames[0]));
    return result;
}

static int read_counters(const uint8_t *payload, size_t bytes)
{
    uint64_t ticks;
    struct counter_cursor cursor;
    struct counter_change change;
    int found = entry_decode_counters(payload, bytes, &ticks, &cursor);
    while (found >= 0 && (found = counter_cursor_next(&cursor, &change)) == 1)
        if (change.index >= COUNTERS_MAX)
            ck_abort_msg("counter %zu", (size_t)change.index);
    return found;
}

static int read_entry(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    uint64_t delta;
    uint32_t thread_index, count;
    struct marker_entry marker;
    int result;
    switch (kind) {
    case ENTRY_TICK:
        return entry_decode_tick(payload, bytes, &delta);
    case ENTRY_QUIET_TICKS:
        return entry_decode_quiet_ticks(payload, bytes, &count, &delta);
    case ENTRY_LATE:
        return entry_decode_late(payload, bytes, &thread_index);
    case ENTRY_COUNTERS:
    case ENTRY_COUNTER_TOTALS:
        return read_counters(payload, bytes);
    case ENTRY_SAMPLE:
    case ENTRY_SAMPLE_TRUNCATED:
    case ENTRY_SAME:
    case ENTRY_TIMED_SAMPLE:
    case ENTRY_TIMED_SAMPLE_TRUNCATED:
    case ENTRY_TIMED_SAME:
    case ENTRY_THREAD_CPU:
        return read_sample(kind, payload, bytes);
    default:
        result = entry_decode_marker(kind, payload, bytes, &marker);
        if (result == 0)
            look_at_string(marker.text);
        return result;
    }
}

/* Returns how many entries were good. */
static uint64_t read_chunk(void)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t bytes;
    uint64_t good = 0;
    for (int i = 0; i < THREADS; i++)
        states[i].depth = 0;
    sink += clock_to_ns(&copy.calibration, copy.start_ticks);
    block_cursor_init(&cursor, &copy);
    while (block_cursor_next(&cursor, &kind, &payload, &bytes) == 1) {
        int result = read_entry(kind, payload, bytes);
        if (result != 0 && result != -EPROTO)
            ck_abort_msg("an entry was refused with %d", result);
        good += result == 0;
    }
    return good;
}

/* Returns how many entries were good; closes READER. */
static uint64_t read_everything(struct arena_reader *reader)
{
    struct arena_info info;
    uint64_t good = 0;
    read_records(reader);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        int result = arena_reader_copy_chunk(reader, i, &copy);
        if (result == 0)
            good += read_chunk();
        else
            ck_assert_int_eq(result, -EPROTO);
    }
    arena_reader_info(reader, &info);
    ck_assert_uint_le(info.kept_bytes, SLOTS * (uint64_t)CHUNK_BUFFER_BYTES);
    arena_reader_close(reader);
    return good;
}

/* --- Damage --- */

/* A place worth damaging: in the header, the dictionary, a chunk's header, or its blocks. */
static size_t random_place(void)
{
    const struct arena_header *header = arena.header;
    uint64_t chunk = header->chunks_offset + random_below(SLOTS) * CHUNK_BYTES;
    switch (random_below(8)) {
    case 0:
        return random_below(sizeof(*header));
    case 1:
    case 2:
        return header->dictionary_offset + random_below(4096);
    case 3:
        return chunk + random_below(CHUNK_HEADER_BYTES);
    default:
        return chunk + CHUNK_HEADER_BYTES + random_below(CHUNK_BUFFER_BYTES);
    }
}

static void damage_once(uint8_t *bytes)
{
    static const uint8_t edges[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    size_t place = random_place();
    switch (random_below(4)) {
    case 0:
        bytes[place] ^= (uint8_t)(1u << random_below(8));
        break;
    case 1:
        bytes[place] = edges[random_below(sizeof(edges))];
        break;
    case 2:
        bytes[place] = (uint8_t)random_next();
        break;
    default:
        memset(bytes + (place & ~(size_t)7), random_below(2) ? 0xff : (int)random_next() & 0xff, 8);
        break;
    }
}

/* Changes a private copy of the arena; the file stays whole. */
static uint8_t *map_copy(void)
{
    uint8_t *bytes =
        mmap(NULL, arena.mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, arena.fd, 0);
    ck_assert(bytes != MAP_FAILED);
    return bytes;
}

struct text {
    char *bytes;
    size_t length, capacity;
};

static int append_text(void *context, const char *bytes, size_t length)
{
    struct text *text = context;
    if (text->length + length > text->capacity) {
        text->capacity = 2 * (text->length + length);
        text->bytes = realloc(text->bytes, text->capacity);
        ck_assert_ptr_nonnull(text->bytes);
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return 0;
}

/* Whatever READER finds, it is made into one valid object. Closes READER. */
static void make_json(struct arena_reader *reader)
{
    const struct gecko_process_options options = { .capture_ns = UINT32_MAX,
                                                   .cpu_time.total_ns = CPU_TIME_UNKNOWN };
    struct text text = { 0 };
    struct failure_latch latch;
    struct json_writer writer;
    failure_latch_init(&latch);
    json_writer_init_sink(&writer, append_text, &text, &latch);
    ck_assert_int_eq(gecko_stream_process(reader, &options, &writer, NULL, &latch), 0);
    json_writer_fini(&writer);
    arena_reader_close(reader);
    cJSON *json = cJSON_ParseWithLength(text.bytes, text.length);
    ck_assert(cJSON_IsObject(json));
    cJSON_Delete(json);
    free(text.bytes);
}

static void read_damaged(uint64_t seed)
{
    uint8_t *bytes = map_copy();
    struct arena_reader *reader;
    seed_random(seed);
    for (uint64_t i = random_below(MAX_DAMAGES) + 1; i > 0; i--)
        damage_once(bytes);
    int result = arena_reader_open_memory(bytes, arena.mapped_bytes, &reader);
    ck_assert_msg(result == 0 || result == -EPROTO || result == -EIO, "FUZZ_SEED=%lu: %d",
                  (unsigned long)seed, result);
    if (result == 0)
        read_everything(reader);
    if (result == 0 && seed % ROUNDS_PER_JSON == 0) {
        ck_assert_int_eq(arena_reader_open_memory(bytes, arena.mapped_bytes, &reader), 0);
        make_json(reader);
    }
    munmap(bytes, arena.mapped_bytes);
}

START_TEST(an_undamaged_arena_reads_whole)
{
    struct arena_reader *reader;
    struct arena_info info;
    ck_assert_int_eq(arena_reader_open_memory(arena.header, arena.mapped_bytes, &reader), 0);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++)
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
    arena_reader_info(reader, &info);
    ck_assert_uint_eq(info.bad_blocks, 0);
    uint64_t blocks = info.kept_blocks;
    ck_assert_uint_gt(blocks, 2500);
    arena_reader_close(reader);
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    ck_assert_uint_eq(read_everything(reader), blocks);
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    make_json(reader);
}
END_TEST

START_TEST(damaged_arenas_are_read_as_far_as_they_go)
{
    for (int i = 0; i < ROUNDS_PER_TEST && _i * ROUNDS_PER_TEST + i < round_count; i++)
        read_damaged(first_seed + (uint64_t)(_i * ROUNDS_PER_TEST + i));
}
END_TEST

START_TEST(random_bytes_are_read_as_far_as_they_go)
{
    uint8_t *bytes = map_copy();
    seed_random(first_seed + (uint64_t)_i);
    for (int i = 0; i < 20; i++) {
        struct arena_reader *reader;
        for (size_t place = arena.header->chunks_offset; place < arena.mapped_bytes; place++)
            if (place % CHUNK_BYTES >= CHUNK_HEADER_BYTES + ARENA_HEADER_BYTES)
                bytes[place] = (uint8_t)(random_next() >> (random_below(4) * 8));
        for (size_t place = 0; place < 4096; place++)
            bytes[ARENA_HEADER_BYTES + place] = (uint8_t)random_next();
        ck_assert_int_eq(arena_reader_open_memory(bytes, arena.mapped_bytes, &reader), 0);
        read_everything(reader);
        ck_assert_int_eq(arena_reader_open_memory(bytes, arena.mapped_bytes, &reader), 0);
        make_json(reader);
    }
    munmap(bytes, arena.mapped_bytes);
}
END_TEST

START_TEST(every_length_of_a_cut_arena_is_refused)
{
    struct arena_reader *reader;
    seed_random(first_seed);
    for (int i = 0; i < 2000; i++) {
        size_t length = random_below(arena.mapped_bytes);
        int result = arena_reader_open_memory(arena.header, length, &reader);
        ck_assert_int_eq(result, length < ARENA_HEADER_BYTES ? -EPROTO : -EIO);
    }
}
END_TEST

static void read_settings(void)
{
    const char *rounds = getenv("FUZZ_ROUNDS"), *seed = getenv("FUZZ_SEED");
    if (rounds != NULL)
        round_count = atoi(rounds);
    if (seed != NULL)
        first_seed = strtoull(seed, NULL, 10);
}

int main(void)
{
    clock_initialize();
    read_settings();
    Suite *suite = suite_create("json.damaged_arenas");
    TCase *tests = tcase_create("damage");
    tcase_set_timeout(tests, 300);
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, an_undamaged_arena_reads_whole);
    tcase_add_loop_test(tests, damaged_arenas_are_read_as_far_as_they_go, 0,
                        (round_count + ROUNDS_PER_TEST - 1) / ROUNDS_PER_TEST);
    tcase_add_loop_test(tests, random_bytes_are_read_as_far_as_they_go, 0, 5);
    tcase_add_test(tests, every_length_of_a_cut_arena_is_refused);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
