/* child-agent.looker: when there is something to do for the looking thread, which is the test. */
#include <check.h>
#include <semaphore.h>
#include <signal.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/looker.h"
#include "child-agent/sampler/sampler.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/session.h"
#include "child-agent/threads/thread_registry.h"
#include "common/features.h"
#include "profd_sampling.h"
#include "tests/unit/run_suite.h"

static int calls;
static enum profd_sampling_outcome outcome;
static sem_t is_called;

static void note_call(enum profd_sampling_outcome got, void *unused)
{
    (void)unused;
    calls++;
    outcome = got;
    ck_assert_int_eq(sem_post(&is_called), 0);
}

static void ask_for_call(void)
{
    ck_assert_int_eq(profd_call_after_sampling(note_call, NULL), 0);
}

static void set_up(void)
{
    static char name[] = "test_looker";
    char *arguments[] = { name, NULL };
    core_initialize(1, arguments);
    sampling_signal_initialize(0);
    ck_assert_int_eq(thread_registry_initialize(), 0);
    ck_assert_int_eq(sem_init(&is_called, 0, 0), 0);
}

static void start_session(enum sampling_clock clock)
{
    static struct session_settings settings = {
        .generation = SESSION_OWN_GENERATION,
        .interval_ns = 1000000,
        .limit_bytes = 8 << 20,
        .features = FEATURE_CPU | FEATURE_STACKS,
    };
    settings.clock = clock;
    ck_assert_int_eq(session_start(&settings), 0);
    sampler_start_thread();
}

/* The calling thread is the agent's, and the looking one. */
static void begin_looking(void)
{
    sigset_t all;
    sigfillset(&all);
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    sampling_signal_only_wakes();
    sampler_note_agent_thread(true);
    looker_begin(false);
}

static void wait_and_turn(void)
{
    ck_assert_int_eq(look_alarm_wait(NULL, 0, looker_due_ns()), 0);
    looker_turn();
}

/* Nothing else runs here. */
static void come_to_rest(void)
{
    while (looker_due_ns() != LOOK_ALARM_NEVER)
        wait_and_turn();
}

START_TEST(without_a_session_there_is_nothing_to_do)
{
    begin_looking();
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
    looker_turn();
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
}
END_TEST

START_TEST(a_session_is_noticed_and_looked_at_until_nothing_runs)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    ck_assert(sampler_has_thread());
    ck_assert_uint_eq(looker_due_ns(), 0);
    uint64_t before_ns = clock_monotonic_ns();
    looker_turn();
    ck_assert_uint_gt(looker_due_ns(), before_ns);
    ck_assert_uint_ne(looker_due_ns(), LOOK_ALARM_NEVER);
    come_to_rest();
}
END_TEST

START_TEST(a_sample_ends_the_rest_with_a_look_later)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    come_to_rest();
    uint64_t before_ns = clock_monotonic_ns();
    look_alarm_ring_if_resting();
    looker_turn();
    ck_assert_uint_gt(looker_due_ns(), before_ns);
    ck_assert_uint_ne(looker_due_ns(), LOOK_ALARM_NEVER);
    come_to_rest();
}
END_TEST

START_TEST(news_that_are_not_for_looks_leave_it_at_rest)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    come_to_rest();
    look_alarm_wake();
    wait_and_turn();
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
}
END_TEST

START_TEST(who_waits_for_a_sampling_is_called_after_the_second_look)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    come_to_rest();
    ask_for_call();
    wait_and_turn();
    ck_assert_int_eq(calls, 0);
    wait_and_turn();
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(outcome, PROFD_SAMPLING_COMPLETED);
    come_to_rest();
}
END_TEST

START_TEST(the_end_of_a_session_is_noticed)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    come_to_rest();
    ask_for_call();
    session_stop();
    ck_assert(!sampler_has_thread());
    ck_assert_uint_eq(looker_due_ns(), 0);
    looker_turn();
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(outcome, PROFD_SAMPLING_STOPPED);
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
    ck_assert_int_lt(profd_call_after_sampling(note_call, NULL), 0);
}
END_TEST

START_TEST(so_is_another_one_in_its_place)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    come_to_rest();
    ask_for_call();
    start_session(SAMPLING_CLOCK_CPU);
    ck_assert_uint_eq(looker_due_ns(), 0);
    looker_turn();
    ck_assert_int_eq(outcome, PROFD_SAMPLING_STOPPED);
    ask_for_call();
    come_to_rest();
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq(outcome, PROFD_SAMPLING_COMPLETED);
}
END_TEST

START_TEST(what_a_looking_thread_leaves_is_for_the_next)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_CPU);
    looker_turn();
    ask_for_call();
    looker_end();
    ck_assert_int_eq(outcome, PROFD_SAMPLING_STOPPED);
    looker_begin(false);
    ck_assert_uint_eq(looker_due_ns(), 0);
    come_to_rest();
}
END_TEST

START_TEST(an_agent_thread_that_ended_is_not_replaced)
{
    begin_looking();
    sampler_note_agent_thread(false);
    start_session(SAMPLING_CLOCK_CPU);
    ck_assert(!sampler_has_thread());
    ck_assert_int_lt(profd_call_after_sampling(note_call, NULL), 0);
}
END_TEST

START_TEST(without_an_agent_thread_one_of_its_own_looks)
{
    start_session(SAMPLING_CLOCK_CPU);
    ck_assert(sampler_has_thread());
    ask_for_call();
    ck_assert_int_eq(sem_wait(&is_called), 0);
    ck_assert_int_eq(outcome, PROFD_SAMPLING_COMPLETED);
    ask_for_call();
    session_stop();
    ck_assert_int_eq(calls, 2); /* whether it still had a look or not */
}
END_TEST

START_TEST(the_wall_clock_is_none_of_its_business)
{
    begin_looking();
    start_session(SAMPLING_CLOCK_WALL);
    ck_assert(sampler_has_thread());
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
    ask_for_call();
    ck_assert_int_eq(sem_wait(&is_called), 0);
    session_stop();
    ck_assert_uint_eq(looker_due_ns(), LOOK_ALARM_NEVER);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("looker");
    TCase *turns = tcase_create("turns");
    tcase_add_checked_fixture(turns, set_up, NULL);
    tcase_add_test(turns, without_a_session_there_is_nothing_to_do);
    tcase_add_test(turns, a_session_is_noticed_and_looked_at_until_nothing_runs);
    tcase_add_test(turns, a_sample_ends_the_rest_with_a_look_later);
    tcase_add_test(turns, news_that_are_not_for_looks_leave_it_at_rest);
    tcase_add_test(turns, who_waits_for_a_sampling_is_called_after_the_second_look);
    tcase_add_test(turns, the_end_of_a_session_is_noticed);
    tcase_add_test(turns, so_is_another_one_in_its_place);
    tcase_add_test(turns, what_a_looking_thread_leaves_is_for_the_next);
    tcase_add_test(turns, an_agent_thread_that_ended_is_not_replaced);
    tcase_add_test(turns, without_an_agent_thread_one_of_its_own_looks);
    tcase_add_test(turns, the_wall_clock_is_none_of_its_business);
    suite_add_tcase(suite, turns);
    return run_suite(suite);
}
