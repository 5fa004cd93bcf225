/* daemon.program_life */
#include <check.h>

#include "daemon/programs/program_life.h"
#include "tests/unit/run_suite.h"

#define SECOND_NS UINT64_C(1000000000)

static struct program_life life;
static uint64_t now_ns;

static void set_up(void)
{
    now_ns = 100 * SECOND_NS;
}

static enum program_action send_event(enum program_event event)
{
    return program_life_move(&life, event, now_ns);
}

static void run_program(enum restart_policy policy)
{
    program_life_init(&life, policy);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_DUE), PROGRAM_DO_START);
}

START_TEST(only_what_the_policy_says_is_run_again)
{
    static const struct {
        enum restart_policy policy;
        enum program_event event;
        enum program_action action;
    } cases[] = {
        { RESTART_NEVER, PROGRAM_EVENT_SUCCEEDED, PROGRAM_DO_END },
        { RESTART_NEVER, PROGRAM_EVENT_FAILED, PROGRAM_DO_END },
        { RESTART_ON_FAILURE, PROGRAM_EVENT_SUCCEEDED, PROGRAM_DO_END },
        { RESTART_ON_FAILURE, PROGRAM_EVENT_FAILED, PROGRAM_DO_WAIT },
        { RESTART_ALWAYS, PROGRAM_EVENT_SUCCEEDED, PROGRAM_DO_WAIT },
        { RESTART_ALWAYS, PROGRAM_EVENT_FAILED, PROGRAM_DO_WAIT },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(cases[i].policy);
        ck_assert_int_eq(send_event(cases[i].event), cases[i].action);
        ck_assert_int_eq(life.state,
                         cases[i].action == PROGRAM_DO_END ? PROGRAM_OVER : PROGRAM_WAITING);
    }
}
END_TEST

START_TEST(waits_grow_up_to_a_limit_and_begin_anew_after_a_long_run)
{
    uint64_t wanted_ms = PROGRAM_FIRST_WAIT_MS;

    run_program(RESTART_ALWAYS);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(send_event(PROGRAM_EVENT_FAILED), PROGRAM_DO_WAIT);
        ck_assert_uint_eq(life.wait_ms, wanted_ms);
        ck_assert_int_eq(send_event(PROGRAM_EVENT_DUE), PROGRAM_DO_START);
        wanted_ms = wanted_ms * 2 < PROGRAM_LAST_WAIT_MS ? wanted_ms * 2 : PROGRAM_LAST_WAIT_MS;
    }
    ck_assert_uint_eq(life.wait_ms, PROGRAM_LAST_WAIT_MS);
    ck_assert_uint_eq(life.runs, 21);
    now_ns += PROGRAM_STEADY_MS * UINT64_C(1000000);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_FAILED), PROGRAM_DO_WAIT);
    ck_assert_uint_eq(life.wait_ms, PROGRAM_FIRST_WAIT_MS);
}
END_TEST

START_TEST(a_stopped_one_is_never_run_again)
{
    run_program(RESTART_ALWAYS);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_STOP), PROGRAM_DO_SIGNAL);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_STOP), PROGRAM_DO_NOTHING);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_FAILED), PROGRAM_DO_END);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_DUE), PROGRAM_DO_NOTHING);

    run_program(RESTART_ALWAYS);
    send_event(PROGRAM_EVENT_FAILED);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_STOP), PROGRAM_DO_END);
}
END_TEST

START_TEST(who_does_not_stop_is_killed_and_then_given_up)
{
    run_program(RESTART_NEVER);
    send_event(PROGRAM_EVENT_STOP);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_TIMEOUT), PROGRAM_DO_KILL);
    ck_assert_int_eq(send_event(PROGRAM_EVENT_TIMEOUT), PROGRAM_DO_END);
    ck_assert_int_eq(life.state, PROGRAM_OVER);
}
END_TEST

START_TEST(what_does_not_fit_changes_nothing)
{
    for (int state = PROGRAM_WAITING; state <= PROGRAM_OVER; state++) {
        for (int event = PROGRAM_EVENT_DUE; event <= PROGRAM_EVENT_TIMEOUT; event++) {
            program_life_init(&life, RESTART_NEVER);
            life.state = (enum program_state)state;
            if (send_event((enum program_event)event) == PROGRAM_DO_NOTHING)
                ck_assert_int_eq(life.state, state);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.program_life");
    TCase *tests = tcase_create("life");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, only_what_the_policy_says_is_run_again);
    tcase_add_test(tests, waits_grow_up_to_a_limit_and_begin_anew_after_a_long_run);
    tcase_add_test(tests, a_stopped_one_is_never_run_again);
    tcase_add_test(tests, who_does_not_stop_is_killed_and_then_given_up);
    tcase_add_test(tests, what_does_not_fit_changes_nothing);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
