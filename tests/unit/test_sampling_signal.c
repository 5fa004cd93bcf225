#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/guest/real_calls.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registration.h"
#include "child-agent/unwinding/snapshot.h"
#include "tests/unit/run_suite.h"

static struct thread_registration self;
static struct snapshot_copy snapshot;

/* The calling thread has been asked for a snapshot by SIGURG. */
static void request_snapshot(void)
{
    sampling_signal_initialize(0);
    thread_current = &self;
    atomic_store(&self.snapshot, &snapshot);
    atomic_store(&snapshot.signal_number, SIGURG);
    atomic_store(&snapshot.state, SNAPSHOT_REQUESTED);
}

static void stop_being_asked(void)
{
    thread_current = NULL;
}

static siginfo_t make_info(int number, int code, pid_t sender)
{
    siginfo_t info = { .si_signo = number, .si_code = code };
    info.si_pid = sender;
    return info;
}

static bool withdraws_request(int number, int code, pid_t sender)
{
    const siginfo_t info = make_info(number, code, sender);
    return sampling_signal_withdraw_request(&info);
}

/* The signal by which the thread is asked. */
static siginfo_t request_info(int number)
{
    siginfo_t info = make_info(number, SI_QUEUE, getpid());
    info.si_value.sival_ptr = &snapshot;
    return info;
}

START_TEST(a_request_is_withdrawn_once_and_stays_ours)
{
    const siginfo_t info = request_info(SIGURG);
    ck_assert(sampling_signal_withdraw_request(&info));
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_EMPTY);
    atomic_store(&snapshot.state, SNAPSHOT_TAKEN);
    ck_assert(sampling_signal_withdraw_request(&info));
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_TAKEN);
}
END_TEST

static volatile sig_atomic_t program_calls;

static void count_call(int number)
{
    (void)number;
    program_calls++;
}

/* The request's signal may come later than one that the program sends to itself. */
START_TEST(the_programs_own_is_handled_while_a_request_is_under_way)
{
    const struct sigaction wanted = { .sa_handler = count_call };
    siginfo_t info = request_info(SIGURG);
    ck_assert_int_eq(sampling_signal_install(), 0);
    ck_assert_int_eq(sampling_signal_program_action(SIGURG, &wanted, NULL), 0);
    ck_assert_int_eq(raise(SIGURG), 0);
    ck_assert_int_eq(program_calls, 1);
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_REQUESTED);
    ck_assert_int_eq(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGURG, &info), 0);
    ck_assert_int_eq(program_calls, 1);
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_DECLINED); /* it runs */
    ck_assert_int_eq(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGURG, &info), 0);
    ck_assert_int_eq(program_calls, 1);
}
END_TEST

START_TEST(what_the_program_sends_to_itself_leaves_the_request)
{
    ck_assert(!withdraws_request(SIGURG, SI_USER, getpid()));
    ck_assert(!withdraws_request(SIGURG, SI_QUEUE, getpid()));
    ck_assert(!withdraws_request(SIGURG, SI_TKILL, getpid()));
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_REQUESTED);
}
END_TEST

START_TEST(what_others_send_leaves_the_request)
{
    ck_assert(!withdraws_request(SIGURG, SI_TKILL, getppid()));
    ck_assert(!withdraws_request(SIGURG, SI_KERNEL, 0));
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_REQUESTED);
}
END_TEST

START_TEST(another_signal_leaves_the_request)
{
    const siginfo_t info = request_info(SIGWINCH);
    (void)sampling_signal_withdraw_request(&info);
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_REQUESTED);
}
END_TEST

START_TEST(one_that_cannot_be_told_is_taken_for_the_request)
{
    ck_assert(withdraws_request(SIGURG, SI_USER, 0));
    ck_assert_int_eq(atomic_load(&snapshot.state), SNAPSHOT_EMPTY);
}
END_TEST

/* What a full queue leaves of a signal by which the agent's thread is woken. */
static void wake_without_a_word(void)
{
    siginfo_t info = { .si_signo = SIGURG, .si_code = SI_USER };
    ck_assert_int_eq(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGURG, &info), 0);
}

START_TEST(a_wake_that_cannot_be_told_is_no_use_of_the_signal)
{
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    sampling_signal_only_wakes();
    wake_without_a_word();
    ck_assert_int_eq(sampling_signal_number(), SIGURG);
}
END_TEST

static bool blocks_signal(int number)
{
    struct sigaction ours;
    ck_assert_int_eq(real_sigaction(SIGURG, NULL, &ours), 0);
    return sigismember(&ours.sa_mask, number) == 1;
}

static void handle_signal(int number)
{
    (void)number;
}

START_TEST(children_may_end_while_the_handler_runs)
{
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    ck_assert(!blocks_signal(SIGCHLD));
    ck_assert(blocks_signal(SIGALRM));
    sampling_signal_prepare_for_children();
    ck_assert(blocks_signal(SIGCHLD));
}
END_TEST

/* The set is the kernel's: the C library never says that it blocks its own. */
START_TEST(a_thread_is_not_cancelled_while_the_handler_runs)
{
    enum { CANCELLATION = 32 };
    uint64_t ours[4]; /* handler, flags, restorer, mask */
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    ck_assert_int_eq(syscall(SYS_rt_sigaction, SIGURG, NULL, ours, sizeof(ours[3])), 0);
    ck_assert(ours[3] & (UINT64_C(1) << (CANCELLATION - 1)));
}
END_TEST

START_TEST(no_handler_for_children_interrupts_ours)
{
    const struct sigaction action = { .sa_handler = handle_signal };
    ck_assert_int_eq(real_sigaction(SIGCHLD, &action, NULL), 0);
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    ck_assert(blocks_signal(SIGCHLD));
}
END_TEST

static void send_often_and_exit(pid_t whom)
{
    for (int i = 0; i < 50; i++) {
        if (kill(whom, SIGURG) != 0)
            _exit(1);
        (void)usleep(1000);
    }
    _exit(0);
}

START_TEST(a_signal_that_the_program_ignores_cuts_no_wait_short)
{
    struct epoll_event event;
    int status, epoll = epoll_create1(EPOLL_CLOEXEC);
    pid_t parent = getpid();
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    pid_t child = fork();
    if (child == 0)
        send_often_and_exit(parent);
    while (waitpid(child, &status, WNOHANG) == 0)
        ck_assert_int_eq(epoll_wait(epoll, &event, 1, 20), 0);
    ck_assert_int_eq(status, 0);
    close(epoll);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampling_signal");
    TCase *requests = tcase_create("requests");
    tcase_add_checked_fixture(requests, request_snapshot, stop_being_asked);
    tcase_add_test(requests, a_request_is_withdrawn_once_and_stays_ours);
    tcase_add_test(requests, the_programs_own_is_handled_while_a_request_is_under_way);
    tcase_add_test(requests, what_the_program_sends_to_itself_leaves_the_request);
    tcase_add_test(requests, what_others_send_leaves_the_request);
    tcase_add_test(requests, another_signal_leaves_the_request);
    tcase_add_test(requests, a_wake_that_cannot_be_told_is_no_use_of_the_signal);
    tcase_add_test(requests, one_that_cannot_be_told_is_taken_for_the_request);
    suite_add_tcase(suite, requests);
    TCase *handler = tcase_create("handler");
    tcase_add_test(handler, children_may_end_while_the_handler_runs);
    tcase_add_test(handler, a_thread_is_not_cancelled_while_the_handler_runs);
    tcase_add_test(handler, no_handler_for_children_interrupts_ours);
    tcase_add_test(handler, a_signal_that_the_program_ignores_cuts_no_wait_short);
    suite_add_tcase(suite, handler);
    return run_suite(suite);
}
