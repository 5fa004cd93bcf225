/* Sets of signals in one word. */
#include <check.h>
#include <signal.h>

#include "child-agent/guest/signal_bits.h"
#include "tests/unit/run_suite.h"

START_TEST(a_set_comes_back_as_it_was)
{
    uint64_t bits = signal_bit(SIGHUP) | signal_bit(SIGURG) | signal_bit(SIGRTMAX);
    sigset_t set = signal_bits_set(bits);

    ck_assert_uint_eq(signal_bits_of(&set), bits);
    ck_assert_int_eq(sigismember(&set, SIGURG), 1);
    ck_assert_int_eq(sigismember(&set, SIGRTMAX), 1);
    ck_assert_int_eq(sigismember(&set, SIGWINCH), 0);
    signal_bits_add(&set, signal_bit(SIGWINCH));
    ck_assert_uint_eq(signal_bits_of(&set), bits | signal_bit(SIGWINCH));
}
END_TEST

START_TEST(a_mask_is_changed_and_put_back)
{
    sigset_t mask;
    uint64_t before = signal_bits_change_mask(SIG_SETMASK, signal_bits_all());

    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    ck_assert_int_eq(sigismember(&mask, SIGUSR1), 1);
    (void)signal_bits_change_mask(SIG_SETMASK, before);
    ck_assert_uint_eq(signal_bits_change_mask(SIG_BLOCK, signal_bit(SIGUSR1)), before);
    ck_assert_uint_eq(signal_bits_change_mask(SIG_UNBLOCK, signal_bit(SIGUSR1)),
                      before | signal_bit(SIGUSR1));
}
END_TEST

static Suite *signal_bits_suite(void)
{
    Suite *suite = suite_create("child-agent.signal_bits");
    TCase *sets = tcase_create("sets");

    tcase_add_test(sets, a_set_comes_back_as_it_was);
    tcase_add_test(sets, a_mask_is_changed_and_put_back);
    suite_add_tcase(suite, sets);
    return suite;
}

int main(void)
{
    return run_suite(signal_bits_suite());
}
