/* Damaged arenas: valid ones, with bytes changed by a seeded generator, are read block by block,
 * and some made into JSON as well.
 *
 * FUZZ_ROUNDS sets the number of damaged arenas (2000 unless told), FUZZ_SEED where they start. A
 * failure names the seed of its round; FUZZ_SEED=that with FUZZ_ROUNDS=1 repeats it. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/arena_walk.h"
#include "tests/unit/gecko_json.h"
#include "tests/unit/run_suite.h"

enum {
    DEFAULT_ROUNDS = 2000,
    ROUNDS_PER_TEST = 100,
    MAX_DAMAGES = 40,
    ROUNDS_PER_JSON = 10, /* it takes much longer than reading */
};

static uint64_t first_seed = 1;
static int round_count = DEFAULT_ROUNDS;

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

/* Whatever READER finds, it is made into one valid object. Closes READER. */
static void make_json(struct arena_reader *reader)
{
    const struct gecko_process_options options = { .capture_ns = UINT32_MAX,
                                                   .cpu_time.total_ns = CPU_TIME_UNKNOWN };
    struct text text = { 0 };
    stream_reader(reader, &options, NULL, &text);
    cJSON *json = parse_json(&text);
    ck_assert(cJSON_IsObject(json));
    cJSON_Delete(json);
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
    return run_suite(suite);
}
