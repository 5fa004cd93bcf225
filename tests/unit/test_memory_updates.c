/* daemon.memory_controller: updates that are late, lost, repeated or the last. */
#include <errno.h>

#include "daemon/memory/memory_controller.h"
#include "tests/unit/memory_controller_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(a_stalled_child_is_passed_over)
{
    add_child(0, 6, 100);
    add_child(1, 5, 200);
    expect_drop(0, 100);
    expect_drop(0, 101);
    expect_drop(0, 102);
    now_ns += PATIENCE_NS;
    expect_drop(1, 200);
    expect_drop(1, 201);
    expect_drop(1, 202);
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 1);
}
END_TEST

START_TEST(a_stalled_child_that_speaks_again_is_told_again)
{
    add_child(0, 10, 100);
    expect_drop(0, 100);
    now_ns += PATIENCE_NS;
    expect_nothing();
    send_update(0, 11, 100, 1);
    expect_drop(0, 100);
    expect_nothing(); /* once for each time it speaks, and nothing more before it has obeyed */
    send_update(0, 10, 101, 0);
    ck_assert_uint_eq(controller.stalled_count, 0);
    expect_drop(0, 101);
}
END_TEST

START_TEST(progress_is_not_a_stall)
{
    add_child(0, 13, 100);
    for (uint64_t done_ns = 100; done_ns < 104; done_ns++)
        expect_drop(0, done_ns);
    for (unsigned left = 12; left > 9; left--) {
        now_ns += PATIENCE_NS - 1;
        send_update(0, left, 113 - left, 0);
    }
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 0);
}
END_TEST

START_TEST(chunks_whose_update_was_lost_go_one_by_one)
{
    add_source(0, MEMORY_OF_CHILD);
    send_update(0, 12, 100, 0);
    expect_drop(0, 100);
    expect_nothing(); /* it is not known what comes next */
    send_update(0, 11, 101, 0);
    expect_drop(0, 101);
}
END_TEST

START_TEST(an_unknown_one_before_those_that_were_told_to_go_goes_with_them)
{
    add_child(0, 10, 100);
    expect_drop(0, 100);
    send_update(0, 11, 90, 0);
    ck_assert_uint_eq(controller.going_bytes, 2 * UNIT);
    expect_nothing();
    send_update(0, 9, 101, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
}
END_TEST

START_TEST(repeated_updates_change_nothing)
{
    add_child(0, 11, 100);
    send_update(0, 11, 100, 11);
    send_update(0, 11, 100, 5);
    ck_assert_uint_eq(sources[0].chunks.count, 11);
    ck_assert_uint_eq(memory_controller_total(&controller), 12 * UNIT);
}
END_TEST

START_TEST(updates_of_another_session_do_not_count)
{
    add_child(0, 2, 100);
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION - 1, &update, now_ns),
        -ESTALE);
    update.kind = CHUNK_UPDATE_NONE;
    update.released_bytes = 100 * UNIT;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION, &update, now_ns), 0);
    ck_assert_uint_eq(memory_controller_total(&controller), 3 * UNIT);
}
END_TEST

START_TEST(after_its_final_update_nothing_is_asked_of_a_child)
{
    add_child(0, 12, 100);
    expect_drop(0, 100);
    update.kind = CHUNK_UPDATE_FINAL;
    ck_assert_int_eq(
        memory_controller_update(&controller, &sources[0], GENERATION, &update, now_ns), 0);
    now_ns += PATIENCE_NS;
    expect_nothing();
    ck_assert_uint_eq(controller.stalled_count, 0);
    ck_assert_uint_eq(controller.going_bytes, 0);
    send_update(0, 12, 100, 12);
    expect_drop(0, 100);
}
END_TEST

START_TEST(a_child_that_goes_leaves_nothing_behind)
{
    add_child(0, 12, 100);
    add_child(1, 12, 200);
    expect_drop(0, 100);
    now_ns += PATIENCE_NS;
    expect_drop(1, 200);
    send_update(0, 12, 100, 0);
    memory_controller_remove(&controller, &sources[0]);
    memory_controller_remove(&controller, &sources[0]);
    ck_assert_uint_eq(memory_controller_total(&controller) + controller.going_bytes, 13 * UNIT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.memory_updates");
    TCase *decisions = tcase_create("decisions");
    tcase_add_checked_fixture(decisions, set_up, tear_down);
    tcase_add_test(decisions, a_stalled_child_is_passed_over);
    tcase_add_test(decisions, a_stalled_child_that_speaks_again_is_told_again);
    tcase_add_test(decisions, progress_is_not_a_stall);
    tcase_add_test(decisions, chunks_whose_update_was_lost_go_one_by_one);
    tcase_add_test(decisions, an_unknown_one_before_those_that_were_told_to_go_goes_with_them);
    tcase_add_test(decisions, repeated_updates_change_nothing);
    tcase_add_test(decisions, updates_of_another_session_do_not_count);
    tcase_add_test(decisions, after_its_final_update_nothing_is_asked_of_a_child);
    tcase_add_test(decisions, a_child_that_goes_leaves_nothing_behind);
    suite_add_tcase(suite, decisions);
    return run_suite(suite);
}
