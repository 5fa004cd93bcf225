#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/sampler/interrupted_call.h"
#include "child-agent/sampler/program_handlers.h"
#include "child-agent/sampler/sampling_signal.h"
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

static void set_up(void)
{
    calls = 0;
    core.is_enabled = true;
    sampling_signal_initialize(0);
}

/* Whether the kernel has another handler for NUMBER than the program's. */
static bool kernel_has_ours(int number)
{
    struct sigaction now;
    ck_assert_int_eq(sigaction(number, NULL, &now), 0);
    return now.sa_sigaction != on_info && now.sa_handler != on_plain && now.sa_handler != SIG_DFL &&
           now.sa_handler != SIG_IGN;
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
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
    ck_assert(kernel_has_ours(SIGUSR1));
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
    ck_assert_int_eq(old.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
    ck_assert_int_eq(sigismember(&old.sa_mask, SIGTERM), 1);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(last_info.si_pid, getpid());
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
    struct sigaction action = masking_action();
    action.sa_sigaction = on_info_with_sample;
    handle_samples();
    rounds = 3;
    ck_assert_int_eq(program_handlers_set(SIGALRM, &action, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &soon, NULL), 0);
    ck_assert_int_eq(poll(NULL, 0, -1), -1);
    ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL), 0);
    ck_assert_int_le(rounds, 0);
    ck_assert_int_eq(made_again, 0);
}
END_TEST

START_TEST(one_with_a_single_argument_is_called_too)
{
    struct sigaction action = { .sa_handler = on_plain }, old;
    sigfillset(&action.sa_mask);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, on_plain);
    ck_assert_int_eq(old.sa_flags & SA_SIGINFO, 0);
}
END_TEST

START_TEST(one_that_blocks_nothing_is_called_by_ours_too)
{
    struct sigaction action = { .sa_handler = on_plain }, old;
    sigemptyset(&action.sa_mask);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert(kernel_has_ours(SIGUSR1));
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_ne(old.sa_handler, on_plain);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

static __sighandler_t set_as_interrupting(int number, __sighandler_t handler)
{
    struct sigaction action = { .sa_handler = handler }, old; /* as after siginterrupt() */
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

START_TEST(a_simple_one_is_set_as_the_c_library_sets_it)
{
    struct sigaction action = masking_action(), old;
    ck_assert_ptr_eq(program_handlers_set_simply(signal, SIGUSR1, on_plain), SIG_DFL);
    ck_assert(kernel_has_ours(SIGUSR1));
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, on_plain);
    ck_assert(old.sa_flags & SA_RESTART);
    ck_assert_ptr_eq(program_handlers_set_simply(set_as_interrupting, SIGUSR1, on_plain),
                     (void *)on_info);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert(!(old.sa_flags & SA_RESTART));
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_ptr_eq(program_handlers_set_simply(signal, SIGUSR1, SIG_IGN), on_plain);
    ck_assert_ptr_eq(program_handlers_set_simply(signal, SIGUSR1, SIG_DFL), SIG_IGN);
    ck_assert(!kernel_has_ours(SIGUSR1));
}
END_TEST

START_TEST(ours_that_the_kernel_told_of_is_the_programs)
{
    struct sigaction action = masking_action(), ours;
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &ours), 0);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &ours, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_ptr_eq(program_handlers_set_simply(signal, SIGUSR1, ours.sa_handler),
                     (void *)on_info);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 2);
}
END_TEST

START_TEST(where_nobody_asks_for_samples_it_is_the_kernels_and_finds_the_programs)
{
    struct sigaction action = masking_action(), plain = { .sa_handler = on_plain }, old;
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    atomic_store(&core.lost_sampling, true);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &plain, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
    ck_assert(!kernel_has_ours(SIGUSR1));
    ck_assert_ptr_eq(program_handlers_set_simply(signal, SIGUSR1, SIG_DFL), on_plain);
}
END_TEST

START_TEST(what_is_no_handler_has_none_whatever_its_flags)
{
    static const __sighandler_t none[] = { SIG_IGN, SIG_DFL };
    for (int i = 0; i < 2; i++) {
        const struct sigaction action = { .sa_handler = none[i], .sa_flags = SA_SIGINFO };
        ck_assert_int_eq(program_handlers_set(SIGCHLD, &action, NULL), 0);
        ck_assert_int_eq(raise(SIGCHLD), 0);
    }
}
END_TEST

START_TEST(one_that_was_reset_stays_so_when_stacks_get_small)
{
    const struct sigaction once = { .sa_handler = on_plain, .sa_flags = (int)SA_RESETHAND };
    struct sigaction bare, old;
    ck_assert_int_eq(sigaction(SIGUSR1, &once, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(sigaction(SIGUSR1, NULL, &bare), 0);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &once, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    program_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
    ck_assert_int_eq(old.sa_flags, bare.sa_flags);
}
END_TEST

static _Atomic bool has_end;

static void *set_again_and_again(void *unused)
{
    const struct sigaction handled = masking_action(), none = { .sa_handler = SIG_DFL };
    while (!atomic_load(&has_end)) {
        ck_assert_int_eq(program_handlers_set(SIGUSR2, &handled, NULL), 0);
        (void)program_handlers_set_simply(signal, SIGUSR2, on_plain);
        ck_assert_int_eq(program_handlers_set(SIGUSR2, &none, NULL), 0);
    }
    return unused;
}

START_TEST(who_looks_while_another_thread_sets_finds_no_other)
{
    pthread_t setter;
    struct sigaction old;
    ck_assert_int_eq(pthread_create(&setter, NULL, set_again_and_again, NULL), 0);
    for (int i = 0; i < 100 * 1000; i++) {
        ck_assert_int_eq(program_handlers_set(SIGUSR2, NULL, &old), 0);
        ck_assert(old.sa_sigaction == on_info || old.sa_handler == on_plain ||
                  old.sa_handler == SIG_DFL);
    }
    atomic_store(&has_end, true);
    ck_assert_int_eq(pthread_join(setter, NULL), 0);
}
END_TEST

START_TEST(others_are_the_kernels_own)
{
    struct sigaction action = masking_action(), old;
    const struct sigaction ignored = { .sa_handler = SIG_IGN };
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &ignored, NULL), 0);
    ck_assert(!kernel_has_ours(SIGUSR1));
    ck_assert_int_eq(program_handlers_set(SIGSEGV, &action, NULL), 0);
    ck_assert(!kernel_has_ours(SIGSEGV));
    ck_assert_int_eq(sigaction(SIGSEGV, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
}
END_TEST

START_TEST(what_comes_after_it_finds_it_once)
{
    struct sigaction action = masking_action(), plain = { .sa_handler = on_plain }, old;
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &plain, &old), 0);
    ck_assert_ptr_eq(old.sa_sigaction, on_info);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &old, &action), 0);
    ck_assert_ptr_eq(action.sa_handler, on_plain);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
}
END_TEST

START_TEST(one_that_is_reset_is_the_default_afterwards)
{
    struct sigaction action = masking_action(), old;
    action.sa_flags |= (int)SA_RESETHAND;
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
}
END_TEST

START_TEST(what_is_no_signal_is_refused)
{
    struct sigaction action = masking_action(), old;
    static const int wrong[] = { -1, 0, NSIG, 100000, SIGKILL };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        ck_assert_int_eq(program_handlers_set(wrong[i], &action, &old), -1);
        ck_assert_int_eq(errno, EINVAL);
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
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &on_stack, NULL), 0);
    ck_assert_int_eq(program_handlers_set(SIGSEGV, &on_stack, NULL), 0);
    ck_assert_int_eq(program_handlers_set(SIGALRM, &plain, NULL), 0);
    program_handlers_note_stack(64 * 1024);
    ck_assert(!kernel_blocks_ours(SIGUSR1));
    program_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
    ck_assert_int_eq(program_handlers_set(SIGUSR2, &on_stack, NULL), 0);
    ck_assert(kernel_blocks_ours(SIGUSR1) && kernel_blocks_ours(SIGUSR2));
    ck_assert(kernel_blocks_ours(SIGSEGV));
    ck_assert(!kernel_blocks_ours(SIGALRM));
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
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
    ck_assert_int_eq(program_handlers_set(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(program_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_int_eq(old.sa_flags, bare.sa_flags);
    ck_assert_mem_eq(&old.sa_mask, &bare.sa_mask, sizeof(uint64_t));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.program_handlers");
    TCase *all = tcase_create("handlers");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, one_that_blocks_ours_is_called_by_ours_and_nobody_sees_it);
    tcase_add_test(all, a_wait_that_only_a_sample_cut_short_is_made_again);
    tcase_add_test(all, a_wait_that_it_cut_short_is_not_made_again_for_samples);
    tcase_add_test(all, one_with_a_single_argument_is_called_too);
    tcase_add_test(all, one_that_blocks_nothing_is_called_by_ours_too);
    tcase_add_test(all, a_simple_one_is_set_as_the_c_library_sets_it);
    tcase_add_test(all, ours_that_the_kernel_told_of_is_the_programs);
    tcase_add_test(all, where_nobody_asks_for_samples_it_is_the_kernels_and_finds_the_programs);
    tcase_add_test(all, what_is_no_handler_has_none_whatever_its_flags);
    tcase_add_test(all, one_that_was_reset_stays_so_when_stacks_get_small);
    tcase_add_test(all, who_looks_while_another_thread_sets_finds_no_other);
    tcase_add_test(all, others_are_the_kernels_own);
    tcase_add_test(all, what_comes_after_it_finds_it_once);
    tcase_add_test(all, one_that_is_reset_is_the_default_afterwards);
    tcase_add_test(all, what_is_no_signal_is_refused);
    tcase_add_test(all, on_a_small_signal_stack_there_is_no_room_for_ours);
    tcase_add_test(all, what_is_read_back_is_as_of_the_kernel);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
