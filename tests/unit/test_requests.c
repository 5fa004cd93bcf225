/* daemon.requests: a real loop and children at the ends of real sockets, and no daemon. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/children/child_table.h"
#include "daemon/requests/requests.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "ipc/connection.h"
#include "ipc/messages.h"

enum { LOOP_ENDS_MS = 20 * 1000, INTERVAL_NS = 1000 * 1000, LIMIT_BYTES = 64 << 20 };

static const struct session_owner user = { SESSION_OWNER_USER, 0 };

static uv_loop_t loop;
static uv_timer_t limit, tick; /* the latter keeps the loop going, which has no other event */
static struct session session;
static struct child_table table;
static struct triggers triggers;
static struct requests requests;
static struct child *child;      /* that is asked; NULL: there is none */
static struct connection *agent; /* its end of the connection */
static unsigned orders;          /* that came there */
static bool must_come_back;      /* processes */

static struct {
    unsigned begun, joined, left, extras, moves, started, captures, unwanted, answers;
    int last_error;
    char last_text[256];
} seen;

/* --- What happens --- */

/* What it is told goes by its address alone. */
static struct client *some_client(void)
{
    return (struct client *)&seen;
}

static void on_answer(struct client *client, uint64_t id, int error, const char *text,
                      void *context)
{
    ck_assert_ptr_eq(context, &loop);
    ck_assert_ptr_eq(client, some_client());
    ck_assert_uint_eq(id, seen.answers + 1);
    seen.last_error = error;
    snprintf(seen.last_text, sizeof(seen.last_text), "%s", text);
    seen.answers++;
}

static void on_begin(const struct trigger_set *set, int directory_fd, void *context)
{
    (void)context;
    ck_assert_ptr_null(set);
    ck_assert_int_eq(directory_fd, -1);
    seen.begun++;
}

static void on_joined(const struct trigger_set *set, int directory_fd, void *context)
{
    (void)set, (void)directory_fd, (void)context;
    seen.joined++;
}

static void on_left(void *context)
{
    (void)context;
    seen.left++;
}

static void on_extras_over(void *context)
{
    (void)context;
    requests_end_time(&requests);
    seen.extras++;
}

static void on_move(void *context)
{
    (void)context;
    seen.moves++;
}

static void on_started(void *context)
{
    (void)context;
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
    seen.started++;
}

static void on_capture(struct request *request, void *context)
{
    (void)context;
    ck_assert_int_eq(request->kind, REQUEST_CAPTURE);
    seen.captures++;
}

static void on_capture_unwanted(int error, const char *text, void *context)
{
    (void)context;
    seen.unwanted++;
    requests_finish(&requests, error, text);
}

static bool is_awaiting(void *context)
{
    (void)context;
    return must_come_back;
}

static const struct requests_events events = {
    .on_answer = on_answer,
    .on_begin = on_begin,
    .on_joined = on_joined,
    .on_left = on_left,
    .on_extras_over = on_extras_over,
    .on_move = on_move,
    .on_started = on_started,
    .on_capture = on_capture,
    .on_capture_unwanted = on_capture_unwanted,
    .is_awaiting = is_awaiting,
};

/* --- A child and its agent --- */

static void on_order(struct connection *connection, unsigned kind, const uint8_t *payload,
                     size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)connection, (void)payload, (void)bytes, (void)fds, (void)fd_count, (void)owner;
    ck_assert_uint_eq(kind, MESSAGE_ENSURE_STARTED);
    orders++;
}

static void on_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events agent_events = { on_order, on_closed };

static void add_child(void)
{
    const struct child_introduction who = { .pid = getpid(),
                                            .executable = "/bin/asked",
                                            .executable_length = 10 };
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    child = child_table_add(&table, &who);
    ck_assert_ptr_nonnull(child);
    child->protocol_minor = PROTOCOL_MINOR;
    ck_assert_int_eq(connection_accept(&loop, ends[0], &agent_events, NULL, &child->connection), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[1], &agent_events, NULL, &agent), 0);
}

/* --- The loop --- */

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void on_tick(uv_timer_t *timer)
{
    ck_assert_ptr_eq(timer, &tick);
}

static void set_up(void)
{
    const struct requests_views views = { &session, &table, &triggers };

    memset(&table, 0, sizeof(table));
    memset(&triggers, 0, sizeof(triggers));
    memset(&requests, 0, sizeof(requests));
    memset(&session, 0, sizeof(session));
    memset(&seen, 0, sizeof(seen));
    child = NULL;
    agent = NULL;
    must_come_back = false;
    orders = 0;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &tick), 0);
    ck_assert_int_eq(uv_timer_start(&tick, on_tick, 1, 1), 0);
    ck_assert_int_eq(requests_init(&requests, &loop, &views, &events, &loop), 0);
}

static void tear_down(void)
{
    requests_close(&requests);
    if (agent != NULL)
        connection_close(agent, -ECANCELED);
    if (child != NULL) {
        connection_close(child->connection, -ECANCELED);
        child_table_remove(&table, child);
    }
    uv_close((uv_handle_t *)&limit, NULL);
    uv_close((uv_handle_t *)&tick, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static struct request *request_of(enum request_kind kind, uint64_t id)
{
    struct request *request = calloc(1, sizeof(*request));

    ck_assert_ptr_nonnull(request);
    request->kind = kind;
    request->client = some_client();
    request->id = id;
    request->owner = user;
    request->output_fd = -1;
    request->settings = (struct session_settings){ .interval_ns = INTERVAL_NS,
                                                   .memory_limit_bytes = LIMIT_BYTES,
                                                   .features = FEATURES_DEFAULT };
    return request;
}

static void add_request(enum request_kind kind, uint64_t id)
{
    ck_assert_int_eq(requests_add(&requests, request_of(kind, id)), 0);
}

static void run_until(const unsigned *count, unsigned at_least)
{
    while (*count < at_least)
        uv_run(&loop, UV_RUN_ONCE);
}

/* --- Tests --- */

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

START_TEST(children_acknowledge_before_the_answer)
{
    add_child();
    add_request(REQUEST_START, 1);
    run_until(&orders, 1);
    ck_assert_uint_eq(requests.round.missing, 1);
    requests_note_acknowledged(&requests, child, MESSAGE_STARTED, session.generation - 1);
    requests_note_acknowledged(&requests, child, MESSAGE_STOPPED, session.generation);
    ck_assert_uint_eq(seen.answers, 0);
    requests_note_acknowledged(&requests, child, MESSAGE_STARTED, session.generation);
    ck_assert_uint_eq(seen.answers, 1);
    ck_assert_str_eq(seen.last_text, "");
    ck_assert_uint_eq(requests.round.missing, 0);
}
END_TEST

START_TEST(who_does_not_acknowledge_is_named)
{
    add_child();
    add_request(REQUEST_START, 1);
    run_until(&seen.answers, 1); /* at the deadline */
    ck_assert_int_eq(seen.last_error, 0);
    ck_assert_ptr_nonnull(strstr(seen.last_text, "/bin/asked"));
    ck_assert_int_eq(session.state, SESSION_ACTIVE);
}
END_TEST

START_TEST(who_goes_is_not_waited_for)
{
    add_child();
    add_request(REQUEST_START, 1);
    run_until(&seen.moves, 1);
    requests_note_gone(&requests, child);
    ck_assert_uint_eq(seen.answers, 1);
    ck_assert_str_eq(seen.last_text, "");
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

int main(void)
{
    Suite *suite = suite_create("daemon.requests");
    TCase *all = tcase_create("requests");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, requests_are_carried_out_one_after_the_other);
    tcase_add_test(all, what_the_session_cannot_do_is_refused);
    tcase_add_test(all, children_acknowledge_before_the_answer);
    tcase_add_test(all, who_does_not_acknowledge_is_named);
    tcase_add_test(all, who_goes_is_not_waited_for);
    tcase_add_test(all, a_capture_is_for_somebody_else);
    tcase_add_test(all, a_client_that_goes_takes_its_captures_along);
    tcase_add_test(all, too_many_are_refused);
    tcase_add_test(all, a_duration_pauses_the_session);
    tcase_add_test(all, the_session_that_is_always_on_begins_once);
    suite_add_tcase(suite, all);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
