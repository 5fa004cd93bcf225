#include <check.h>
#include <string.h>

#include "buffer/session_board.h"
#include "tests/unit/run_suite.h"

static struct session_board board;
static struct session_terms terms, got;

static void set_up(void)
{
    memset(&board, 0, sizeof(board));
    terms = (struct session_terms){
        .generation = 7, .revision = 3, .interval_ns = 1000, .filters = "io,ui"
    };
}

static bool reads_session(uint32_t generation, uint32_t revision)
{
    const struct session_word word = { .generation = generation, .revision = revision };
    return session_board_read(&board, &word, &got);
}

START_TEST(what_was_written_is_read)
{
    session_board_write(&board, &terms);
    ck_assert(reads_session(7, 3));
    ck_assert_mem_eq(&got, &terms, sizeof(got));
}
END_TEST

START_TEST(an_empty_board_has_no_session)
{
    ck_assert(!reads_session(0, 3));
    ck_assert(!reads_session(1, 3));
}
END_TEST

START_TEST(the_terms_of_another_session_are_not_those_asked_for)
{
    session_board_write(&board, &terms);
    ck_assert(!reads_session(6, 3));
}
END_TEST

START_TEST(terms_that_have_changed_are_not_those_asked_for)
{
    session_board_write(&board, &terms);
    ck_assert(!reads_session(7, 2));
    terms.revision = SESSION_WORD_REVISION_MASK + 1 + 3; /* the word has its lowest bits alone */
    session_board_write(&board, &terms);
    ck_assert(reads_session(7, 3));
}
END_TEST

START_TEST(a_word_keeps_all_it_is_given)
{
    const struct session_word word = { 7, true, false, SESSION_WORD_REVISION_MASK };
    struct session_word back = session_word_unpack(session_word_pack(&word));
    ck_assert_uint_eq(back.generation, 7);
    ck_assert(back.is_paused && !back.is_sampling_paused);
    ck_assert_uint_eq(back.revision, SESSION_WORD_REVISION_MASK);
}
END_TEST

START_TEST(a_board_that_is_being_written_is_not_read)
{
    session_board_write(&board, &terms);
    board.sequence++;
    ck_assert(!reads_session(7, 3));
}
END_TEST

/* A profd that was killed as it wrote left an odd number. */
START_TEST(who_writes_next_makes_it_whole)
{
    board.sequence = 5;
    session_board_write(&board, &terms);
    ck_assert(reads_session(7, 3));
}
END_TEST

START_TEST(strings_end_whatever_stands_there)
{
    session_board_write(&board, &terms);
    memset(board.terms.filters, 'x', sizeof(board.terms.filters));
    memset(board.terms.marker_triggers, 'x', sizeof(board.terms.marker_triggers));
    ck_assert(reads_session(7, 3));
    ck_assert_uint_eq(strlen(got.filters), sizeof(got.filters) - 1);
    ck_assert_uint_eq(strlen(got.marker_triggers), sizeof(got.marker_triggers) - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("session_board");
    TCase *tests = tcase_create("board");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, what_was_written_is_read);
    tcase_add_test(tests, an_empty_board_has_no_session);
    tcase_add_test(tests, the_terms_of_another_session_are_not_those_asked_for);
    tcase_add_test(tests, terms_that_have_changed_are_not_those_asked_for);
    tcase_add_test(tests, a_word_keeps_all_it_is_given);
    tcase_add_test(tests, a_board_that_is_being_written_is_not_read);
    tcase_add_test(tests, who_writes_next_makes_it_whole);
    tcase_add_test(tests, strings_end_whatever_stands_there);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
