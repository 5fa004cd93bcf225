/* daemon.requests: what clients ask for is carried out in turn. */
#include "daemon/requests/requests.h"
#include "tests/unit/requests_scene.h"
#include "tests/unit/run_suite.h"

START_TEST(requests_are_carried_out_one_after_the_other)
{
    add_request(REQUEST_START, 1);
    add_request(REQUEST_PAUSE, 2);
    add_request(REQUEST_RESUME, 3);
    add_request(REQUEST_STOP, 4);
    ck_assert_uint_eq(seen.begun, 0); /* never from inside a call */
    run_until(&seen.answers, 4);
    ck_assert_uint_eq(seen.begun, 1);
    ck_assert_uint_eq(seen.moves, 4);
    ck_assert_uint_eq(seen.started, 1);
    ck_assert_uint_eq(seen.extras, 1);
    ck_assert_int_eq(session.state, SESSION_IDLE);
    ck_assert_int_eq(seen.last_error, 0);
}
END_TEST

START_TEST(what_the_session_cannot_do_is_refused)
{
    add_request(REQUEST_PAUSE, 1);
    run_until(&seen.answers, 1);
    ck_assert_int_lt(seen.last_error, 0);
    ck_assert_str_ne(seen.last_text, "");
    ck_assert_uint_eq(seen.moves, 0);
}
END_TEST

START_TEST(a_capture_is_for_somebody_else)
{
    must_come_back = true;
    add_request(REQUEST_CAPTURE, 1);
    ck_assert_int_ge(uv_run(&loop, UV_RUN_NOWAIT), 0);
    ck_assert_uint_eq(seen.captures, 0);
    must_come_back = false;
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(seen.captures, 1);
    requests_finish(&requests, 0, "");
    ck_assert_uint_eq(seen.answers, 1);
}
END_TEST

START_TEST(a_client_that_goes_takes_its_captures_along)
{
    add_request(REQUEST_CAPTURE, 1);
    add_request(REQUEST_CAPTURE, 2);
    add_request(REQUEST_START, 3);
    (void)uv_run(&loop, UV_RUN_NOWAIT);
    ck_assert_uint_eq(seen.captures, 1);
    requests_note_client_gone(&requests, some_client());
    ck_assert_uint_eq(seen.unwanted, 1);
    run_until(&seen.begun, 1); /* what it wanted of the session is done */
    ck_assert_uint_eq(seen.captures, 1);
    ck_assert_uint_eq(seen.answers, 0);
}
END_TEST

START_TEST(too_many_are_refused)
{
    for (uint64_t i = 1; i <= REQUESTS_MAX_WAITING; i++)
        add_request(REQUEST_RESUME, i);
    ck_assert_int_eq(requests_add(&requests, request_of(REQUEST_STOP, 99)), -EBUSY);
    run_until(&seen.answers, REQUESTS_MAX_WAITING);
}
END_TEST

START_TEST(a_duration_pauses_the_session)
{
    struct request *request = request_of(REQUEST_START, 1);

    request->duration_ms = 1;
    ck_assert_int_eq(requests_add(&requests, request), 0);
    run_until(&seen.answers, 1);
    requests_time_session(&requests);
    while (session.state != SESSION_PAUSED)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(session.end_ns, 0);
}
END_TEST

START_TEST(the_session_that_is_always_on_begins_once)
{
    requests.always_on = (struct session_settings){ .interval_ns = INTERVAL_NS,
                                                    .memory_limit_bytes = LIMIT_BYTES,
                                                    .features = FEATURES_DEFAULT };
    requests_join_always_on(&requests);
    requests_join_always_on(&requests);
    ck_assert_uint_eq(requests.waiting.count, 1);
    run_until(&seen.started, 1);
    requests_join_always_on(&requests);
    ck_assert_uint_eq(requests.waiting.count, 0);
    add_request(REQUEST_START, 1);
    run_until(&seen.joined, 1);
    run_until(&seen.answers, 1);
    add_request(REQUEST_STOP, 2);
    run_until(&seen.left, 1);
    run_until(&seen.answers, 2);
    ck_assert(session_is_on(&session));
    requests_close(&requests);
    requests_join_always_on(&requests);
    ck_assert_uint_eq(requests.waiting.count, 0);
    uv_run(&loop, UV_RUN_NOWAIT);
    const struct requests_views views = { &session, &table, &triggers };
    memset(&requests, 0, sizeof(requests));
    ck_assert_int_eq(requests_init(&requests, &loop, &views, &events, &loop), 0);
}
END_TEST

START_TEST(what_waits_can_begin_before_the_loop_runs)
{
    requests.always_on =
        (struct session_settings){ .interval_ns = INTERVAL_NS, .memory_limit_bytes = LIMIT_BYTES };
    requests_join_always_on(&requests);
    ck_assert(!session_is_on(&session));
    requests_begin_waiting(&requests);
    ck_assert(session_is_on(&session));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.requests");
    TCase *all = tcase_create("requests");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, requests_are_carried_out_one_after_the_other);
    tcase_add_test(all, what_the_session_cannot_do_is_refused);
    tcase_add_test(all, a_capture_is_for_somebody_else);
    tcase_add_test(all, a_client_that_goes_takes_its_captures_along);
    tcase_add_test(all, too_many_are_refused);
    tcase_add_test(all, a_duration_pauses_the_session);
    tcase_add_test(all, the_session_that_is_always_on_begins_once);
    tcase_add_test(all, what_waits_can_begin_before_the_loop_runs);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
