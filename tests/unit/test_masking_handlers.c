/* child-agent.sampler.masking_handlers */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "child-agent/sampler/masking_handlers.h"
#include "child-agent/sampler/sampling_signal.h"
#include "tests/unit/run_suite.h"

static volatile sig_atomic_t calls;

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

START_TEST(what_is_no_signal_is_refused)
{
    const struct sigaction action = { .sa_handler = on_plain, .sa_flags = SA_ONSTACK };
    struct sigaction old;
    static const int wrong[] = { -1, 0, NSIG, 100000, SIGKILL };
    masking_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
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

START_TEST(what_is_no_handler_blocks_nothing_whatever_its_flags)
{
    const struct sigaction none = { .sa_handler = SIG_IGN, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    masking_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &none, NULL), 0);
    ck_assert(!kernel_blocks_ours(SIGUSR1));
    ck_assert_int_eq(raise(SIGUSR1), 0);
}
END_TEST

START_TEST(one_that_was_reset_stays_so_when_stacks_get_small)
{
    const struct sigaction once = { .sa_handler = on_plain,
                                    .sa_flags = (int)SA_RESETHAND | SA_ONSTACK };
    struct sigaction old;
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, &once, NULL), 0);
    ck_assert_int_eq(raise(SIGUSR1), 0);
    masking_handlers_note_stack(getauxval(AT_MINSIGSTKSZ));
    ck_assert_int_eq(masking_handlers_set(SIGUSR1, NULL, &old), 0);
    ck_assert_ptr_eq(old.sa_handler, SIG_DFL);
    ck_assert(!kernel_blocks_ours(SIGUSR1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.masking_handlers");
    TCase *all = tcase_create("handlers");
    tcase_add_checked_fixture(all, set_up, NULL);
    tcase_add_test(all, what_is_no_signal_is_refused);
    tcase_add_test(all, on_a_small_signal_stack_there_is_no_room_for_ours);
    tcase_add_test(all, what_is_no_handler_blocks_nothing_whatever_its_flags);
    tcase_add_test(all, one_that_was_reset_stays_so_when_stacks_get_small);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
