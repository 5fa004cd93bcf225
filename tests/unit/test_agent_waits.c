/* child-agent.agent_waits: when the agent's thread stops waiting. A wait that nothing ends runs
 * into the limit of the test. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "buffer/clock.h"
#include "child-agent/agent_waits.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/sampling_signal.h"
#include "tests/unit/run_suite.h"

static void begin_waiting_thread(void)
{
    sigset_t all;
    sigfillset(&all);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    sampling_signal_only_wakes();
}

static void set_up(void)
{
    sampling_signal_initialize(0);
    ck_assert_int_eq(sampling_signal_install(), 0);
    look_alarm_reset();
    agent_waits_reset();
    begin_waiting_thread();
}

static void *rest_for_ever(void *unused)
{
    begin_waiting_thread();
    while (!agent_waits_are_over())
        agent_waits_rest(LOOK_ALARM_NEVER);
    return unused;
}

START_TEST(time_ends_a_wait_and_a_rest)
{
    uint64_t due_ns = clock_monotonic_ns() + 1000000;
    agent_waits_rest(due_ns);
    ck_assert_uint_ge(clock_monotonic_ns(), due_ns);
    ck_assert_int_eq(agent_waits_once(false, due_ns), 0);
    ck_assert(!agent_waits_are_over());
}
END_TEST

START_TEST(the_end_comes_to_whoever_rests)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, rest_for_ever, NULL), 0);
    agent_waits_end();
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

START_TEST(behind_the_end_nobody_waits)
{
    agent_waits_end();
    ck_assert(agent_waits_are_over());
    ck_assert_int_eq(agent_waits_once(false, LOOK_ALARM_NEVER), -ECANCELED);
    ck_assert_int_eq(agent_waits_once(false, LOOK_ALARM_NEVER), -ECANCELED);
    agent_waits_rest(LOOK_ALARM_NEVER);
}
END_TEST

START_TEST(the_next_thread_waits_again)
{
    agent_waits_end();
    agent_waits_reset();
    ck_assert(!agent_waits_are_over());
    look_alarm_wake();
    ck_assert_int_eq(agent_waits_once(false, LOOK_ALARM_NEVER), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.agent_waits");
    TCase *waits = tcase_create("waits");
    tcase_add_checked_fixture(waits, set_up, NULL);
    tcase_add_test(waits, time_ends_a_wait_and_a_rest);
    tcase_add_test(waits, the_end_comes_to_whoever_rests);
    tcase_add_test(waits, behind_the_end_nobody_waits);
    tcase_add_test(waits, the_next_thread_waits_again);
    suite_add_tcase(suite, waits);
    return run_suite(suite);
}
