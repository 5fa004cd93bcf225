/* daemon.requests: children acknowledge before a request is answered. */
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/requests/requests.h"
#include "tests/unit/requests_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("daemon.request_answers");
    TCase *all = tcase_create("requests");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, children_acknowledge_before_the_answer);
    tcase_add_test(all, who_does_not_acknowledge_is_named);
    tcase_add_test(all, who_goes_is_not_waited_for);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
