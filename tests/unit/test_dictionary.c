#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/dictionary.h"
#include "buffer/leb128.h"

enum { THREADS = 4, PUTS = 2000, STRING_MAX = 4096 };

static struct arena arena;
static struct dictionary dictionary;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(CHUNK_BYTES, &arena), 0);
    dictionary_init(&dictionary, &arena);
}

static void tear_down(void)
{
    arena_destroy(&arena);
}

static struct arena_reader *open_reader(void)
{
    struct arena_reader *reader;
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    return reader;
}

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

START_TEST(a_full_dictionary_refuses_and_counts)
{
    char text[STRING_MAX + 1];
    memset(text, 'x', STRING_MAX);
    text[STRING_MAX] = 0;
    unsigned put = 0, read = 0;
    while (dictionary_put_log(&dictionary, 4, text) == 0)
        put++;
    ck_assert_uint_eq(put, ARENA_DICTIONARY_BYTES / (STRING_MAX + 6));
    ck_assert_int_eq(dictionary_put_log(&dictionary, 4, text), -ENOSPC);
    ck_assert_uint_eq(arena.header->drops[DROP_DICTIONARY_FULL], 2);
    /* What still fits is taken, down to the last byte. */
    while (dictionary_put_pause(&dictionary, 1) == 0)
        put++;
    ck_assert_uint_gt(arena.header->dictionary_used_bytes, ARENA_DICTIONARY_BYTES - 3);
    ck_assert_uint_le(arena.header->dictionary_used_bytes, ARENA_DICTIONARY_BYTES);
    ck_assert_uint_eq(arena.chunks[0], 0);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1)
        read++;
    ck_assert_uint_eq(read, put);
    arena_reader_close(reader);
}
END_TEST

START_TEST(a_full_dictionary_takes_the_ends_of_its_threads)
{
    uint32_t begun = 0, ended = 0;
    while (dictionary_put_thread(&dictionary, begun, 1, false, UINT64_MAX, "brief") == 0)
        begun++;
    while (dictionary_put_pause(&dictionary, 1) == 0)
        continue;
    uint64_t refused = arena.header->drops[DROP_DICTIONARY_FULL];
    for (uint32_t i = 0; i < begun; i++)
        ck_assert_int_eq(dictionary_put_thread_end(&dictionary, i, UINT64_MAX), 0);
    ck_assert_uint_eq(arena.header->drops[DROP_DICTIONARY_FULL], refused);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1)
        ended += record.kind == DICTIONARY_THREAD_END;
    ck_assert_uint_gt(begun, 0);
    ck_assert_uint_eq(ended, begun);
    arena_reader_close(reader);
}
END_TEST

static void *put_often(void *context)
{
    uint32_t index = (uint32_t)(uintptr_t)context;
    for (uint64_t i = 0; i < PUTS; i++)
        if (dictionary_put_thread_name(&dictionary, index, i, "some name") != 0)
            return "refused";
    return NULL;
}

START_TEST(names_find_room_when_chunks_have_taken_all)
{
    enum { UNITS = 128, MANY = 8000 };
    struct lease_ledger ledger;
    struct arena leased;
    struct dictionary names;
    uint32_t unit;
    int fd = memfd_create("ledger", MFD_CLOEXEC);
    ck_assert_int_eq(lease_ledger_create(fd, 1, (uint64_t)UNITS * LEASE_UNIT_BYTES, &ledger), 0);
    lease_owner owner = lease_owner_make(getpid(), 1, false);
    const struct arena_room room = { UNITS * CHUNK_BYTES, ARENA_DICTIONARY_BYTES, 0 };
    ck_assert_int_eq(arena_create_leased(&room, &ledger, owner, &leased), 0);
    dictionary_init(&names, &leased);
    while (arena_take_unit(&leased, &unit) == 0)
        ;
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_int_eq(dictionary_put_thread(&names, i, (pid_t)i + 10, false, 1, "thread"), 0);
    ck_assert_uint_gt(atomic_load(&leased.header->dictionary_used_bytes), LEASE_UNIT_BYTES);
    arena_destroy(&leased);
    lease_ledger_close(&ledger);
    close(fd);
}
END_TEST

START_TEST(threads_put_whole_records_in_their_own_order)
{
    pthread_t threads[THREADS];
    uint64_t seen[THREADS] = { 0 };
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, put_often, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_ptr_null(problem);
    }
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1) {
        ck_assert_uint_lt(record.index, THREADS);
        ck_assert_uint_eq(record.time_ns, seen[record.index]++);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(seen[i], PUTS);
    arena_reader_close(reader);
}
END_TEST

/* --- Held --- */

static void *try_to_hold(void *context)
{
    (void)context;
    if (!dictionary_try_hold(&dictionary))
        return NULL;
    dictionary_release(&dictionary);
    return &dictionary;
}

/* Whether another thread can hold the dictionary at this moment. */
static bool can_be_held(void)
{
    pthread_t thread;
    void *held;
    ck_assert_int_eq(pthread_create(&thread, NULL, try_to_hold, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &held), 0);
    return held != NULL;
}

START_TEST(one_at_a_time_holds_the_dictionary)
{
    ck_assert(dictionary_try_hold(&dictionary));
    ck_assert(!dictionary_try_hold(&dictionary)); /* as a handler that interrupts the holder */
    ck_assert(!can_be_held());
    ck_assert_int_eq(dictionary_put_pause(&dictionary, 1), 0);
    ck_assert(!can_be_held());
    dictionary_release(&dictionary);
    ck_assert(can_be_held());
    ck_assert_int_eq(dictionary_put_resume(&dictionary, 2), 0);
    ck_assert(can_be_held());
}
END_TEST

START_TEST(a_full_dictionary_can_be_held_again)
{
    static char text[STRING_MAX + 1];
    memset(text, 'x', STRING_MAX);
    ck_assert(dictionary_try_hold(&dictionary));
    while (dictionary_put_log(&dictionary, 4, text) == 0)
        continue;
    dictionary_release(&dictionary);
    ck_assert(can_be_held());
}
END_TEST

/* Pairs of records that nobody else's come between. */
static bool put_pair(uint32_t index, uint64_t *pairs)
{
    if (!dictionary_try_hold(&dictionary))
        return false;
    if (dictionary_put_thread_name(&dictionary, index, 2 * *pairs, "first") == 0 &&
        dictionary_put_thread_name(&dictionary, index, 2 * *pairs + 1, "second") == 0)
        ++*pairs;
    dictionary_release(&dictionary);
    return true;
}

enum { PAIRS_OF_THREAD = THREADS, PAIRS_OF_HANDLER, INTERRUPTS = 500 };

static uint64_t pairs_of_handler;
static _Atomic int handled;
static _Atomic bool is_over;

static void on_interrupt(int number)
{
    (void)number;
    put_pair(PAIRS_OF_HANDLER, &pairs_of_handler);
    atomic_fetch_add(&handled, 1);
}

static void *interrupt_often(void *context)
{
    for (int sent = 0; sent < INTERRUPTS; sent++) {
        pthread_kill(*(const pthread_t *)context, SIGUSR1);
        while (atomic_load(&handled) <= sent)
            sched_yield();
    }
    atomic_store(&is_over, true);
    return NULL;
}

/* How many pairs of INDEX there are; each is whole, and in order. */
static uint64_t count_pairs(uint32_t index)
{
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    uint64_t found = 0;
    bool is_inside = false;
    while (arena_reader_next_record(reader, &record) == 1) {
        ck_assert(!is_inside || record.index == index);
        if (record.index != index)
            continue;
        ck_assert_uint_eq(record.time_ns, found++);
        is_inside = found % 2 == 1;
    }
    ck_assert(!is_inside);
    arena_reader_close(reader);
    return found / 2;
}

START_TEST(nothing_comes_between_what_a_holder_puts)
{
    pthread_t other, sender, self = pthread_self();
    struct sigaction action = { .sa_handler = on_interrupt };
    uint64_t put = 0, pairs = 0;
    sigaction(SIGUSR1, &action, NULL);
    ck_assert_int_eq(pthread_create(&other, NULL, put_often, NULL), 0);
    ck_assert_int_eq(pthread_create(&sender, NULL, interrupt_often, &self), 0);
    /* Put and hold in turn: handlers interrupt both. */
    while (!atomic_load(&is_over)) {
        if (put < PUTS)
            ck_assert_int_eq(dictionary_put_thread_name(&dictionary, 1, put++, "some name"), 0);
        if (pairs < PUTS)
            put_pair(PAIRS_OF_THREAD, &pairs);
    }
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert_int_eq(pthread_join(sender, NULL), 0);
    ck_assert_uint_gt(pairs, 0);
    ck_assert_uint_gt(pairs_of_handler, 0);
    ck_assert_uint_eq(count_pairs(PAIRS_OF_THREAD), pairs);
    ck_assert_uint_eq(count_pairs(PAIRS_OF_HANDLER), pairs_of_handler);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    struct arena_info info;
    uint64_t records = 0;
    while (arena_reader_next_record(reader, &record) == 1)
        records++;
    arena_reader_info(reader, &info);
    arena_reader_close(reader);
    ck_assert_uint_eq(info.bad_records, 0);
    ck_assert_uint_eq(records, PUTS + put + 2 * (pairs + pairs_of_handler));
}
END_TEST

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
    tcase_add_test(tests, a_full_dictionary_refuses_and_counts);
    tcase_add_test(tests, a_full_dictionary_takes_the_ends_of_its_threads);
    tcase_add_test(tests, names_find_room_when_chunks_have_taken_all);
    tcase_add_test(tests, threads_put_whole_records_in_their_own_order);
    tcase_add_loop_test(tests, strange_records_are_skipped_and_damage_is_counted_once, 0,
                        sizeof(strange_records) / sizeof(strange_records[0]));
    tcase_add_test(tests, a_build_id_above_64_bytes_is_damage);
    tcase_add_test(tests, a_record_past_the_end_ends_the_list);
    suite_add_tcase(suite, tests);

    TCase *held = tcase_create("held");
    tcase_add_checked_fixture(held, set_up, tear_down);
    tcase_set_timeout(held, 60);
    tcase_add_test(held, one_at_a_time_holds_the_dictionary);
    tcase_add_test(held, a_full_dictionary_can_be_held_again);
    tcase_add_test(held, nothing_comes_between_what_a_holder_puts);
    suite_add_tcase(suite, held);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
