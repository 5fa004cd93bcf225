/* buffer.dictionary: what is put into it reads back. */
#include "tests/unit/dictionary_scene.h"
#include "tests/unit/run_suite.h"

static void assert_string(struct arena_string string, const char *expected, size_t length)
{
    ck_assert_uint_eq(string.length, length);
    ck_assert_mem_eq(string.bytes, expected, length);
}

/* The only record of the dictionary; its strings live until READER is closed. */
static struct arena_record only_record(struct arena_reader *reader)
{
    struct arena_record record, another;
    struct arena_info info;
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(arena_reader_next_record(reader, &another), 0);
    arena_reader_info(reader, &info);
    ck_assert_uint_eq(info.bad_records, 0);
    return record;
}

START_TEST(process_reads_back)
{
    ck_assert_int_eq(
        dictionary_put_process(&dictionary, 123, 45, UINT64_MAX, "/bin/ls", "ls\0-l", 6), 0);
    struct arena_reader *reader = open_reader();
    struct arena_record record = only_record(reader);
    ck_assert_int_eq(record.kind, DICTIONARY_PROCESS);
    ck_assert_int_eq(record.pid, 123);
    ck_assert_int_eq(record.parent_pid, 45);
    ck_assert_uint_eq(record.time_ns, UINT64_MAX);
    assert_string(record.name, "/bin/ls", 7);
    assert_string(record.extra, "ls\0-l", 6);
    arena_reader_close(reader);
}
END_TEST

START_TEST(threads_read_back)
{
    ck_assert_int_eq(dictionary_put_thread(&dictionary, 7, 1234, true, 99, "worker"), 0);
    ck_assert_int_eq(dictionary_put_thread_name(&dictionary, 8, 100, ""), 0);
    ck_assert_int_eq(dictionary_put_thread_end(&dictionary, UINT32_MAX, 101), 0);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_THREAD);
    ck_assert_uint_eq(record.index, 7);
    ck_assert_int_eq(record.tid, 1234);
    ck_assert(record.is_main);
    ck_assert_uint_eq(record.time_ns, 99);
    assert_string(record.name, "worker", 6);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_THREAD_NAME);
    ck_assert_uint_eq(record.index, 8);
    ck_assert_uint_eq(record.name.length, 0);
    ck_assert_int_eq(record.tid, 0);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_THREAD_END);
    ck_assert_uint_eq(record.index, UINT32_MAX);
    ck_assert_uint_eq(record.time_ns, 101);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 0);
    arena_reader_close(reader);
}
END_TEST

START_TEST(libraries_read_back)
{
    static const uint8_t build_id[20] = { 1, 0, 2, 0, 3 };
    struct dictionary_library library = {
        5,        0x7f0000001000,  0x7f0000002000, 0x7f0000000000, "/lib/libx.so",
        build_id, sizeof(build_id)
    };
    ck_assert_int_eq(dictionary_put_library(&dictionary, &library), 0);
    library.build_id = NULL;
    library.build_id_bytes = 0;
    ck_assert_int_eq(dictionary_put_library(&dictionary, &library), 0);
    ck_assert_int_eq(dictionary_put_library_end(&dictionary, 6, 0x7f0000001000), 0);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_LIBRARY);
    ck_assert_uint_eq(record.time_ns, 5);
    ck_assert_uint_eq(record.start, library.start);
    ck_assert_uint_eq(record.end, library.end);
    ck_assert_uint_eq(record.load_bias, library.load_bias);
    assert_string(record.name, "/lib/libx.so", 12);
    assert_string(record.extra, (const char *)build_id, sizeof(build_id));
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_uint_eq(record.extra.length, 0);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_LIBRARY_END);
    ck_assert_uint_eq(record.start, library.start);
    arena_reader_close(reader);
}
END_TEST

START_TEST(sites_and_categories_read_back)
{
    struct dictionary_site site = { 17, 3, 88, "name", "function", "file.c" };
    ck_assert_int_eq(dictionary_put_site(&dictionary, &site), 0);
    ck_assert_int_eq(
        dictionary_put_category(&dictionary, CATEGORY_FIRST_OWN, "magenta", "Rendering"), 0);
    ck_assert_int_eq(
        dictionary_put_subcategory(&dictionary, CATEGORY_FIRST_OWN + 1, CATEGORY_FIRST_OWN, "Text"),
        0);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_SITE);
    ck_assert_uint_eq(record.index, 17);
    ck_assert_uint_eq(record.category, 3);
    ck_assert_uint_eq(record.line, 88);
    assert_string(record.name, "name", 4);
    assert_string(record.extra, "function", 8);
    assert_string(record.file, "file.c", 6);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_CATEGORY);
    ck_assert_uint_eq(record.index, CATEGORY_FIRST_OWN);
    assert_string(record.name, "Rendering", 9);
    assert_string(record.extra, "magenta", 7);
    ck_assert_uint_eq(record.file.length, 0);
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_SUBCATEGORY);
    ck_assert_uint_eq(record.index, CATEGORY_FIRST_OWN + 1);
    ck_assert_uint_eq(record.category, CATEGORY_FIRST_OWN);
    assert_string(record.name, "Text", 4);
    arena_reader_close(reader);
}
END_TEST

START_TEST(moments_and_texts_read_back)
{
    ck_assert_int_eq(dictionary_put_pause(&dictionary, 1), 0);
    ck_assert_int_eq(dictionary_put_resume(&dictionary, 2), 0);
    ck_assert_int_eq(dictionary_put_process_name(&dictionary, 3, "worker 3"), 0);
    ck_assert_int_eq(dictionary_put_log(&dictionary, 4, "late"), 0);
    static const struct {
        enum dictionary_kind kind;
        const char *text;
    } expected[] = { { DICTIONARY_PAUSE, "" },
                     { DICTIONARY_RESUME, "" },
                     { DICTIONARY_PROCESS_NAME, "worker 3" },
                     { DICTIONARY_LOG, "late" } };
    struct arena_reader *reader = open_reader();
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < 4; i++) {
            struct arena_record record;
            ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
            ck_assert_int_eq(record.kind, expected[i].kind);
            ck_assert_uint_eq(record.time_ns, i + 1);
            ck_assert_uint_eq(record.name.length, strlen(expected[i].text));
        }
        arena_reader_rewind_records(reader);
    }
    arena_reader_close(reader);
}
END_TEST

START_TEST(users_read_back)
{
    ck_assert_int_eq(dictionary_put_user(&dictionary, 4294967294), 0);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    ck_assert_int_eq(arena_reader_next_record(reader, &record), 1);
    ck_assert_int_eq(record.kind, DICTIONARY_USER);
    ck_assert_uint_eq(record.index, 4294967294);
    arena_reader_close(reader);
}
END_TEST

START_TEST(long_strings_are_cut)
{
    char text[2 * STRING_MAX];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    ck_assert_int_eq(dictionary_put_log(&dictionary, 4, text), 0);
    struct arena_reader *reader = open_reader();
    ck_assert_uint_eq(only_record(reader).name.length, STRING_MAX);
    arena_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.dictionary");
    TCase *tests = tcase_create("dictionary");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, process_reads_back);
    tcase_add_test(tests, threads_read_back);
    tcase_add_test(tests, libraries_read_back);
    tcase_add_test(tests, sites_and_categories_read_back);
    tcase_add_test(tests, moments_and_texts_read_back);
    tcase_add_test(tests, users_read_back);
    tcase_add_test(tests, long_strings_are_cut);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
