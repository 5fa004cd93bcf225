/* daemon.programs.signal_meaning: whom a signal to profd is for. */
#include <check.h>
#include <signal.h>

#include "daemon/programs/signal_meaning.h"
#include "tests/unit/run_suite.h"

static const int enders[] = { SIGINT, SIGHUP, SIGQUIT };
enum { ENDERS = sizeof(enders) / sizeof(enders[0]) };

START_TEST(a_command_gets_all_signals)
{
    ck_assert_int_eq(signal_meaning_of(SIGTERM, true, false), SIGNAL_IS_FOR_COMMAND);
    ck_assert_int_eq(signal_meaning_of(SIGUSR1, true, false), SIGNAL_IS_FOR_COMMAND);
    ck_assert_int_eq(signal_meaning_of(enders[_i], true, true), SIGNAL_IS_FOR_COMMAND);
}
END_TEST

START_TEST(whoever_ends_profd_by_hand_ends_the_session)
{
    ck_assert_int_eq(signal_meaning_of(enders[_i], false, false), SIGNAL_ENDS_PROFD_FULLY);
}
END_TEST

START_TEST(under_profctl_the_terminal_ends_nothing)
{
    ck_assert_int_eq(signal_meaning_of(enders[_i], false, true), SIGNAL_MEANS_NOTHING);
}
END_TEST

START_TEST(a_service_may_be_started_again)
{
    ck_assert_int_eq(signal_meaning_of(SIGTERM, false, false), SIGNAL_ENDS_PROFD);
    ck_assert_int_eq(signal_meaning_of(SIGTERM, false, true), SIGNAL_ENDS_PROFD);
}
END_TEST

START_TEST(other_signals_are_for_nobody)
{
    static const int others[] = { SIGUSR1, SIGUSR2, SIGALRM };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        ck_assert_int_eq(signal_meaning_of(others[i], false, false), SIGNAL_MEANS_NOTHING);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.programs.signal_meaning");
    TCase *all = tcase_create("signals");
    tcase_add_loop_test(all, a_command_gets_all_signals, 0, ENDERS);
    tcase_add_loop_test(all, whoever_ends_profd_by_hand_ends_the_session, 0, ENDERS);
    tcase_add_loop_test(all, under_profctl_the_terminal_ends_nothing, 0, ENDERS);
    tcase_add_test(all, a_service_may_be_started_again);
    tcase_add_test(all, other_signals_are_for_nobody);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
