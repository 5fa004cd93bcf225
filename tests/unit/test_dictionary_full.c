/* buffer.dictionary: what happens when it is full. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/dictionary_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("buffer.dictionary_full");
    TCase *tests = tcase_create("dictionary");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_full_dictionary_refuses_and_counts);
    tcase_add_test(tests, a_full_dictionary_takes_the_ends_of_its_threads);
    tcase_add_test(tests, names_find_room_when_chunks_have_taken_all);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
