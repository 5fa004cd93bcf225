/* daemon.captures: what children do meanwhile. */
#include <check.h>
#include <string.h>

#include "daemon/capture/gather.h"
#include "tests/unit/capture_result.h"
#include "tests/unit/run_suite.h"

START_TEST(who_falls_silent_is_read_from_outside)
{
    add_with_agent(fall_silent);
    capture_all();
    expect_missing("did not answer and were read from outside");
    expect_salvaged(VERDICT_FROZEN, "its agent closed the connection to profd");
}
END_TEST

START_TEST(who_ends_is_read_once_it_is_stored)
{
    add_with_agent(end_at_once);
    capture_all();
    ck_assert_str_eq(raised.missing, "");
    expect_salvaged(VERDICT_KILLED, "");
}
END_TEST

START_TEST(who_ends_without_a_trace_is_given_up)
{
    add_with_agent(end_without_trace);
    capture_all();
    expect_missing("1 process ended; the profile could not be saved: 5000000 (listener)");
    ck_assert_uint_eq(raised.done.processes, 0);
}
END_TEST

START_TEST(who_ends_a_worker_is_given_up)
{
    process_title_set(&add_alone("/bin/alone")->title, crasher);
    capture_all();
    expect_missing("1 process could not be read: 5000000 (alone)");
    ck_assert_uint_eq(raised.done.processes, 0);
}
END_TEST

START_TEST(who_makes_no_progress_is_read_from_outside)
{
    add_with_agent(say_nothing);
    agent.is_stuck = true;
    capture_all();
    expect_salvaged(VERDICT_FROZEN, "it made no progress");
}
END_TEST

START_TEST(the_deadline_ends_the_waiting_for_those_that_make_progress)
{
    struct capture_order order = order_of_all();

    add_with_agent(say_nothing);
    order.timeout_ms = 3 * GATHER_POLL_MS;
    run_capture(&order);
    ck_assert_uint_gt(agent.polled, 0);
    ck_assert_uint_gt(raised.progresses, 0);
    expect_salvaged(VERDICT_FROZEN, "it did not answer in time");
}
END_TEST

START_TEST(progress_is_told_until_the_end)
{
    const struct capture_order order = order_of_all();

    add_with_agent(say_nothing);
    captures_begin(&captures, &order);
    while (agent.asked == 0)
        uv_run(&loop, UV_RUN_ONCE);
    captures_note_progress(&captures, agent.child, agent.gather_id, PROPORTION);
    captures_note_progress(&captures, agent.child, agent.gather_id + 1, PROGRESS_SCALE);
    raised.progresses = 0;
    while (raised.progresses == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(raised.progress.id, ORDER_ID);
    ck_assert_uint_eq(raised.progress.children_total, 1);
    ck_assert_uint_eq(raised.progress.children_done, 0);
    ck_assert_uint_eq(raised.progress.proportion, PROPORTION / 2); /* writing is the other half */
    answer_profile(&agent);
    run_to_the_end();
    cJSON_Delete(read_only_process("agent"));
}
END_TEST

int main(int count, char **arguments)
{
    (void)count;
    capture_scene_begin(arguments);
    Suite *suite = suite_create("daemon.capture_children");
    TCase *children = make_case("children");
    tcase_add_test(children, who_falls_silent_is_read_from_outside);
    tcase_add_test(children, who_ends_is_read_once_it_is_stored);
    tcase_add_test(children, who_ends_without_a_trace_is_given_up);
    tcase_add_test(children, who_ends_a_worker_is_given_up);
    tcase_add_test(children, who_makes_no_progress_is_read_from_outside);
    tcase_add_test(children, the_deadline_ends_the_waiting_for_those_that_make_progress);
    tcase_add_test(children, progress_is_told_until_the_end);
    suite_add_tcase(suite, children);
    return run_suite(suite);
}
