/* Which signal asks for samples, when the program uses some of them itself. */
#include <check.h>

#include "child-agent/sampler/signal_choice.h"
#include "tests/unit/run_suite.h"

static const struct {
    enum signal_place before;
    enum signal_use use;
    enum signal_place after;
    int number;
    bool is_shared;
} moves[] = {
    { SIGNAL_AT_FIRST, USES_NONE_OF_OURS, SIGNAL_AT_FIRST, SIGURG, false },
    { SIGNAL_AT_FIRST, USES_FIRST, SIGNAL_AT_SECOND, SIGWINCH, false },
    { SIGNAL_AT_FIRST, USES_SECOND, SIGNAL_AT_FIRST_ONLY, SIGURG, false },
    { SIGNAL_AT_FIRST_ONLY, USES_SECOND, SIGNAL_AT_FIRST_ONLY, SIGURG, false },
    { SIGNAL_AT_FIRST_ONLY, USES_FIRST, SIGNAL_SHARED, SIGURG, true },
    { SIGNAL_AT_SECOND, USES_FIRST, SIGNAL_AT_SECOND, SIGWINCH, false },
    { SIGNAL_AT_SECOND, USES_SECOND, SIGNAL_SHARED, SIGURG, true },
    { SIGNAL_SHARED, USES_FIRST, SIGNAL_SHARED, SIGURG, true },
    { SIGNAL_SHARED, USES_SECOND, SIGNAL_SHARED, SIGURG, true },
    { SIGNAL_CHOSEN, USES_NONE_OF_OURS, SIGNAL_CHOSEN, SIGUSR2, false },
    { SIGNAL_CHOSEN, USES_FIRST, SIGNAL_CHOSEN_SHARED, SIGUSR2, true },
    { SIGNAL_CHOSEN_SHARED, USES_FIRST, SIGNAL_CHOSEN_SHARED, SIGUSR2, true },
};

enum { MOVES = sizeof(moves) / sizeof(moves[0]) };

START_TEST(a_signal_that_the_program_uses_is_left_to_it)
{
    enum signal_place after = signal_place_after(moves[_i].before, moves[_i].use);
    ck_assert_int_eq(after, moves[_i].after);
    ck_assert_int_eq(signal_number_at(after, SIGUSR2), moves[_i].number);
    ck_assert_int_eq(signal_is_shared_at(after), moves[_i].is_shared);
}
END_TEST

START_TEST(what_the_user_chose_is_the_only_one_of_ours)
{
    ck_assert_int_eq(signal_use_of(SIGURG, 0), USES_FIRST);
    ck_assert_int_eq(signal_use_of(SIGWINCH, 0), USES_SECOND);
    ck_assert_int_eq(signal_use_of(SIGUSR2, 0), USES_NONE_OF_OURS);
    ck_assert_int_eq(signal_use_of(SIGURG, SIGUSR2), USES_NONE_OF_OURS);
    ck_assert_int_eq(signal_use_of(SIGWINCH, SIGUSR2), USES_NONE_OF_OURS);
    ck_assert_int_eq(signal_use_of(SIGUSR2, SIGUSR2), USES_FIRST);
}
END_TEST

START_TEST(sets_of_nearly_all_signals_mean_none)
{
    static const int kept[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS };
    sigset_t set;
    sigemptyset(&set);
    ck_assert(!signal_set_is_general(&set));
    sigaddset(&set, SIGURG);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    ck_assert(!signal_set_is_general(&set));
    sigfillset(&set);
    ck_assert(signal_set_is_general(&set));
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        sigdelset(&set, kept[i]);
    ck_assert(signal_set_is_general(&set));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("signal_choice");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, a_signal_that_the_program_uses_is_left_to_it, 0, MOVES);
    tcase_add_test(tcase, what_the_user_chose_is_the_only_one_of_ours);
    tcase_add_test(tcase, sets_of_nearly_all_signals_mean_none);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
