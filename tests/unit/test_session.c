/* daemon.session */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "daemon/session.h"
#include "tests/unit/run_suite.h"

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

static const struct session_owner user = { SESSION_OWNER_USER, 0 };
static const struct session_owner program = { SESSION_OWNER_PROGRAM, 42 };
static const char *refusal;

static int start_for(const struct session_owner *owner, uint64_t now_ns)
{
    return session_start(&session, owner, &settings, now_ns, &refusal);
}

static int pause_for(const struct session_owner *owner)
{
    return session_pause(&session, owner, SESSION_EVENT_PAUSE, &refusal);
}

static void stop_for(const struct session_owner *owner)
{
    ck_assert_int_eq(session_stop(&session, owner, &refusal), 0);
}

static void go_to(enum session_state state)
{
    ck_assert_int_eq(start_for(&user, 5), 0);
    if (state == SESSION_STARTING)
        return;
    session_move(&session, SESSION_EVENT_STARTED);
    if (state == SESSION_PAUSED)
        session_move(&session, SESSION_EVENT_PAUSE);
    if (state == SESSION_GATHERING)
        session_move(&session, SESSION_EVENT_GATHER);
    if (state == SESSION_IDLE)
        stop_for(&user);
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

static int expected_state(enum session_state from, enum session_event event)
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
        int expect = expected_state(from, (enum session_event)event);
        bool may = session_may_move(&session, (enum session_event)event);
        ck_assert_msg(may == (expect >= 0), "%s, event %d", session_state_name(from), event);
        if (may)
            session_move(&session, (enum session_event)event);
        ck_assert_int_eq(session.state, expect < 0 ? (int)from : expect);
    }
}
END_TEST

START_TEST(a_refusal_always_says_why)
{
    for (int event = 0; event <= SESSION_EVENT_STOP; event++) {
        if (expected_state((enum session_state)_i, (enum session_event)event) < 0)
            ck_assert_uint_gt(
                strlen(session_refusal_text((enum session_state)_i, (enum session_event)event)),
                10);
    }
}
END_TEST

/* In a session that runs or is paused as a whole, and in no other state. */
START_TEST(sampling_pauses_and_leaves_the_state_alone)
{
    enum session_state state = (enum session_state)_i;
    bool may = state == SESSION_ACTIVE || state == SESSION_PAUSED;
    go_to(state);
    ck_assert(!session_may_move(&session, SESSION_EVENT_RESUME_SAMPLING));
    ck_assert(session_may_move(&session, SESSION_EVENT_PAUSE_SAMPLING) == may);
    if (may) {
        session_move(&session, SESSION_EVENT_PAUSE_SAMPLING);
        ck_assert(session.is_sampling_paused);
        ck_assert(!session_may_move(&session, SESSION_EVENT_PAUSE_SAMPLING));
        session_move(&session, SESSION_EVENT_RESUME_SAMPLING);
    }
    ck_assert(!session.is_sampling_paused);
    ck_assert_int_eq(session.state, state);
}
END_TEST

START_TEST(a_move_that_is_impossible_is_a_mistake_of_ours)
{
    session_move(&session, SESSION_EVENT_GATHERED);
}
END_TEST

START_TEST(a_new_session_samples)
{
    go_to(SESSION_ACTIVE);
    session_move(&session, SESSION_EVENT_PAUSE_SAMPLING);
    stop_for(&user);
    ck_assert_int_eq(start_for(&user, 9), 0);
    ck_assert(!session.is_sampling_paused);
}
END_TEST

START_TEST(each_start_has_a_generation_of_its_own)
{
    go_to(SESSION_IDLE);
    ck_assert_uint_eq(session.generation, 1);
    ck_assert_int_eq(start_for(&user, 9), 0);
    ck_assert_uint_eq(session.generation, 2);
    ck_assert_uint_eq(session.start_ns, 9);
}
END_TEST

START_TEST(a_refused_start_changes_nothing)
{
    go_to(SESSION_ACTIVE);
    settings.interval_ns = 7;
    ck_assert_int_eq(start_for(&user, 9), -EALREADY);
    ck_assert_ptr_nonnull(strstr(refusal, "already active"));
    ck_assert_uint_eq(session.generation, 1);
    ck_assert_uint_eq(session.start_ns, 5);
    ck_assert_uint_eq(session.settings.interval_ns, 1000000);
}
END_TEST

/* --- Two at once --- */

static void begin_beside_always_on_one(void)
{
    ck_assert_int_eq(start_for(&session_owner_always_on, 5), 0);
    session_move(&session, SESSION_EVENT_STARTED);
    settings.interval_ns = 7;
    ck_assert_int_eq(start_for(&user, 9), 0);
}

START_TEST(one_that_joins_changes_the_terms_and_nothing_else)
{
    begin_beside_always_on_one();
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    ck_assert_uint_eq(session.generation, 1);
    ck_assert_uint_eq(session.revision, 1);
    ck_assert_uint_eq(session.start_ns, 5);
    ck_assert_uint_eq(session.settings.interval_ns, 7);
    ck_assert_uint_eq(session_part_of(&session, &user)->since_ns, 9);
}
END_TEST

START_TEST(one_that_leaves_takes_its_terms_along)
{
    begin_beside_always_on_one();
    stop_for(&user);
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    ck_assert_uint_eq(session.revision, 2);
    ck_assert_uint_eq(session.settings.interval_ns, 1000000);
    ck_assert_ptr_null(session_part_of(&session, &user));
    ck_assert_int_eq(session_stop(&session, &user, &refusal), -ESRCH);
    ck_assert_ptr_nonnull(strstr(refusal, "always on"));
    stop_for(&session_owner_always_on);
    ck_assert_int_eq(session.state, SESSION_IDLE);
}
END_TEST

START_TEST(the_first_may_leave_the_second_alone)
{
    begin_beside_always_on_one();
    stop_for(&session_owner_always_on);
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    ck_assert_uint_eq(session.settings.interval_ns, 7);
}
END_TEST

START_TEST(a_third_is_refused)
{
    begin_beside_always_on_one();
    ck_assert_int_eq(start_for(&program, 11), -EBUSY);
    ck_assert_ptr_nonnull(strstr(refusal, "two sessions"));
    ck_assert_uint_eq(session.revision, 1);
}
END_TEST

START_TEST(of_two_none_pauses)
{
    begin_beside_always_on_one();
    ck_assert_int_eq(pause_for(&user), -EBUSY);
    stop_for(&session_owner_always_on);
    ck_assert_int_eq(pause_for(&program), -ESRCH);
    ck_assert_int_eq(pause_for(&user), 0);
    ck_assert_int_eq(pause_for(&user), -EINVAL);
    ck_assert_ptr_nonnull(strstr(refusal, "already paused"));
}
END_TEST

START_TEST(a_paused_session_is_joined_by_none)
{
    go_to(SESSION_PAUSED);
    ck_assert_int_eq(start_for(&program, 11), -EINVAL);
    ck_assert_ptr_nonnull(strstr(refusal, "paused"));
    session_move(&session, SESSION_EVENT_RESUME);
    session_move(&session, SESSION_EVENT_PAUSE_SAMPLING);
    ck_assert_int_eq(start_for(&program, 11), -EBUSY);
    ck_assert_ptr_nonnull(strstr(refusal, "sampling is paused"));
}
END_TEST

START_TEST(the_user_may_end_what_a_program_began)
{
    ck_assert_int_eq(start_for(&program, 5), 0);
    ck_assert_int_eq(session_part_of(&session, &user)->owner.pid, 42);
    stop_for(&user);
    ck_assert_int_eq(session.state, SESSION_IDLE);
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
    ck_assert_int_eq(start_for(&user, 0), 0);
    ck_assert_uint_ne(session.generation, 0);
}
END_TEST

START_TEST(a_capture_of_a_paused_session_leaves_it_paused)
{
    go_to(SESSION_PAUSED);
    session_move(&session, SESSION_EVENT_GATHER);
    ck_assert(session_is_paused(&session));
    session_move(&session, SESSION_EVENT_GATHERED);
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
    tcase_add_test_raise_signal(life, a_move_that_is_impossible_is_a_mistake_of_ours, SIGABRT);
    tcase_add_test(life, a_new_session_samples);
    tcase_add_test(life, each_start_has_a_generation_of_its_own);
    tcase_add_test(life, a_refused_start_changes_nothing);
    tcase_add_test(life, a_generation_is_never_0);
    tcase_add_test(life, a_new_profd_does_not_repeat_generations);
    tcase_add_test(life, one_that_joins_changes_the_terms_and_nothing_else);
    tcase_add_test(life, one_that_leaves_takes_its_terms_along);
    tcase_add_test(life, the_first_may_leave_the_second_alone);
    tcase_add_test(life, a_third_is_refused);
    tcase_add_test(life, of_two_none_pauses);
    tcase_add_test(life, a_paused_session_is_joined_by_none);
    tcase_add_test(life, the_user_may_end_what_a_program_began);
    tcase_add_test(life, a_capture_of_a_paused_session_leaves_it_paused);
    tcase_add_test(life, agents_are_told_generation_0_without_a_session);
    tcase_add_test(life, agents_are_told_the_settings);
    suite_add_tcase(suite, life);
    return run_suite(suite);
}
