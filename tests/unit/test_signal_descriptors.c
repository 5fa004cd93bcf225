#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
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

/* signalfd(FD, SET, FLAGS) that leaves out NUMBER; 0: none. */
static int change_without(int number, int fd, const sigset_t *set, int flags)
{
    const struct left_out_signals left_out = {
        .now = number != 0 ? signal_bit(number) : 0,
        .ever = signal_bit(SIGURG) | signal_bit(SIGWINCH),
    };
    return signal_descriptors_make(signalfd, fd, set, flags, &left_out);
}

static int make(int left_out, const sigset_t *set)
{
    int fd = change_without(left_out, -1, set, SFD_NONBLOCK | SFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static int make_of(const sigset_t *set)
{
    return make(SIGURG, set);
}

static int make_without(int number)
{
    return make(number, &all);
}

static sigset_t set_of(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
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
    const sigset_t one = set_of(SIGUSR1);
    int fd = make_without(0);
    ck_assert_int_eq(change_without(SIGURG, fd, &one, 0), fd);
    signal_descriptors_change(0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
}
END_TEST

/* The one for all signals is under the number of one for SIGUSR1, or the other way round. */
START_TEST(a_number_that_has_become_another_is_left_alone)
{
    const sigset_t one = set_of(SIGUSR1);
    int of_one = make_of(&one), of_all = make_of(&all);
    int from = _i == 0 ? of_one : of_all, to = _i == 0 ? of_all : of_one;
    ck_assert_int_eq(dup2(from, to), to);
    signal_descriptors_change(0);
    raise(SIGUSR2);
    raise(SIGUSR1);
    ck_assert_int_eq(read_signal(to), SIGUSR1);
    ck_assert_int_eq(read_signal(to), _i == 0 ? 0 : SIGUSR2);
}
END_TEST

START_TEST(a_number_that_is_closed_is_forgotten)
{
    int fd = make_without(SIGURG);
    close(fd);
    errno = 0;
    signal_descriptors_change(0);
    ck_assert_int_eq(errno, 0);
    ck_assert_int_eq(make_of(&all), fd);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), 0);
}
END_TEST

START_TEST(those_that_have_none_of_ours_take_no_room)
{
    sigset_t one;
    sigemptyset(&one);
    int fd = make_without(SIGURG);
    for (int i = 0; i < MANY; i++) {
        (void)make_of(&one);
        close(make_without(SIGURG));
    }
    signal_descriptors_change(0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), SIGURG);
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

static void *change_while_cancelled(void *was_left)
{
    (void)make_without(SIGURG);
    pthread_cancel(pthread_self());
    signal_descriptors_change(0);
    *(bool *)was_left = false;
    return NULL;
}

/* Whoever changes them holds a lock. */
START_TEST(no_change_is_a_point_of_cancellation)
{
    pthread_t thread;
    bool was_left = true;
    ck_assert_int_eq(pthread_create(&thread, NULL, change_while_cancelled, &was_left), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!was_left);
}
END_TEST

START_TEST(what_the_kernel_does_not_tell_is_taken_for_unchanged)
{
    struct rlimit before, none;
    int fd = make_without(SIGURG);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ .rlim_max = before.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    signal_descriptors_change(0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    raise(SIGURG);
    ck_assert_int_eq(read_signal(fd), SIGURG);
}
END_TEST

START_TEST(what_the_kernel_refuses_is_told)
{
    ck_assert_int_eq(change_without(0, STDOUT_FILENO, &all, 0), -1);
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
    tcase_add_loop_test(reads, a_number_that_has_become_another_is_left_alone, 0, 2);
    tcase_add_test(reads, a_number_that_is_closed_is_forgotten);
    tcase_add_test(reads, those_that_have_none_of_ours_take_no_room);
    tcase_add_test(reads, a_child_does_not_change_what_its_parent_reads);
    tcase_add_test(reads, the_latest_of_many_are_remembered);
    tcase_add_test(reads, no_change_is_a_point_of_cancellation);
    tcase_add_test(reads, what_the_kernel_does_not_tell_is_taken_for_unchanged);
    tcase_add_test(reads, what_the_kernel_refuses_is_told);
    suite_add_tcase(suite, reads);
    return run_suite(suite);
}
