/* A timer that may be replaced and deleted at any moment. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/sampler/held_timer.h"
#include "tests/unit/run_suite.h"
#include "tests/unit/timers_limit.h"

enum { INTERVAL_NS = 1000 * 1000, BURN_NS = 200 * 1000 * 1000 };

static const char mark, other_mark;
static struct held_timer timer;
static volatile sig_atomic_t signals, strangers, strange_marks;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    signals++;
    strangers += !held_timer_sent(&timer, info);
    strange_marks += !held_timer_is_marked(info, &mark) || held_timer_is_marked(info, &other_mark);
}

static int make_timer(void)
{
    const struct held_timer_wish wish = {
        .clock = CLOCK_THREAD_CPUTIME_ID, .signal_number = SIGURG, .thread = gettid(), .mark = &mark
    };

    return held_timer_make(&timer, &wish);
}

/* A thread that reads its own clock gives up a processor that others want there, and is seldom met
 * by the tick: without a call until the signals have come. */
static void burn_until_signals(int count)
{
    while (signals < count)
        ;
}

/* Long enough for any signal that may not come. */
static void burn(void)
{
    uint64_t end_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + BURN_NS;

    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        ;
}

static void set_up(void)
{
    const struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

    ck_assert_int_eq(sigaction(SIGURG, &action, NULL), 0);
    ck_assert_int_eq(make_timer(), 0);
}

START_TEST(its_signals_are_told_from_others)
{
    ck_assert(held_timer_exists(&timer));
    burn();
    ck_assert_int_eq(signals, 0);
    ck_assert_int_eq(held_timer_set(&timer, INTERVAL_NS), 0);
    burn_until_signals(5);
    ck_assert_int_eq(strangers, 0);
    ck_assert_int_eq(strange_marks, 0);
    ck_assert_int_eq(held_timer_set(&timer, 0), 0);
    signals = 0;
    burn();
    ck_assert_int_eq(signals, 0);
}
END_TEST

START_TEST(another_one_takes_its_place)
{
    ck_assert_int_eq(held_timer_set(&timer, INTERVAL_NS), 0);
    ck_assert_int_eq(make_timer(), 0);
    signals = 0;
    burn();
    ck_assert_int_eq(signals, 0);
}
END_TEST

START_TEST(what_cannot_be_made_leaves_what_there_is)
{
    struct timers_limit limit;

    forbid_timers(&limit);
    int error = make_timer();
    allow_timers(&limit);
    ck_assert_int_eq(error, -EAGAIN);
    ck_assert(held_timer_exists(&timer));
    ck_assert_int_eq(held_timer_set(&timer, INTERVAL_NS), 0);
    burn_until_signals(5);
}
END_TEST

START_TEST(what_was_deleted_cannot_be_set)
{
    held_timer_delete(&timer);
    held_timer_delete(&timer);
    ck_assert(!held_timer_exists(&timer));
    ck_assert_int_eq(held_timer_set(&timer, INTERVAL_NS), -EINVAL);
}
END_TEST

static Suite *held_timer_suite(void)
{
    Suite *suite = suite_create("child-agent.held_timer");
    TCase *life = tcase_create("life");

    tcase_add_checked_fixture(life, set_up, NULL);
    tcase_add_test(life, its_signals_are_told_from_others);
    tcase_add_test(life, another_one_takes_its_place);
    tcase_add_test(life, what_cannot_be_made_leaves_what_there_is);
    tcase_add_test(life, what_was_deleted_cannot_be_set);
    suite_add_tcase(suite, life);
    return suite;
}

int main(void)
{
    return run_suite(held_timer_suite());
}
