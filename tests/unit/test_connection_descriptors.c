/* ipc.connection: descriptors that come with messages. */
#include <sys/stat.h>

#include "tests/unit/connection_scene.h"
#include "tests/unit/run_suite.h"

static bool is_same_file(int fd, const struct stat *expected)
{
    struct stat status;
    ck_assert_int_eq(fstat(fd, &status), 0);
    return status.st_dev == expected->st_dev && status.st_ino == expected->st_ino;
}

START_TEST(descriptors_arrive_with_their_own_message)
{
    static const size_t counts[] = { 0, 2, 0, 1, 4, 0 };
    connect_both();
    for (int i = 0; i < COUNT_OF(counts); i++) {
        int fds[4] = { dup(0), dup(0), dup(0), dup(0) };
        for (size_t unused = counts[i]; unused < 4; unused++)
            close(fds[unused]);
        ck_assert_int_eq(send_kind(&here, MESSAGE_HELLO, fds, counts[i]), 0);
    }
    run_until_messages(&there, COUNT_OF(counts));
    for (int i = 0; i < COUNT_OF(counts); i++)
        ck_assert_uint_eq(there.fd_counts[i], counts[i]);
}
END_TEST

START_TEST(descriptors_of_a_message_that_arrives_in_pieces_are_its_own)
{
    connect_both();
    size_t length = make_large_message();
    for (int i = 0; i < 3; i++) {
        int fd = dup(0);
        ck_assert_int_eq(connection_send(here.connection, frame, length, &fd, 1), 0);
        ck_assert_int_eq(connection_send(here.connection, frame, length, NULL, 0), 0);
    }
    run_until_messages(&there, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(there.fd_counts[i], i % 2 == 0 ? 1 : 0);
}
END_TEST

START_TEST(a_kept_descriptor_stays_open_and_the_others_are_closed)
{
    struct stat status;
    int pipe_ends[2];
    connect_both();
    ck_assert_int_eq(pipe(pipe_ends), 0);
    ck_assert_int_eq(fstat(pipe_ends[0], &status), 0);
    int expected = open_descriptors() - 1;
    there.keeps_descriptors = true;
    ck_assert_int_eq(send_kind(&here, MESSAGE_HELLO, pipe_ends, 2), 0);
    run_until_messages(&there, 1);
    ck_assert_uint_eq(there.fd_counts[0], 2);
    ck_assert_int_ge(there.kept_fd, 0);
    ck_assert(is_same_file(there.kept_fd, &status));
    ck_assert_int_eq(open_descriptors(), expected);
    close(there.kept_fd);
}
END_TEST

START_TEST(descriptors_of_a_message_that_never_gets_whole_are_closed)
{
    int expected = open_descriptors();
    connect_raw();
    int fds[2] = { 0, 0 };
    ck_assert_int_eq(socket_send(raw_fd, "\x09\0\0\0\x91", 5, fds, 2), 5);
    close(raw_fd);
    raw_fd = -1;
    run_until_closed(&here);
    ck_assert_uint_eq(here.messages, 0);
    ck_assert_int_eq(here.reason, -ESHUTDOWN);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

START_TEST(too_many_descriptors_for_one_message_end_the_connection)
{
    connect_raw();
    int expected = open_descriptors() - 1;
    int fds[4] = { 0, 0, 0, 0 };
    ck_assert_int_eq(socket_send(raw_fd, "\x09\0", 2, fds, 4), 2);
    ck_assert_int_eq(socket_send(raw_fd, "\0\0", 2, fds, 1), 2);
    run_until_closed(&here);
    ck_assert_int_eq(here.reason, -EPROTO);
    ck_assert_int_eq(open_descriptors(), expected);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("ipc.connection_descriptors");

    TCase *descriptors = add_case(s, "descriptors");
    tcase_add_test(descriptors, descriptors_arrive_with_their_own_message);
    tcase_add_test(descriptors, descriptors_of_a_message_that_arrives_in_pieces_are_its_own);
    tcase_add_test(descriptors, a_kept_descriptor_stays_open_and_the_others_are_closed);
    tcase_add_test(descriptors, descriptors_of_a_message_that_never_gets_whole_are_closed);
    tcase_add_test(descriptors, too_many_descriptors_for_one_message_end_the_connection);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
