/* child-agent.sampler.program_handlers */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/sampler/interrupted_call.h"
#include "child-agent/sampler/program_handlers.h"
#include "child-agent/sampler/sampling_signal.h"
#include "tests/unit/run_suite.h"

static volatile sig_atomic_t calls;
static siginfo_t last_info;

static void on_info(int number, siginfo_t *info, void *context)
{
    (void)context;
    ck_assert(number == SIGUSR1 || number == SIGUSR2 || number == SIGALRM);
    last_info = *info;
    calls++;
}

static void on_plain(int number)
{
    ck_assert_int_eq(number, SIGUSR1);
    calls++;
}

static void set_up(void)
{
    calls = 0;
    sampling_signal_initialize(0);
}

static __sighandler_t handler_of(void (*function)(int, siginfo_t *, void *))
{
    const struct sigaction action = { .sa_sigaction = function };
    return action.sa_handler;
}

/* What the program would set with these flags. */
static void install(int number, __sighandler_t handler, int flags)
{
    struct sigaction action = { .sa_flags = flags };
    action.sa_handler = program_handler_to_install(number, handler);
    ck_assert_int_eq(sigaction(number, &action, NULL), 0);
}

START_TEST(one_is_called_by_ours_with_all_that_it_is_to_know)
{
    __sighandler_t installed = program_handler_to_install(SIGUSR1, handler_of(on_info));
    ck_assert(installed != handler_of(on_info));
    ck_assert(program_handler_of(installed) == handler_of(on_info));
    install(SIGUSR1, handler_of(on_info), SA_SIGINFO);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(last_info.si_pid, getpid());
}
END_TEST

START_TEST(one_with_a_single_argument_is_called_too)
{
    install(SIGUSR1, on_plain, 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

/* Who reads it from the kernel may set it again, for another signal, after others. */
START_TEST(ours_is_for_one_handler_for_ever)
{
    __sighandler_t installed = program_handler_to_install(SIGUSR1, handler_of(on_info));
    ck_assert(program_handler_to_install(SIGUSR2, handler_of(on_info)) == installed);
    ck_assert(program_handler_to_install(SIGUSR1, installed) == installed);
    ck_assert(program_handler_to_install(SIGUSR1, on_plain) != installed);
    install(SIGUSR2, installed, SA_SIGINFO);
    ck_assert_int_eq(raise(SIGUSR2), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(what_is_no_handler_is_the_kernels)
{
    static const __sighandler_t none[] = { SIG_DFL, SIG_IGN, SIG_HOLD, SIG_ERR };
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert(program_handler_to_install(SIGUSR1, none[i]) == none[i]);
        ck_assert(program_handler_of(none[i]) == none[i]);
    }
}
END_TEST

START_TEST(those_of_signals_that_a_thread_causes_are_the_kernels)
{
    static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        ck_assert(program_handler_to_install(numbers[i], handler_of(on_info)) ==
                  handler_of(on_info));
    ck_assert(program_handler_of(handler_of(on_info)) == handler_of(on_info));
}
END_TEST

static __sighandler_t nth_handler(uintptr_t n)
{
    return (__sighandler_t)(0x100000 + 16 * n); /* NOLINT: never called */
}

START_TEST(further_ones_than_there_is_room_for_are_the_kernels)
{
    for (uintptr_t n = 0; n < PROGRAM_HANDLERS_MOST; n++) {
        __sighandler_t installed = program_handler_to_install(SIGUSR1, nth_handler(n));
        ck_assert(installed != nth_handler(n));
        ck_assert(program_handler_of(installed) == nth_handler(n));
    }
    ck_assert(program_handler_to_install(SIGUSR1, handler_of(on_info)) == handler_of(on_info));
    ck_assert(program_handler_to_install(SIGUSR1, nth_handler(7)) != nth_handler(7));
}
END_TEST

static void *install_all(void *unused)
{
    for (uintptr_t n = 0; n < PROGRAM_HANDLERS_MOST; n++) {
        __sighandler_t installed = program_handler_to_install(SIGUSR1, nth_handler(n));
        ck_assert(installed != nth_handler(n));
        ck_assert(program_handler_of(installed) == nth_handler(n));
    }
    return unused;
}

/* If two threads gave one handler two places, there would be none for the last. */
START_TEST(threads_that_set_the_same_at_once_share_it)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, install_all, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

static int rounds, made_again, wake_fd = -1;

/* As samples that fall due while the handler runs, just after it, and just after that one. */
static void on_sample(int number, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    greg_t next = registers[REG_RIP];
    (void)info;
    interrupted_call_settle(context);
    made_again += registers[REG_RIP] != next;
    if (wake_fd >= 0 && made_again > 0)
        ck_assert_int_eq(write(wake_fd, "", 1), 1);
    if (--rounds > 0)
        ck_assert_int_eq(raise(number), 0);
}

static void on_info_with_sample(int number, siginfo_t *info, void *context)
{
    on_info(number, info, context);
    ck_assert_int_eq(raise(sampling_signal_number()), 0);
}

static void handle_samples(void)
{
    const struct sigaction sample = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO };
    ck_assert_int_eq(sigaction(sampling_signal_number(), &sample, NULL), 0);
}

START_TEST(a_wait_that_only_a_sample_cut_short_is_made_again)
{
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = sampling_signal_number() };
    const struct itimerspec soon = { .it_value.tv_nsec = 1000 * 1000,
                                     .it_interval.tv_nsec = 10 * 1000 * 1000 };
    struct pollfd ready = { .events = POLLIN };
    int ends[2];
    timer_t timer;
    ck_assert_int_eq(pipe(ends), 0);
    ready.fd = ends[0];
    wake_fd = ends[1];
    handle_samples();
    ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    ck_assert_int_eq(timer_settime(timer, 0, &soon, NULL), 0);
    ck_assert_int_eq(poll(&ready, 1, -1), 1);
    ck_assert_int_eq(timer_delete(timer), 0);
    wake_fd = -1;
}
END_TEST

START_TEST(a_wait_that_it_cut_short_is_not_made_again_for_samples)
{
    const struct itimerval soon = { .it_value.tv_usec = 1000, .it_interval.tv_usec = 10 * 1000 };
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };
    sigfillset(&action.sa_mask);
    action.sa_handler = program_handler_to_install(SIGALRM, handler_of(on_info_with_sample));
    handle_samples();
    rounds = 3;
    ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
    ck_assert_int_eq(poll(NULL, 0, -1), -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL), 0);
    ck_assert_int_le(rounds, 0);
    ck_assert_int_eq(made_again, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.program_handlers");
    TCase *all = tcase_create("handlers");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, one_is_called_by_ours_with_all_that_it_is_to_know);
    tcase_add_test(all, one_with_a_single_argument_is_called_too);
    tcase_add_test(all, ours_is_for_one_handler_for_ever);
    tcase_add_test(all, what_is_no_handler_is_the_kernels);
    tcase_add_test(all, those_of_signals_that_a_thread_causes_are_the_kernels);
    tcase_add_test(all, further_ones_than_there_is_room_for_are_the_kernels);
    tcase_add_test(all, threads_that_set_the_same_at_once_share_it);
    tcase_add_test(all, a_wait_that_only_a_sample_cut_short_is_made_again);
    tcase_add_test(all, a_wait_that_it_cut_short_is_not_made_again_for_samples);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
