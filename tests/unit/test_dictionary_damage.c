/* buffer.dictionary: records that nobody put there. */
#include "tests/unit/dictionary_scene.h"
#include "tests/unit/run_suite.h"

/* Appends raw bytes as the dictionary's content. */
static void append_raw(const void *bytes, size_t length)
{
    memcpy(arena.dictionary + arena.header->dictionary_used_bytes, bytes, length);
    arena.header->dictionary_used_bytes += (uint32_t)length;
}

static const struct {
    const char *claim;
    const char *bytes;
    size_t length;
    unsigned bad;
} strange_records[] = {
    { "unknown kind", "\x03\xf0zz", 4, 0 },
    { "kind 0", "\x01\x00", 2, 0 },
    { "empty record", "\x00", 1, 1 },
    { "missing field", "\x01\x09", 2, 1 },
    { "trailing byte", "\x03\x09\x01\x01", 4, 1 },
    { "string past its record", "\x04\x0b\x01\x09x", 5, 1 },
    { "index above 32 bits", "\x08\x04\xff\xff\xff\xff\x1f\x01\x01", 9, 1 },
    { "is main neither 0 nor 1", "\x06\x02\x01\x01\x02\x01\x00", 7, 1 },
    { "library that ends before it starts", "\x07\x05\x01\x09\x08\x01\x00\x00", 8, 1 },
};

START_TEST(strange_records_are_skipped_and_damage_is_counted_once)
{
    struct arena_record record;
    struct arena_info info;
    append_raw(strange_records[_i].bytes, strange_records[_i].length);
    ck_assert_int_eq(dictionary_put_pause(&dictionary, 77), 0);
    struct arena_reader *reader = open_reader();
    for (int pass = 0; pass < 2; pass++) {
        ck_assert_msg(arena_reader_next_record(reader, &record) == 1, "%s",
                      strange_records[_i].claim);
        ck_assert_int_eq(record.kind, DICTIONARY_PAUSE);
        ck_assert_int_eq(arena_reader_next_record(reader, &record), 0);
        arena_reader_rewind_records(reader);
    }
    arena_reader_info(reader, &info);
    ck_assert_msg(info.bad_records == strange_records[_i].bad, "%s", strange_records[_i].claim);
    arena_reader_close(reader);
}
END_TEST

START_TEST(a_build_id_above_64_bytes_is_damage)
{
    static const uint8_t build_id[65] = { 1 };
    struct dictionary_library library = { 5, 1, 2, 0, "x", build_id, sizeof(build_id) };
    struct arena_record record;
    struct arena_info info;
    ck_assert_int_eq(dictionary_put_library(&dictionary, &library), 0);
    struct arena_reader *reader = open_reader();
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 0);
    arena_reader_info(reader, &info);
    ck_assert_uint_eq(info.bad_records, 1);
    arena_reader_close(reader);
}
END_TEST

START_TEST(a_record_past_the_end_ends_the_list)
{
    struct arena_record record;
    struct arena_info info;
    ck_assert_int_eq(dictionary_put_pause(&dictionary, 77), 0);
    append_raw("\x7f\x09\x01", 3);
    struct arena_reader *reader = open_reader();
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 0);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 0);
    arena_reader_info(reader, &info);
    ck_assert_uint_eq(info.bad_records, 1);
    arena_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.dictionary_damage");
    TCase *tests = tcase_create("dictionary");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, strange_records_are_skipped_and_damage_is_counted_once, 0,
                        sizeof(strange_records) / sizeof(strange_records[0]));
    tcase_add_test(tests, a_build_id_above_64_bytes_is_damage);
    tcase_add_test(tests, a_record_past_the_end_ends_the_list);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
