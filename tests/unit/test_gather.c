/* daemon.gather */
#include <check.h>

#include "daemon/capture/gather.h"
#include "json/progress.h"
#include "tests/unit/run_suite.h"

enum { MANY = 300 };
#define LARGE (GATHER_BYTES_IN_FLIGHT / GATHER_JSON_RATIO)

static struct gather gather;
static size_t batch[GATHER_BATCH_ITEMS];

static void make_gather(size_t count, enum gather_state state, uint64_t recorded_bytes)
{
    ck_assert_int_eq(gather_create(count, 10000, &gather), 0);
    for (size_t i = 0; i < count; i++)
        gather_set(&gather, i, state, state == GATHER_SALVAGE, recorded_bytes);
}

static void tear_down(void)
{
    gather_destroy(&gather);
}

static size_t ask_all(void)
{
    size_t asked = 0;
    while (gather_next_to_ask(&gather) >= 0)
        asked++;
    return asked;
}

START_TEST(a_capture_of_nothing_is_complete)
{
    make_gather(0, GATHER_WAITING, 0);
    ck_assert(gather_is_complete(&gather));
    ck_assert_uint_eq(gather_proportion(&gather), PROGRESS_SCALE);
}
END_TEST

START_TEST(a_window_of_children_is_asked_at_once)
{
    make_gather(MANY, GATHER_WAITING, 100);
    ck_assert_uint_eq(ask_all(), GATHER_WINDOW);
    ck_assert(gather_note_made(&gather, 3, 50));
    ck_assert_int_eq(gather_next_to_ask(&gather), GATHER_WINDOW);
    ck_assert_int_eq(gather_next_to_ask(&gather), -1);
}
END_TEST

START_TEST(bytes_in_flight_are_bounded)
{
    make_gather(10, GATHER_WAITING, LARGE / 2);
    ck_assert_uint_eq(ask_all(), 2);
    ck_assert(gather_note_made(&gather, 0, GATHER_BYTES_IN_FLIGHT / 2));
    ck_assert_int_eq(gather_next_to_ask(&gather), -1);
    gather_note_done(&gather, 0);
    ck_assert_int_eq(gather_next_to_ask(&gather), 2);
}
END_TEST

START_TEST(one_that_is_larger_than_the_bound_is_still_made)
{
    make_gather(2, GATHER_WAITING, LARGE * 10);
    ck_assert_uint_eq(ask_all(), 1);
    ck_assert(gather_note_made(&gather, 0, 500ULL << 20));
    ck_assert_int_eq(gather_next_to_ask(&gather), -1);
    gather_note_done(&gather, 0);
    ck_assert_int_eq(gather_next_to_ask(&gather), 1);
}
END_TEST

START_TEST(nothing_stays_in_flight_at_the_end)
{
    make_gather(MANY, GATHER_WAITING, 4000);
    long index;
    while ((index = gather_next_to_ask(&gather)) >= 0) {
        ck_assert(gather_note_made(&gather, (size_t)index, 100 + (uint64_t)index * 999));
        gather_note_done(&gather, (size_t)index);
    }
    ck_assert(gather_is_complete(&gather));
    ck_assert_uint_eq(gather.bytes_in_flight, 0);
    ck_assert_uint_eq(gather_proportion(&gather), PROGRESS_SCALE);
}
END_TEST

START_TEST(two_polls_without_progress_end_the_waiting)
{
    make_gather(2, GATHER_WAITING, 100);
    ask_all();
    ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
    ck_assert_int_eq(gather_poll(&gather), GATHER_STALLED);
    ck_assert(gather_note_failed(&gather, 0));
    ck_assert(gather_note_failed(&gather, 1));
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 1);
}
END_TEST

START_TEST(progress_of_anyone_prolongs_the_waiting)
{
    make_gather(2, GATHER_WAITING, 100);
    ask_all();
    for (uint64_t i = 1; i < 5; i++) {
        ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
        gather_note_proportion(&gather, 1, i * 1000);
        ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
    }
    gather_note_proportion(&gather, 1, 4 * 1000); /* says the same again: none */
    ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
    ck_assert_int_eq(gather_poll(&gather), GATHER_STALLED);
}
END_TEST

START_TEST(a_slow_output_is_progress_too)
{
    make_gather(1, GATHER_WAITING, 100);
    ask_all();
    for (int i = 0; i < 10; i++) {
        gather_note_output(&gather);
        ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
    }
}
END_TEST

START_TEST(the_deadline_ends_all_waiting)
{
    make_gather(GATHER_WINDOW + 5, GATHER_WAITING, 100);
    ask_all();
    enum gather_verdict verdict = GATHER_GO_ON;
    for (uint64_t i = 1; verdict == GATHER_GO_ON; i++) {
        gather_note_proportion(&gather, 0, i);
        verdict = gather_poll(&gather);
        ck_assert_uint_le(i, 10000 / GATHER_POLL_MS);
    }
    ck_assert_int_eq(verdict, GATHER_TIMED_OUT);
    ck_assert(gather_note_failed(&gather, 0));
    ck_assert(gather_note_failed(&gather, GATHER_WINDOW + 4)); /* was never asked */
}
END_TEST

START_TEST(the_deadline_stands_still_while_only_the_output_is_waited_for)
{
    make_gather(1, GATHER_WAITING, 100);
    ask_all();
    ck_assert(gather_note_made(&gather, 0, 10));
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(gather_poll(&gather), GATHER_GO_ON);
}
END_TEST

START_TEST(stored_ones_go_to_a_worker_in_batches)
{
    make_gather(MANY, GATHER_SALVAGE, 10);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS),
                      GATHER_BATCH_ITEMS);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS),
                      MANY - GATHER_BATCH_ITEMS);
    ck_assert_uint_eq(batch[0], GATHER_BATCH_ITEMS);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 0);
}
END_TEST

START_TEST(a_batch_is_bounded_in_bytes)
{
    make_gather(20, GATHER_SALVAGE, GATHER_BATCH_BYTES / GATHER_JSON_RATIO / 4);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 4);
}
END_TEST

START_TEST(one_that_still_lives_has_a_worker_alone)
{
    make_gather(4, GATHER_SALVAGE, 10);
    gather.items[1].is_alone = true;
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 1);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 1);
    ck_assert_uint_eq(batch[0], 1);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, GATHER_BATCH_ITEMS), 2);
}
END_TEST

START_TEST(one_that_ends_while_it_is_asked_waits_for_the_store)
{
    make_gather(1, GATHER_WAITING, 100);
    ask_all();
    ck_assert(gather_note_ended(&gather, 0));
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 1), 0);
    ck_assert(!gather_note_made(&gather, 0, 10)); /* too late */
    gather_note_stored(&gather, 0);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 1), 1);
    gather_note_done(&gather, 0);
    ck_assert(gather_is_complete(&gather));
    ck_assert_uint_eq(gather.bytes_in_flight, 0);
}
END_TEST

START_TEST(one_that_can_not_be_stored_is_given_up)
{
    make_gather(1, GATHER_STORING, 100);
    gather_note_done(&gather, 0);
    ck_assert(gather_is_complete(&gather));
}
END_TEST

START_TEST(what_a_dead_worker_had_not_reached_is_begun_again)
{
    make_gather(3, GATHER_SALVAGE, 10);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 3), 3);
    gather_note_retry(&gather, 1);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 3), 1);
    ck_assert_uint_eq(batch[0], 1);
}
END_TEST

START_TEST(what_was_read_while_the_store_took_it_away_is_made_again)
{
    make_gather(1, GATHER_WAITING, 100);
    ask_all();
    ck_assert(gather_note_failed(&gather, 0));
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 1), 1);
    ck_assert(!gather_note_ended(&gather, 0)); /* a worker has it */
    ck_assert(gather_note_outdated(&gather, 0));
    ck_assert(!gather_note_outdated(&gather, 0));
    ck_assert_uint_eq(gather.bytes_in_flight, 0);
    gather_note_stored(&gather, 0);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 1), 1);
    ck_assert(gather_note_made(&gather, 0, 10));
    gather_note_done(&gather, 0);
    ck_assert(gather_is_complete(&gather));
}
END_TEST

START_TEST(late_and_double_news_count_once)
{
    make_gather(2, GATHER_WAITING, 100);
    ask_all();
    ck_assert(gather_note_failed(&gather, 0));
    ck_assert(!gather_note_failed(&gather, 0));
    ck_assert(!gather_note_made(&gather, 0, 10));
    ck_assert(gather_note_made(&gather, 1, 10));
    ck_assert(!gather_note_made(&gather, 1, 10));
    gather_note_done(&gather, 1);
    gather_note_done(&gather, 1);
    ck_assert_uint_eq(gather.done, 1);
    ck_assert(!gather_note_ended(&gather, 1));
}
END_TEST

START_TEST(an_answer_of_nothing_is_done_at_once)
{
    make_gather(1, GATHER_SALVAGE, 100);
    ck_assert_uint_eq(gather_next_to_salvage(&gather, batch, 1), 1);
    ck_assert(gather_note_made(&gather, 0, 0));
    ck_assert(gather_is_complete(&gather));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.gather");
    TCase *gathering = tcase_create("gathering");
    tcase_add_checked_fixture(gathering, NULL, tear_down);
    tcase_add_test(gathering, a_capture_of_nothing_is_complete);
    tcase_add_test(gathering, a_window_of_children_is_asked_at_once);
    tcase_add_test(gathering, bytes_in_flight_are_bounded);
    tcase_add_test(gathering, one_that_is_larger_than_the_bound_is_still_made);
    tcase_add_test(gathering, nothing_stays_in_flight_at_the_end);
    tcase_add_test(gathering, two_polls_without_progress_end_the_waiting);
    tcase_add_test(gathering, progress_of_anyone_prolongs_the_waiting);
    tcase_add_test(gathering, a_slow_output_is_progress_too);
    tcase_add_test(gathering, the_deadline_ends_all_waiting);
    tcase_add_test(gathering, the_deadline_stands_still_while_only_the_output_is_waited_for);
    tcase_add_test(gathering, stored_ones_go_to_a_worker_in_batches);
    tcase_add_test(gathering, a_batch_is_bounded_in_bytes);
    tcase_add_test(gathering, one_that_still_lives_has_a_worker_alone);
    tcase_add_test(gathering, one_that_ends_while_it_is_asked_waits_for_the_store);
    tcase_add_test(gathering, one_that_can_not_be_stored_is_given_up);
    tcase_add_test(gathering, what_a_dead_worker_had_not_reached_is_begun_again);
    tcase_add_test(gathering, what_was_read_while_the_store_took_it_away_is_made_again);
    tcase_add_test(gathering, late_and_double_news_count_once);
    tcase_add_test(gathering, an_answer_of_nothing_is_done_at_once);
    suite_add_tcase(suite, gathering);
    return run_suite(suite);
}
