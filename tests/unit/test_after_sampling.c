/* child-agent.after_sampling: who is called when, and with what. */
#include <check.h>
#include <errno.h>

#include "child-agent/sampler/after_sampling.h"
#include "tests/unit/run_suite.h"

enum { MOST_CALLS = 64 };

static int calls;
static enum profd_sampling_outcome outcomes[2 * MOST_CALLS];
static int asks_again;

static void note_outcome(enum profd_sampling_outcome outcome, void *context)
{
    ck_assert_ptr_eq(context, &calls);
    outcomes[calls++] = outcome;
    if (asks_again-- > 0)
        ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), 0);
}

static void ask_for_call(void)
{
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), 0);
}

/* One wake-up of the sampler. */
static void wake_sampler(void)
{
    after_sampling_note_tick();
    after_sampling_call(PROFD_SAMPLING_COMPLETED);
}

START_TEST(a_call_comes_when_the_tick_after_it_is_collected)
{
    after_sampling_open();
    ask_for_call();
    wake_sampler();
    ck_assert_int_eq(calls, 0);
    ask_for_call();
    wake_sampler();
    ck_assert_int_eq(calls, 1);
    wake_sampler();
    ck_assert_int_eq(calls, 2);
    wake_sampler();
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(outcomes[0], PROFD_SAMPLING_COMPLETED);
}
END_TEST

START_TEST(a_pause_is_told_to_all)
{
    after_sampling_open();
    ask_for_call();
    after_sampling_call(PROFD_SAMPLING_PAUSED);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(outcomes[0], PROFD_SAMPLING_PAUSED);
}
END_TEST

START_TEST(the_end_is_told_and_no_more_are_taken)
{
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), -ESRCH);
    after_sampling_open();
    ask_for_call();
    after_sampling_close();
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), -ESRCH);
    ck_assert_int_eq(calls, 0);
    after_sampling_call(PROFD_SAMPLING_STOPPED);
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(outcomes[0], PROFD_SAMPLING_STOPPED);
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), -ESRCH);
}
END_TEST

START_TEST(a_call_may_ask_for_the_next)
{
    after_sampling_open();
    asks_again = 1;
    ask_for_call();
    for (int i = 0; i < 4; i++)
        wake_sampler();
    ck_assert_int_eq(calls, 2);
}
END_TEST

START_TEST(too_many_are_refused)
{
    after_sampling_open();
    for (int i = 0; i < MOST_CALLS; i++)
        ask_for_call();
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), -EAGAIN);
    wake_sampler();
    wake_sampler();
    ck_assert_int_eq(calls, MOST_CALLS);
    ask_for_call();
}
END_TEST

START_TEST(a_forked_child_forgets_them)
{
    after_sampling_open();
    ask_for_call();
    after_sampling_after_fork_child();
    ck_assert_int_eq(profd_call_after_sampling(note_outcome, &calls), -ESRCH);
    after_sampling_call(PROFD_SAMPLING_STOPPED);
    ck_assert_int_eq(calls, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("after_sampling");
    TCase *waiting = tcase_create("waiting");
    tcase_add_test(waiting, a_call_comes_when_the_tick_after_it_is_collected);
    tcase_add_test(waiting, a_pause_is_told_to_all);
    tcase_add_test(waiting, the_end_is_told_and_no_more_are_taken);
    tcase_add_test(waiting, a_call_may_ask_for_the_next);
    tcase_add_test(waiting, too_many_are_refused);
    tcase_add_test(waiting, a_forked_child_forgets_them);
    suite_add_tcase(suite, waiting);
    return run_suite(suite);
}
