#include <check.h>

#include "daemon/triggers/marker_tally.h"
#include "tests/unit/run_suite.h"

static struct marker_tally *tally;

static void tear_down(void)
{
    marker_tally_free(&tally);
    ck_assert_ptr_null(tally);
}

static uint64_t note_hits(uint32_t generation, uint64_t index, uint64_t hits)
{
    uint64_t more;
    ck_assert_int_eq(marker_tally_note(&tally, generation, index, hits, &more), 0);
    return more;
}

START_TEST(only_what_is_new_counts)
{
    ck_assert_uint_eq(note_hits(1, 3, 2), 2);
    ck_assert_uint_eq(note_hits(1, 3, 2), 0);
    ck_assert_uint_eq(note_hits(1, 3, 5), 3);
}
END_TEST

START_TEST(a_number_that_went_back_is_nothing_new)
{
    ck_assert_uint_eq(note_hits(1, 0, 5), 5);
    ck_assert_uint_eq(note_hits(1, 0, 1), 0);
    ck_assert_uint_eq(note_hits(1, 0, 6), 1);
}
END_TEST

START_TEST(markers_are_told_apart)
{
    ck_assert_uint_eq(note_hits(1, 0, 5), 5);
    ck_assert_uint_eq(note_hits(1, 1, 4), 4);
    ck_assert_uint_eq(note_hits(1, 0, 6), 1);
}
END_TEST

START_TEST(another_session_begins_anew)
{
    ck_assert_uint_eq(note_hits(1, 0, 5), 5);
    ck_assert_uint_eq(note_hits(1, 1, 5), 5);
    ck_assert_uint_eq(note_hits(2, 0, 2), 2);
    ck_assert_uint_eq(note_hits(2, 1, 1), 1);
}
END_TEST

START_TEST(without_a_hit_there_is_no_tally)
{
    ck_assert_uint_eq(note_hits(1, 0, 0), 0);
    ck_assert_ptr_null(tally);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.triggers.marker_tally");
    TCase *all = tcase_create("tally");
    tcase_add_checked_fixture(all, NULL, tear_down);
    tcase_add_test(all, only_what_is_new_counts);
    tcase_add_test(all, a_number_that_went_back_is_nothing_new);
    tcase_add_test(all, markers_are_told_apart);
    tcase_add_test(all, another_session_begins_anew);
    tcase_add_test(all, without_a_hit_there_is_no_tally);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
