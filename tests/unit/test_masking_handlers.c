#include <check.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/sampler/masking_handlers.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registration.h"
#include "tests/unit/run_suite.h"

static volatile sig_atomic_t calls;
static siginfo_t last_info;

static void on_plain(int number)
{
    ck_assert_int_eq(number, SIGUSR1);
    calls++;
}

static void on_info(int number, siginfo_t *info, void *context)
{
    (void)context;
    ck_assert(number == SIGUSR1 || number == SIGALRM);
    last_info = *info;
    calls++;
}

static int told, heard; /* by the sampling signal: that one returned; at all */

static void on_sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    heard++;
    told += masking_handlers_returned_to(context);
}

/* As a sample that falls due while the handler runs. */
static void on_info_with_sample(int number, siginfo_t *info, void *context)
{
    on_info(number, info, context);
    ck_assert_int_eq(raise(sampling_signal_number()), 0);
    ck_assert_int_eq(heard, 0);
}

static struct thread_registration thread;

static void set_up(void)
{
    thread_current = &thread;
    calls = told = heard = 0;
    sampling_signal_initialize(0);
}

static struct sigaction masking_action(void)
{
    struct sigaction action = { .sa_sigaction = on_info, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigfillset(&action.sa_mask);
    return action;
}

START_TEST(one_that_blocks_ours_is_called_by_ours_and_nobody_sees_it)
{
    struct sigaction action = masking_action(), old;
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
    ck_assert(masking_handlers_have(SIGUSR1));
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
    ck_assert_int_eq(old.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
    ck_assert_int_eq(sigismember(&old.sa_mask, SIGTERM), 1);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(last_info.si_pid, getpid());
}
END_TEST

static void handle_samples(void)
{
    const struct sigaction sample = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO };
    ck_assert_int_eq(sigaction(sampling_signal_number(), &sample, NULL), 0);
}

START_TEST(a_sample_that_it_held_up_knows_that_it_returned)
{
    struct sigaction action = masking_action();
    action.sa_sigaction = on_info_with_sample;
    handle_samples();
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(heard, 1);
    ck_assert_int_eq(told, 1);
}
END_TEST

static void send_both(int first, int second)
{
    sigset_t all, before;
    sigfillset(&all);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &all, &before), 0);
    ck_assert_int_eq(raise(first), 0);
    ck_assert_int_eq(raise(second), 0);
    ck_assert_int_eq(sigprocmask(SIG_SETMASK, &before, NULL), 0); /* where both arrive */
}

START_TEST(a_sample_at_the_same_place_later_is_another)
{
    struct sigaction action = masking_action();
    handle_samples();
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(raise(round == 1 ? sampling_signal_number() : SIGUSR1), 0);
        ck_assert_int_eq(told, 0);
    }
    send_both(SIGUSR1, sampling_signal_number());
    ck_assert_int_eq(told, 1);
    send_both(sampling_signal_number(), sampling_signal_number());
    ck_assert_int_eq(told, 1);
}
END_TEST

START_TEST(a_sample_that_stays_blocked_is_not_told_later)
{
    struct sigaction action = masking_action();
    sigset_t ours;
    action.sa_sigaction = on_info_with_sample;
    handle_samples();
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    sigemptyset(&ours);
    sigaddset(&ours, sampling_signal_number());
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &ours, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(sigprocmask(SIG_UNBLOCK, &ours, NULL), 0);
    ck_assert_int_eq(heard, 1);
    ck_assert_int_eq(told, 0);
}
END_TEST

static ucontext_t last_context;

static void on_interruption(int number, siginfo_t *info, void *context)
{
    on_info(number, info, context);
    last_context = *(const ucontext_t *)context;
}

/* One wait that such a handler cuts short. */
static void cut_wait_short(void)
{
    struct sigaction action = masking_action();
    const struct itimerval soon = { .it_value.tv_usec = 1000, .it_interval.tv_usec = 10 * 1000 };
    action.sa_sigaction = on_interruption;
    ck_assert_int_eq(masking_handlers_set(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
    ck_assert_int_eq(poll(NULL, 0, -1), -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL), 0);
}

START_TEST(a_sample_just_after_it_knows_that_a_wait_was_cut_short)
{
    bool is_told = false;
    for (int i = 0; i < 300 && !is_told; i++) { /* the processor may be taken from us */
        cut_wait_short();
        is_told = masking_handlers_returned_to(&last_context);
    }
    ck_assert(is_told);
    ck_assert(!masking_handlers_returned_to(&last_context));
}
END_TEST

START_TEST(a_sample_long_after_it_is_another)
{
    cut_wait_short();
    ck_assert_int_eq(poll(NULL, 0, 100), 0);
    ck_assert(!masking_handlers_returned_to(&last_context));
}
END_TEST

START_TEST(one_with_a_single_argument_is_called_too)
{
    struct sigaction action = { .sa_handler = on_plain }, old;
    sigfillset(&action.sa_mask);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, on_plain);
    ck_assert_int_eq(old.sa_flags & SA_SIGINFO, 0);
}
END_TEST

START_TEST(others_are_the_kernels_own)
{
    struct sigaction action = { .sa_handler = on_plain }, old;
    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert(!masking_handlers_have(SIGUSR1));
    action = masking_action();
    ck_assert_int_eq(masking_handlers_set(SIGSEGV, &action, NULL), 0);
    ck_assert(!masking_handlers_have(SIGSEGV));
    ck_assert_int_eq(sigaction(SIGSEGV, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
}
END_TEST

START_TEST(what_comes_after_it_finds_it_once)
{
    struct sigaction action = masking_action(), plain = { .sa_handler = on_plain }, old;
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &plain, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
    ck_assert(!masking_handlers_have(SIGUSR1));
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &old, &action), 0);
    ck_assert_ptr_eq(action.sa_handler, on_plain);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(one_that_is_reset_is_the_default_afterwards)
{
    struct sigaction action = masking_action(), old;
    action.sa_flags |= (int)SA_RESETHAND;
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
}
END_TEST

START_TEST(what_is_no_signal_is_refused)
{
    struct sigaction action = masking_action(), old;
    static const int wrong[] = { -1, 0, NSIG, 100000, SIGKILL };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(masking_handlers_set(wrong[i], &action, &old), -1);
        ck_assert_int_eq(errno, EINVAL);
        ck_assert(!masking_handlers_have(wrong[i]));
    }
}
END_TEST

static bool kernel_blocks_ours(int number)
{
    struct sigaction action;
    ck_assert_int_eq(sigaction(number, NULL, &action), 0);
    return sigismember(&action.sa_mask, sampling_signal_number()) == 1;
}

START_TEST(on_a_small_signal_stack_there_is_no_room_for_ours)
{
    const struct sigaction plain = { .sa_handler = on_plain },
                           on_stack = { .sa_handler = on_plain, .sa_flags = SA_ONSTACK };
    struct sigaction old;
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &on_stack, NULL), 0);
    ck_assert_int_eq(masking_handlers_set(SIGSEGV, &on_stack, NULL), 0);
    ck_assert_int_eq(masking_handlers_set(SIGALRM, &plain, NULL), 0);
    masking_handlers_note_stack(64 * 1024);
    ck_assert(!kernel_blocks_ours(SIGUSR1));
    masking_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
    ck_assert_int_eq(masking_handlers_set(SIGUSR2, &on_stack, NULL), 0);
    ck_assert(kernel_blocks_ours(SIGUSR1) && kernel_blocks_ours(SIGUSR2));
    ck_assert(kernel_blocks_ours(SIGSEGV));
    ck_assert(!kernel_blocks_ours(SIGALRM));
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, on_plain);
    ck_assert_int_eq(sigismember(&old.sa_mask, sampling_signal_number()), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(what_is_read_back_is_as_of_the_kernel)
{
    const struct sigaction action = masking_action();
    struct sigaction bare, old;
    ck_assert_int_eq(sigaction(SIGUSR2, &action, NULL), 0);
    ck_assert_int_eq(sigaction(SIGUSR2, NULL, &bare), 0);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_int_eq(old.sa_flags, bare.sa_flags);
    ck_assert_mem_eq(&old.sa_mask, &bare.sa_mask, sizeof(uint64_t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.masking_handlers");
    TCase *all = tcase_create("handlers");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, one_that_blocks_ours_is_called_by_ours_and_nobody_sees_it);
    tcase_add_test(all, a_sample_that_it_held_up_knows_that_it_returned);
    tcase_add_test(all, a_sample_at_the_same_place_later_is_another);
    tcase_add_test(all, a_sample_that_stays_blocked_is_not_told_later);
    tcase_add_test(all, a_sample_just_after_it_knows_that_a_wait_was_cut_short);
    tcase_add_test(all, a_sample_long_after_it_is_another);
    tcase_add_test(all, one_with_a_single_argument_is_called_too);
    tcase_add_test(all, others_are_the_kernels_own);
    tcase_add_test(all, what_comes_after_it_finds_it_once);
    tcase_add_test(all, one_that_is_reset_is_the_default_afterwards);
    tcase_add_test(all, what_is_no_signal_is_refused);
    tcase_add_test(all, on_a_small_signal_stack_there_is_no_room_for_ours);
    tcase_add_test(all, what_is_read_back_is_as_of_the_kernel);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
