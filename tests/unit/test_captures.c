/* daemon.captures: orders, and their ends. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/capture/capture_selection.h"
#include "tests/unit/capture_result.h"
#include "tests/unit/run_suite.h"

/* --- Captures that complete --- */

START_TEST(a_session_without_processes_has_an_empty_capture)
{
    const struct capture_order order = order_of_all();

    captures_begin(&captures, &order);
    ck_assert_int_eq(session.state, SESSION_GATHERING);
    run_to_the_end();
    ck_assert_int_eq(raised.error, 0);
    ck_assert_uint_eq(raised.listings, 1);
    ck_assert_uint_eq(raised.logs, 1);
    ck_assert_uint_eq(raised.stops, 0);
    ck_assert_uint_eq(raised.done.processes, 0);
    ck_assert_str_eq(raised.missing, "");
    cJSON *root = read_output();
    const cJSON *log = cJSON_GetObjectItem(root, "profileGatheringLog");
    char *text = cJSON_PrintUnformatted(log);
    ck_assert_ptr_nonnull(strstr(text, "noted by the test"));
    cJSON_free(text);
    cJSON_Delete(root);
}
END_TEST

START_TEST(an_agent_is_asked_once_for_its_profile)
{
    add_with_agent(answer_profile);
    capture_all();
    ck_assert_uint_eq(agent.asked, 1);
    ck_assert_str_eq(raised.missing, "");
    cJSON_Delete(read_only_process("agent"));
    ck_assert(!captures_have(&captures, agent.child));
}
END_TEST

START_TEST(who_is_alone_is_read_by_a_worker)
{
    add_alone("/bin/alone");
    capture_all();
    ck_assert_str_eq(raised.missing, "");
    expect_salvaged(VERDICT_LIVE, "");
}
END_TEST

START_TEST(the_dead_are_read_from_the_exit_store)
{
    struct child *child = add_alone("/bin/dead");

    end_child(child);
    while (child->exit == NULL)
        uv_run(&loop, UV_RUN_ONCE);
    capture_all();
    ck_assert_str_eq(raised.missing, "");
    expect_salvaged(VERDICT_KILLED, "");
    ck_assert(!child->exit->source.is_held);
}
END_TEST

START_TEST(who_is_only_known_by_name_is_listed)
{
    const struct child_introduction who = { .pid = FIRST_PID,
                                            .executable = "/bin/static",
                                            .executable_length = strlen("/bin/static") };

    child_table_add_silent(&table, &who)->obstacle = OBSTACLE_STATIC;
    forgotten = 3;
    lost_news = 2;
    capture_all();
    ck_assert_uint_eq(raised.done.processes, 1);
    expect_missing("1 process ran without being profiled: 5000000 (static)");
    expect_missing("3 processes ended earlier");
    expect_missing("2 processes may be missing");
    cJSON_Delete(read_output());
}
END_TEST

START_TEST(a_session_ends_with_its_last_capture)
{
    struct capture_order order = order_of_all();

    order.stop_after = true;
    run_capture(&order);
    ck_assert_uint_eq(raised.stops, 1);
}
END_TEST

START_TEST(a_raw_capture_copies_what_the_agent_brought_up_to_date)
{
    struct capture_order order = order_of_all();

    add_with_agent(answer_profile);
    order.is_raw = true;
    run_capture(&order);
    ck_assert_int_eq(raised.error, 0);
    ck_assert_uint_eq(agent.asked, 1);
    ck_assert_uint_eq(raised.done.processes, 1);
    char *bytes = read_bytes();
    ck_assert_ptr_nonnull(memmem(bytes, raised.done.bytes_written, recorded, sizeof(recorded) - 1));
    free(bytes);
}
END_TEST

/* --- Captures that don't complete --- */

START_TEST(the_capture_after_one_that_was_cancelled_knows_nothing_of_it)
{
    struct capture_order order = order_of_all();

    add_alone("/bin/alone"); /* a worker is killed */
    add_with_agent(say_nothing);
    captures_begin(&captures, &order);
    while (agent.asked == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert(captures_have(&captures, agent.child));
    captures_cancel(&captures, -ECANCELED, "nobody wants it");
    ck_assert_int_eq(raised.error, -ECANCELED);
    ck_assert_str_eq(raised.text, "nobody wants it");
    ck_assert(!captures_have(&captures, agent.child));
    for (int i = 0; i < SALVAGE_WORKERS; i++)
        ck_assert_ptr_null(captures.salvage.workers[i].on_done);
    captures_cancel(&captures, -ECANCELED, "again");
    answer_profile(&agent);
    captures_note_silent(&captures, agent.child);
    ck_assert_uint_eq(raised.finished, 1);
    ck_assert_uint_eq(raised.written, 0);

    uint64_t earlier_id = agent.gather_id;
    memset(&raised, 0, sizeof(raised));
    agent.asked = 0;
    ck_assert_int_eq(ftruncate(output, 0), 0);
    ck_assert_int_eq(lseek(output, 0, SEEK_SET), 0);
    order = order_of_all();
    captures_begin(&captures, &order);
    while (agent.asked == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_ne(agent.gather_id, earlier_id);
    tell_profile(&agent, earlier_id, "{\"by\":\"an earlier one\"}");
    ck_assert_uint_eq(agent.asked, 1);
    answer_profile(&agent);
    run_to_the_end();
    ck_assert_uint_eq(raised.done.processes, 2);
    ck_assert_str_eq(raised.missing, "");
    char *bytes = read_bytes();
    ck_assert_ptr_null(memmem(bytes, raised.done.bytes_written, "earlier", strlen("earlier")));
    free(bytes);
}
END_TEST

START_TEST(an_output_that_takes_nothing_ends_the_capture)
{
    struct capture_order order = order_of_all();
    int ends_of_pipe[2];

    close(order.output_fd);
    ck_assert_int_eq(pipe(ends_of_pipe), 0);
    close(ends_of_pipe[0]);
    order.output_fd = ends_of_pipe[1];
    add_with_agent(say_nothing);
    run_capture(&order);
    ck_assert_int_eq(raised.error, -EPIPE);
    ck_assert_str_eq(raised.text, "cannot write the capture: broken pipe");
    ck_assert_uint_eq(raised.written, 0);
}
END_TEST

START_TEST(profd_ends_in_the_middle)
{
    const struct capture_order order = order_of_all();

    struct child *child = add_alone("/bin/dead");
    end_child(child);
    while (child->exit == NULL)
        uv_run(&loop, UV_RUN_ONCE);
    captures_begin(&captures, &order);
    ck_assert(child->exit->source.is_held);
    captures_close(&captures);
    ck_assert(!child->exit->source.is_held);
    ck_assert_uint_eq(raised.finished, 1);
    ck_assert_int_eq(raised.error, -ESHUTDOWN);
}
END_TEST

/* ORDER is refused, and its output closed. */
static void expect_refusal(struct capture_order *order, int error, const char *words)
{
    int ends_of_pipe[2];
    char byte;

    ck_assert_int_eq(pipe(ends_of_pipe), 0);
    close(order->output_fd);
    order->output_fd = ends_of_pipe[1];
    captures_begin(&captures, order);
    ck_assert_int_eq(raised.error, error);
    ck_assert_msg(strstr(raised.text, words) != NULL, "\"%s\"", raised.text);
    ck_assert_uint_eq(raised.finished, 1);
    ck_assert_int_eq(read(ends_of_pipe[0], &byte, 1), 0);
    close(ends_of_pipe[0]);
}

START_TEST(who_has_no_session_gets_no_capture_of_one)
{
    struct capture_order order = order_of_all();

    order.owner = other;
    expect_refusal(&order, -ESRCH, "'profctl start'");
}
END_TEST

START_TEST(what_is_not_there_cannot_be_selected)
{
    struct capture_selection selection = { .names = "nobody" };
    struct capture_order order = order_of_all();

    add_alone("/bin/alone");
    order.selection = &selection;
    expect_refusal(&order, -ESRCH, "no process is named 'nobody'");
    ck_assert_uint_eq(raised.listings, 1);
}
END_TEST

START_TEST(without_a_session_there_is_nothing_to_capture)
{
    struct capture_order order = order_of_all();
    const char *refusal;

    ck_assert_int_eq(session_stop(&session, &user, &refusal), 0);
    expect_refusal(&order, -EINVAL, "");
    ck_assert_int_eq(session.state, SESSION_IDLE);
}
END_TEST

int main(int count, char **arguments)
{
    (void)count;
    capture_scene_begin(arguments);
    Suite *suite = suite_create("daemon.captures");
    TCase *whole = make_case("whole");
    tcase_add_test(whole, a_session_without_processes_has_an_empty_capture);
    tcase_add_test(whole, an_agent_is_asked_once_for_its_profile);
    tcase_add_test(whole, who_is_alone_is_read_by_a_worker);
    tcase_add_test(whole, the_dead_are_read_from_the_exit_store);
    tcase_add_test(whole, who_is_only_known_by_name_is_listed);
    tcase_add_test(whole, a_session_ends_with_its_last_capture);
    tcase_add_test(whole, a_raw_capture_copies_what_the_agent_brought_up_to_date);
    suite_add_tcase(suite, whole);
    TCase *cut = make_case("cut");
    tcase_add_test(cut, the_capture_after_one_that_was_cancelled_knows_nothing_of_it);
    tcase_add_test(cut, an_output_that_takes_nothing_ends_the_capture);
    tcase_add_test(cut, profd_ends_in_the_middle);
    tcase_add_test(cut, who_has_no_session_gets_no_capture_of_one);
    tcase_add_test(cut, what_is_not_there_cannot_be_selected);
    tcase_add_test(cut, without_a_session_there_is_nothing_to_capture);
    suite_add_tcase(suite, cut);
    return run_suite(suite);
}
