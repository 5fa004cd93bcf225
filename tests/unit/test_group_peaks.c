#include <check.h>
#include <string.h>

#include "buffer/arena.h"
#include "buffer/group_reader.h"
#include "buffer/group_table_writer.h"
#include "tests/unit/run_suite.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

static struct group_peaks peaks, before;

static void set_up(void)
{
    memset(&peaks, 0, sizeof(peaks));
    memset(&before, 0, sizeof(before));
}

static void note_costs(uint64_t cpu_ms, uint64_t blocked_ms, int32_t thread, uint64_t now_ns)
{
    const struct group_costs costs = { cpu_ms * MS, 2 * cpu_ms * MS, blocked_ms * MS, 0 };
    group_peaks_note(&peaks, &costs, thread, now_ns);
}

/* Since a look at SINCE_NS, which becomes one of NOW_NS. */
static struct group_highest look_at_peaks(uint64_t since_ns, uint64_t now_ns)
{
    struct group_highest highest = group_peaks_between(&before, since_ns, &peaks, now_ns);
    memcpy(&before, &peaks, sizeof(before));
    ck_assert(highest.is_known);
    return highest;
}

START_TEST(the_highest_of_each_is_kept)
{
    note_costs(70, 3, 1, 10 * S);
    note_costs(90, 0, 2, 10 * S + 100 * MS);
    note_costs(80, 5, 3, 10 * S + 700 * MS);
    struct group_highest highest = look_at_peaks(9 * S + 900 * MS, 10 * S + 900 * MS);
    ck_assert_uint_eq(highest.cpu_ns, 90 * MS);
    ck_assert_uint_eq(highest.wall_ns, 180 * MS);
    ck_assert_uint_eq(highest.blocked_ns, 5 * MS);
    ck_assert_int_eq(highest.thread, 3);
}
END_TEST

START_TEST(what_was_told_is_not_told_again)
{
    note_costs(90, 0, 1, 10 * S + 100 * MS);
    ck_assert_uint_eq(look_at_peaks(9 * S, 10 * S + 200 * MS).cpu_ns, 90 * MS);
    ck_assert_uint_eq(look_at_peaks(10 * S + 200 * MS, 10 * S + 300 * MS).cpu_ns, 0);
    note_costs(100, 0, 1, 10 * S + 350 * MS);
    ck_assert_uint_eq(look_at_peaks(10 * S + 300 * MS, 10 * S + 400 * MS).cpu_ns, 100 * MS);
    note_costs(5, 0, 1, 11 * S);
    ck_assert_uint_eq(look_at_peaks(10 * S + 400 * MS, 11 * S + 400 * MS).cpu_ns, 5 * MS);
}
END_TEST

START_TEST(what_was_long_ago_gives_way)
{
    note_costs(90, 0, 1, 10 * S);
    note_costs(5, 0, 1, 10 * S + GROUP_PEAKS_WINDOWS * GROUP_PEAKS_WINDOW_NS);
    ck_assert_uint_eq(look_at_peaks(13 * S, 14 * S).cpu_ns, 5 * MS);
}
END_TEST

START_TEST(of_a_look_that_is_too_long_nothing_is_known)
{
    note_costs(90, 0, 1, 10 * S);
    ck_assert(group_peaks_between(NULL, 9 * S, &peaks, 12 * S).is_known);
    ck_assert(!group_peaks_between(NULL, 9 * S, &peaks, 13 * S).is_known);
    ck_assert(!group_peaks_between(NULL, 9 * S, &peaks, 8 * S).is_known);
    ck_assert_uint_eq(group_peaks_between(NULL, 9 * S, &peaks, 11 * S).cpu_ns, 90 * MS);
    ck_assert_uint_eq(group_peaks_between(&peaks, 9 * S, NULL, 11 * S).cpu_ns, 0);
}
END_TEST

START_TEST(durations_beyond_an_hour_are_cut)
{
    note_costs(UINT64_MAX / MS / 2, 0, 1, 10 * S);
    ck_assert_uint_eq(look_at_peaks(10 * S, 10 * S).cpu_ns, UINT64_C(1000) * UINT32_MAX);
}
END_TEST

START_TEST(they_are_no_group_of_the_table)
{
    const struct arena_room room = { CHUNK_BYTES, ARENA_DICTIONARY_BYTES, GROUP_TABLE_BYTES };
    const struct group_identity blue = { .kind = "tenant", .name = "blue" },
                                red = { .kind = "tenant", .name = "red" };
    struct group_record *records[2];
    struct group_peaks *made;
    const struct group_peaks *read;
    struct group_view view;
    struct arena arena;
    clock_initialize();
    ck_assert_int_eq(arena_create_leased(&room, NULL, LEASE_OWNER_NOBODY, &arena), 0);
    ck_assert_int_eq(group_table_add(&arena, &blue, &records[0]), 0);
    ck_assert_int_eq(group_peaks_add(&arena, records[0], &made), 0);
    ck_assert_int_eq(group_table_add(&arena, &red, &records[1]), 0);
    const struct group_table_header *table = &arena.header->groups;
    struct group_reader reader = { .memory = (const uint8_t *)arena.header + table->offset,
                                   .bytes = group_table_readable_bytes(table, arena.mapped_bytes) };
    struct group_reader again = reader;
    ck_assert(group_reader_next(&reader, &view));
    uint64_t place = view.place;
    ck_assert(group_reader_next(&reader, &view));
    ck_assert_uint_eq(view.name_bytes, strlen("red"));
    ck_assert(!group_reader_next(&reader, &view));
    ck_assert(group_reader_next_peaks(&again, &read));
    ck_assert_ptr_eq(read, made);
    ck_assert_uint_eq(read->of, place);
    ck_assert(!group_reader_next_peaks(&again, &read));
    arena_destroy(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.group_peaks");
    TCase *tests = tcase_create("group_peaks");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, the_highest_of_each_is_kept);
    tcase_add_test(tests, what_was_told_is_not_told_again);
    tcase_add_test(tests, what_was_long_ago_gives_way);
    tcase_add_test(tests, of_a_look_that_is_too_long_nothing_is_known);
    tcase_add_test(tests, durations_beyond_an_hour_are_cut);
    tcase_add_test(tests, they_are_no_group_of_the_table);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
