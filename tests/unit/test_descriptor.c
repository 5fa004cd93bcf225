#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "child-agent/guest/descriptor.h"
#include "tests/unit/run_suite.h"

static int open_null(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(a_descriptor_moves_out_of_the_way_of_low_numbers)
{
    int low = open_null();
    int high = descriptor_move_high(low);
    ck_assert_int_ge(high, descriptor_minimum());
    ck_assert_int_eq(fcntl(low, F_GETFD), -1);
    ck_assert_int_eq(fcntl(high, F_GETFD), FD_CLOEXEC);
    close(high);
}
END_TEST

START_TEST(what_is_not_open_can_not_be_moved)
{
    ck_assert_int_lt(descriptor_move_high(-1), 0);
}
END_TEST

START_TEST(a_number_that_names_another_file_is_not_ours_and_stays_open)
{
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    int fd = open_null();
    descriptor_remember(DESCRIPTOR_SOCKET, fd);
    ck_assert(descriptor_is_ours(DESCRIPTOR_SOCKET));
    ck_assert_int_eq(dup2(pipes[0], fd), fd);
    ck_assert(!descriptor_is_ours(DESCRIPTOR_SOCKET));
    descriptor_close(DESCRIPTOR_SOCKET);
    ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
    close(fd);
    close(pipes[0]);
    close(pipes[1]);
}
END_TEST

START_TEST(what_is_closed_here_stays_remembered)
{
    int fd = open("/dev/null", O_RDONLY);
    ck_assert_int_ge(fd, 0);
    descriptor_remember(DESCRIPTOR_SOCKET, fd);
    const struct descriptor_identity identity = descriptor_identity(DESCRIPTOR_SOCKET);
    ck_assert_int_eq(identity.fd, fd);
    descriptor_close_here(&identity);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    ck_assert(!descriptor_is_ours(DESCRIPTOR_SOCKET));
    ck_assert_int_eq(descriptor_identity(DESCRIPTOR_SOCKET).fd, fd);
    ck_assert_int_eq(open("/dev/zero", O_RDONLY), fd);
    descriptor_close_here(&identity); /* it is another file now */
    ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
    close(fd);
}
END_TEST

START_TEST(ours_is_closed_once_and_forgotten)
{
    int fd = open_null();
    descriptor_remember(DESCRIPTOR_ARENA, fd);
    descriptor_close(DESCRIPTOR_ARENA);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
    ck_assert(!descriptor_is_ours(DESCRIPTOR_ARENA));
    int again = open_null();
    ck_assert_int_eq(again, fd);
    descriptor_close(DESCRIPTOR_ARENA);
    ck_assert_int_ge(fcntl(again, F_GETFD), 0);
    close(again);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.descriptor");
    TCase *tcase = tcase_create("descriptor");
    tcase_add_test(tcase, a_descriptor_moves_out_of_the_way_of_low_numbers);
    tcase_add_test(tcase, what_is_not_open_can_not_be_moved);
    tcase_add_test(tcase, a_number_that_names_another_file_is_not_ours_and_stays_open);
    tcase_add_test(tcase, ours_is_closed_once_and_forgotten);
    tcase_add_test(tcase, what_is_closed_here_stays_remembered);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
