/* daemon.keeper_message, over a real socket of packets. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/keeping/keeper_message.h"
#include "tests/unit/run_suite.h"

static int ends[2], fd;
static struct keeper_message sent, got;

static void set_up(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends),
                     0);
    memset(&sent, 0, sizeof(sent));
    memset(&got, 0, sizeof(got));
    fd = -2;
}

static void tear_down(void)
{
    close(ends[0]);
    close(ends[1]);
}

static int receive_message(void)
{
    return keeper_message_receive(ends[1], &got, &fd);
}

static int send_raw(size_t bytes)
{
    ck_assert_int_eq(send(ends[0], &sent, bytes, 0), bytes);
    return receive_message();
}

START_TEST(a_message_arrives_with_its_hello_and_its_descriptor)
{
    char byte;
    int arena = memfd_create("arena", MFD_CLOEXEC);

    ck_assert_int_eq(pwrite(arena, "a", 1, 0), 1);
    sent = (struct keeper_message){
        .kind = KEEPER_KEEP, .pid = 42, .uid = 7, .id = UINT64_MAX, .hello_bytes = 5
    };
    memcpy(sent.hello, "hello", 5);
    ck_assert_int_eq(keeper_message_send(ends[0], &sent, arena), 0);
    close(arena);
    ck_assert_int_eq(receive_message(), 1);
    ck_assert_mem_eq(&got, &sent, offsetof(struct keeper_message, hello) + 5);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pread(fd, &byte, 1, 0), 1);
    ck_assert_int_eq(byte, 'a');
    close(fd);
}
END_TEST

START_TEST(one_without_a_descriptor_has_none)
{
    sent.kind = KEEPER_ALL;
    ck_assert_int_eq(keeper_message_send(ends[0], &sent, -1), 0);
    ck_assert_int_eq(receive_message(), 1);
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(the_longest_hello_arrives_and_a_longer_one_is_refused)
{
    sent = (struct keeper_message){ .kind = KEEPER_KEEP, .hello_bytes = KEEPER_HELLO_BYTES };
    ck_assert_int_eq(keeper_message_send(ends[0], &sent, -1), 0);
    ck_assert_int_eq(receive_message(), 1);
    ck_assert_uint_eq(got.hello_bytes, KEEPER_HELLO_BYTES);
    sent.hello_bytes++;
    ck_assert_int_eq(keeper_message_send(ends[0], &sent, -1), -EMSGSIZE);
}
END_TEST

START_TEST(when_nothing_has_come_nothing_is_waited_for)
{
    ck_assert_int_eq(receive_message(), 0);
    ck_assert_int_eq(fd, -1);
}
END_TEST

START_TEST(what_is_no_message_is_refused)
{
    size_t front = offsetof(struct keeper_message, hello);

    sent.kind = KEEPER_KEEP;
    ck_assert_int_eq(send_raw(front - 1), -EPROTO);
    ck_assert_int_eq(send_raw(front + 1), -EPROTO);
    sent.hello_bytes = 2;
    ck_assert_int_eq(send_raw(front + 1), -EPROTO);
    sent.hello_bytes = 0;
    sent.kind = 0;
    ck_assert_int_eq(send_raw(front), -EPROTO);
    sent.kind = KEEPER_LEAVE + 1;
    ck_assert_int_eq(send_raw(front), -EPROTO);
}
END_TEST

START_TEST(the_descriptor_of_what_is_refused_is_closed)
{
    char byte;
    int pipe_ends[2];

    ck_assert_int_eq(pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK), 0);
    sent.kind = KEEPER_LEAVE + 1;
    ck_assert_int_eq(keeper_message_send(ends[0], &sent, pipe_ends[1]), 0);
    close(pipe_ends[1]);
    ck_assert_int_eq(receive_message(), -EPROTO);
    ck_assert_int_eq(fd, -1);
    ck_assert_int_eq(read(pipe_ends[0], &byte, 1), 0); /* nobody has the other end any more */
    close(pipe_ends[0]);
}
END_TEST

START_TEST(the_end_is_told)
{
    close(ends[0]);
    ends[0] = -1;
    ck_assert_int_eq(receive_message(), -EPIPE);
}
END_TEST

START_TEST(one_that_comes_is_awaited)
{
    pid_t pid = fork();

    if (pid == 0) {
        usleep(20000);
        sent.kind = KEEPER_OVER;
        _exit(keeper_message_send(ends[0], &sent, -1) == 0 ? 0 : 1);
    }
    ck_assert_int_eq(keeper_message_await(ends[1], &got, &fd), 1);
    ck_assert_uint_eq(got.kind, KEEPER_OVER);
}
END_TEST

START_TEST(one_that_does_not_come_is_not_awaited_for_ever)
{
    ck_assert_int_eq(keeper_message_await(ends[1], &got, &fd), -ETIMEDOUT);
}
END_TEST

START_TEST(who_does_not_read_is_not_waited_for_for_ever)
{
    int error = 0;

    sent = (struct keeper_message){ .kind = KEEPER_KEEP, .hello_bytes = KEEPER_HELLO_BYTES };
    for (int i = 0; i < 1000 && error == 0; i++)
        error = keeper_message_send(ends[0], &sent, -1);
    ck_assert_int_eq(error, -ETIMEDOUT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keeper_message");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_message_arrives_with_its_hello_and_its_descriptor);
    tcase_add_test(all, one_without_a_descriptor_has_none);
    tcase_add_test(all, the_longest_hello_arrives_and_a_longer_one_is_refused);
    tcase_add_test(all, when_nothing_has_come_nothing_is_waited_for);
    tcase_add_test(all, what_is_no_message_is_refused);
    tcase_add_test(all, the_descriptor_of_what_is_refused_is_closed);
    tcase_add_test(all, the_end_is_told);
    tcase_add_test(all, one_that_comes_is_awaited);
    tcase_add_test(all, one_that_does_not_come_is_not_awaited_for_ever);
    tcase_add_test(all, who_does_not_read_is_not_waited_for_for_ever);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
