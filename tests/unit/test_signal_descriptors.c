#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "child-agent/guest/signal_bits.h"
#include "child-agent/sampler/signal_descriptors.h"
#include "tests/unit/run_suite.h"

enum { MANY = 100 };

static sigset_t all;

static void set_up(void)
{
    sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &all, NULL), 0);
}

static int make_without(int number)
{
    int fd = signal_descriptors_make(signalfd, -1, &all, SFD_NONBLOCK | SFD_CLOEXEC,
                                     number != 0 ? signal_bit(number) : 0);
    ck_assert_int_ge(fd, 0);
    return fd;
}

/* The number of the signal that is read; 0: there is none. */
static int read_signal(int fd)
{
    struct signalfd_siginfo info;
    if (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        return (int)info.ssi_signo;
    ck_assert_int_eq(errno, EAGAIN);
    return 0;
}

START_TEST(what_is_left_out_is_not_read)
{
    int fd = make_without(SIGURG);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
    raise(SIGUSR1);
    ck_assert_int_eq(read_signal(fd), SIGUSR1);
}
END_TEST

START_TEST(another_signal_can_be_left_out_later)
{
    int fd = make_without(SIGURG);
    raise(SIGURG);
    raise(SIGWINCH);
    signal_descriptors_change(signal_bit(SIGWINCH));
    ck_assert_int_eq(read_signal(fd), SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
    signal_descriptors_change(0);
    ck_assert_int_eq(read_signal(fd), SIGWINCH);
}
END_TEST

START_TEST(a_descriptor_that_the_program_changes_is_remembered_anew)
{
    sigset_t one;
    int fd = make_without(0);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    ck_assert_int_eq(signal_descriptors_make(signalfd, fd, &one, 0, signal_bit(SIGURG)), fd);
    signal_descriptors_change(0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
}
END_TEST

START_TEST(a_number_that_has_become_something_else_is_left_alone)
{
    int ends[2];
    int fd = make_without(SIGURG);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[0], fd), fd);
    errno = 0;
    signal_descriptors_change(0);
    ck_assert_int_eq(errno, 0);
    close(fd);
    signal_descriptors_change(signal_bit(SIGURG));
    ck_assert_int_eq(errno, 0);
}
END_TEST

START_TEST(a_child_does_not_change_what_its_parent_reads)
{
    int fd = make_without(SIGURG);
    signal_descriptors_forget();
    signal_descriptors_change(0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
}
END_TEST

START_TEST(the_latest_of_many_are_remembered)
{
    int fd = -1;
    for (int i = 0; i < MANY; i++)
        fd = make_without(SIGURG);
    signal_descriptors_change(0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), SIGURG);
}
END_TEST

START_TEST(what_the_kernel_refuses_is_told)
{
    ck_assert_int_eq(signal_descriptors_make(signalfd, STDOUT_FILENO, &all, 0, 0), -1);
    ck_assert_int_eq(errno, EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.signal_descriptors");
    TCase *reads = tcase_create("reads");
    tcase_add_checked_fixture(reads, set_up, NULL);
    tcase_add_test(reads, what_is_left_out_is_not_read);
    tcase_add_test(reads, another_signal_can_be_left_out_later);
    tcase_add_test(reads, a_descriptor_that_the_program_changes_is_remembered_anew);
    tcase_add_test(reads, a_number_that_has_become_something_else_is_left_alone);
    tcase_add_test(reads, a_child_does_not_change_what_its_parent_reads);
    tcase_add_test(reads, the_latest_of_many_are_remembered);
    tcase_add_test(reads, what_the_kernel_refuses_is_told);
    suite_add_tcase(suite, reads);
    return run_suite(suite);
}
