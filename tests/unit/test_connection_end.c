/* ipc.connection: how it ends, finishes and meets its deadline. */
#include "tests/unit/connection_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(everything_sent_before_the_end_is_delivered_before_it)
{
    connect_both();
    for (int i = 0; i < 50; i++)
        ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    connection_close(here.connection, -ECANCELED);
    run_until_closed(&there);
    ck_assert_uint_eq(there.messages, 50);
    ck_assert_int_eq(there.reason, -ESHUTDOWN);
    ck_assert_int_eq(here.reason, -ECANCELED);
    run_until_idle();
    ck_assert_uint_eq(here.closed_calls, 1);
    ck_assert_uint_eq(there.closed_calls, 1);
}
END_TEST

START_TEST(the_last_words_of_a_peer_that_nobody_can_answer_are_heard)
{
    connect_raw();
    size_t length = make_message(MESSAGE_STOPPED);
    for (int i = 0; i < 5; i++)
        write_raw(frame, length);
    close(raw_fd);
    raw_fd = -1;
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    ck_assert_uint_eq(here.closed_calls, 0);
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 5);
    ck_assert_int_lt(here.reason, 0);
}
END_TEST

START_TEST(the_last_words_of_a_peer_that_left_bytes_unread_are_heard)
{
    connect_raw();
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), 0);
    write_raw(frame, make_message(MESSAGE_STOPPED));
    close(raw_fd);
    raw_fd = -1;
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 1);
    ck_assert_int_eq(here.reason, -ECONNRESET);
}
END_TEST

START_TEST(a_peer_that_stops_reading_for_good_is_closed)
{
    connect_raw();
    ck_assert_int_eq(shutdown(raw_fd, SHUT_RD), 0);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -EPIPE);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPIPE);
}
END_TEST

START_TEST(closing_in_on_message_stops_the_delivery)
{
    connect_both();
    there.close_after = 2;
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(send_kind(&here, MESSAGE_STARTED, NULL, 0), 0);
    run_until_closed(&there);
    ck_assert_uint_eq(there.messages, 2);
    ck_assert_int_eq(there.reason, -ECANCELED);
}
END_TEST

START_TEST(the_first_reason_counts_and_the_end_is_told_once_from_the_loop)
{
    connect_raw();
    connection_close(here.connection, -EACCES);
    connection_close(here.connection, -ECANCELED);
    connection_finish(here.connection, -ECANCELED, 1000);
    connection_set_deadline(here.connection, 1);
    ck_assert_uint_eq(here.closed_calls, 0);
    run_until_idle();
    ck_assert_uint_eq(here.closed_calls, 1);
    ck_assert_int_eq(here.reason, -EACCES);
}
END_TEST

START_TEST(a_send_on_a_closing_connection_fails_and_takes_the_descriptors)
{
    connect_raw();
    int expected = open_descriptors() - 1;
    int fds[2] = { dup(0), dup(0) };
    connection_close(here.connection, -ECANCELED);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, fds, 2), -ENOTCONN);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

START_TEST(finishing_sends_what_waits_and_then_closes)
{
    connect_both();
    size_t length = make_large_message();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    connection_finish(here.connection, -EPERM, 60000);
    ck_assert_int_eq(send_kind(&here, MESSAGE_STOP, NULL, 0), -ENOTCONN);
    run_until_idle();
    ck_assert_uint_eq(there.messages, 4);
    ck_assert_int_eq(there.reason, -ESHUTDOWN);
    ck_assert_int_eq(here.reason, -EPERM);
}
END_TEST

START_TEST(finishing_hears_nothing_more_and_waits_no_longer_than_told)
{
    connect_raw();
    size_t length = make_large_message();
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    connection_finish(here.connection, -EPERM, 1);
    write_raw(frame, make_message(MESSAGE_STOPPED));
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPERM);
    ck_assert_uint_eq(here.messages, 0);
}
END_TEST

START_TEST(a_deadline_ends_the_connection_unless_it_is_lifted)
{
    connect_both();
    connection_set_deadline(here.connection, 1);
    connection_set_deadline(here.connection, 0);
    connection_set_deadline(there.connection, 1);
    run_until_closed(&there);
    ck_assert_int_eq(there.reason, -ETIMEDOUT);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -ESHUTDOWN);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.connection_end");

    TCase *end = add_case(s, "the end");
    tcase_add_test(end, everything_sent_before_the_end_is_delivered_before_it);
    tcase_add_test(end, the_last_words_of_a_peer_that_nobody_can_answer_are_heard);
    tcase_add_test(end, the_last_words_of_a_peer_that_left_bytes_unread_are_heard);
    tcase_add_test(end, a_peer_that_stops_reading_for_good_is_closed);
    tcase_add_test(end, closing_in_on_message_stops_the_delivery);
    tcase_add_test(end, the_first_reason_counts_and_the_end_is_told_once_from_the_loop);
    tcase_add_test(end, a_send_on_a_closing_connection_fails_and_takes_the_descriptors);

    TCase *finishing = add_case(s, "finishing and deadlines");
    tcase_add_test(finishing, finishing_sends_what_waits_and_then_closes);
    tcase_add_test(finishing, finishing_hears_nothing_more_and_waits_no_longer_than_told);
    tcase_add_test(finishing, a_deadline_ends_the_connection_unless_it_is_lifted);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
