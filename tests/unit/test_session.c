/* daemon.session */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "daemon/session.h"

static struct session session;
static struct session_settings settings;

static void set_up(void)
{
    memset(&session, 0, sizeof(session));
    settings = (struct session_settings){
        .interval_ns = 1000000,
        .memory_limit_bytes = 1ULL << 30,
        .features = FEATURES_DEFAULT,
        .thread_filters = "main,worker",
    };
}

static void go_to(enum session_state state)
{
    ck_assert_int_eq(session_start(&session, &settings, 5), 0);
    if (state == SESSION_STARTING)
        return;
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_STARTED), 0);
    if (state == SESSION_PAUSED)
        ck_assert_int_eq(session_move(&session, SESSION_EVENT_PAUSE), 0);
    if (state == SESSION_GATHERING)
        ck_assert_int_eq(session_move(&session, SESSION_EVENT_GATHER), 0);
    if (state == SESSION_IDLE)
        ck_assert_int_eq(session_move(&session, SESSION_EVENT_STOP), 0);
}

/* All moves there are; every other pair of state and event is refused. */
static const struct {
    enum session_state from;
    enum session_event event;
    enum session_state to;
} moves[] = {
    { SESSION_IDLE, SESSION_EVENT_START, SESSION_STARTING },
    { SESSION_STARTING, SESSION_EVENT_STARTED, SESSION_ACTIVE },
    { SESSION_STARTING, SESSION_EVENT_STOP, SESSION_IDLE },
    { SESSION_ACTIVE, SESSION_EVENT_PAUSE, SESSION_PAUSED },
    { SESSION_ACTIVE, SESSION_EVENT_GATHER, SESSION_GATHERING },
    { SESSION_ACTIVE, SESSION_EVENT_STOP, SESSION_IDLE },
    { SESSION_PAUSED, SESSION_EVENT_RESUME, SESSION_ACTIVE },
    { SESSION_PAUSED, SESSION_EVENT_GATHER, SESSION_GATHERING },
    { SESSION_PAUSED, SESSION_EVENT_STOP, SESSION_IDLE },
    { SESSION_GATHERING, SESSION_EVENT_GATHERED, SESSION_ACTIVE },
    { SESSION_GATHERING, SESSION_EVENT_STOP, SESSION_IDLE },
};

static int expected(enum session_state from, enum session_event event)
{
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        if (moves[i].from == from && moves[i].event == event)
            return (int)moves[i].to;
    }
    return -EINVAL;
}

START_TEST(only_the_moves_in_the_picture_are_possible)
{
    enum session_state from = (enum session_state)_i;

    for (int event = 0; event <= SESSION_EVENT_STOP; event++) {
        set_up();
        go_to(from);
        int expect = expected(from, (enum session_event)event);
        int got = session_move(&session, (enum session_event)event);
        ck_assert_msg((got < 0) == (expect < 0), "%s, event %d", session_state_name(from), event);
        ck_assert_int_eq(session.state, expect < 0 ? (int)from : expect);
    }
}
END_TEST

START_TEST(a_refusal_always_says_why)
{
    for (int event = 0; event <= SESSION_EVENT_STOP; event++) {
        if (expected((enum session_state)_i, (enum session_event)event) < 0)
            ck_assert_uint_gt(
                strlen(session_refusal((enum session_state)_i, (enum session_event)event)), 10);
    }
}
END_TEST

/* In a session that runs or is paused as a whole, and in no other state. */
START_TEST(sampling_pauses_and_leaves_the_state_alone)
{
    enum session_state state = (enum session_state)_i;
    bool may = state == SESSION_ACTIVE || state == SESSION_PAUSED;
    int expect = may ? 0 : -EINVAL;
    go_to(state);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_RESUME_SAMPLING), -EINVAL);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_PAUSE_SAMPLING), expect);
    ck_assert(session.is_sampling_paused == may);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_PAUSE_SAMPLING), -EINVAL);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_RESUME_SAMPLING), expect);
    ck_assert(!session.is_sampling_paused);
    ck_assert_int_eq(session.state, state);
}
END_TEST

START_TEST(a_new_session_samples)
{
    go_to(SESSION_ACTIVE);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_PAUSE_SAMPLING), 0);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_STOP), 0);
    ck_assert_int_eq(session_start(&session, &settings, 9), 0);
    ck_assert(!session.is_sampling_paused);
}
END_TEST

START_TEST(each_start_has_a_generation_of_its_own)
{
    go_to(SESSION_IDLE);
    ck_assert_uint_eq(session.generation, 1);
    ck_assert_int_eq(session_start(&session, &settings, 9), 0);
    ck_assert_uint_eq(session.generation, 2);
    ck_assert_uint_eq(session.start_ns, 9);
}
END_TEST

START_TEST(a_refused_start_changes_nothing)
{
    go_to(SESSION_ACTIVE);
    settings.interval_ns = 7;
    ck_assert_int_eq(session_start(&session, &settings, 9), -EINVAL);
    ck_assert_uint_eq(session.generation, 1);
    ck_assert_uint_eq(session.start_ns, 5);
    ck_assert_uint_eq(session.settings.interval_ns, 1000000);
}
END_TEST

START_TEST(a_new_profd_does_not_repeat_generations)
{
    const uint64_t second_ns = 1000000000;
    ck_assert_uint_gt(session_first_generation(31 * second_ns),
                      session_first_generation(30 * second_ns) + 50);
}
END_TEST

START_TEST(a_generation_is_never_0)
{
    session.generation = UINT32_MAX;
    ck_assert_int_eq(session_start(&session, &settings, 0), 0);
    ck_assert_uint_ne(session.generation, 0);
}
END_TEST

START_TEST(a_capture_of_a_paused_session_leaves_it_paused)
{
    go_to(SESSION_PAUSED);
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_GATHER), 0);
    ck_assert(session_is_paused(&session));
    ck_assert_int_eq(session_move(&session, SESSION_EVENT_GATHERED), 0);
    ck_assert_int_eq(session.state, SESSION_PAUSED);
}
END_TEST

START_TEST(agents_are_told_generation_0_without_a_session)
{
    struct message_session message;

    go_to(SESSION_IDLE);
    session_describe(&session, &message);
    ck_assert_uint_eq(message.generation, 0);
}
END_TEST

START_TEST(agents_are_told_the_settings)
{
    struct message_session message;

    go_to(SESSION_PAUSED);
    session_describe(&session, &message);
    ck_assert_uint_eq(message.generation, 1);
    ck_assert_uint_eq(message.interval_ns, 1000000);
    ck_assert_uint_eq(message.is_paused, 1);
    ck_assert_uint_eq(message.thread_filters.length, strlen("main,worker"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.session");
    TCase *life = tcase_create("life");
    tcase_add_checked_fixture(life, set_up, NULL);
    tcase_add_loop_test(life, only_the_moves_in_the_picture_are_possible, 0, SESSION_GATHERING + 1);
    tcase_add_loop_test(life, a_refusal_always_says_why, 0, SESSION_GATHERING + 1);
    tcase_add_loop_test(life, sampling_pauses_and_leaves_the_state_alone, 0, SESSION_GATHERING + 1);
    tcase_add_test(life, a_new_session_samples);
    tcase_add_test(life, each_start_has_a_generation_of_its_own);
    tcase_add_test(life, a_refused_start_changes_nothing);
    tcase_add_test(life, a_generation_is_never_0);
    tcase_add_test(life, a_new_profd_does_not_repeat_generations);
    tcase_add_test(life, a_capture_of_a_paused_session_leaves_it_paused);
    tcase_add_test(life, agents_are_told_generation_0_without_a_session);
    tcase_add_test(life, agents_are_told_the_settings);
    suite_add_tcase(suite, life);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
