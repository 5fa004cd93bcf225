/* daemon.clients: what clients say over real sockets on a real loop, and no daemon. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/access.h"
#include "daemon/children/child_table.h"
#include "daemon/clients/clients.h"
#include "daemon/requests/requests.h"
#include "daemon/session.h"
#include "daemon/triggers/triggers.h"
#include "ipc/connection.h"
#include "ipc/frame.h"
#include "ipc/messages.h"
#include "tests/unit/run_suite.h"

enum { LOOP_ENDS_MS = 20 * 1000, LIMIT_BYTES = 64 << 20 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct session session;
static struct access access_rules;
static struct child_table table;
static struct triggers triggers;
static struct requests requests;
static struct clients clients;
static struct connection *visitor; /* profd's end, until it is a client's */
static struct connection *asking;  /* the client's end; NULL: it has closed */
static int fd_to_send;             /* with the next message; -1: none */
static unsigned replies, gone, refused;
static struct message_reply last;
static char last_text[512];

/* --- What happens --- */

static void on_answer(struct client *client, uint64_t id, int error, const char *text,
                      void *context)
{
    ck_assert_ptr_eq(context, &requests);
    if (client != NULL)
        client_reply(client, id, error, text);
}

static bool is_awaiting(void *context)
{
    ck_assert_ptr_eq(context, &requests);
    return true; /* so captures wait */
}

static const struct requests_events requests_events = { .on_answer = on_answer,
                                                        .is_awaiting = is_awaiting };

static void on_gone(struct client *client, void *context)
{
    ck_assert_ptr_eq(context, &clients);
    requests_note_client_gone(&requests, client);
    gone++;
}

static void on_needs(void *context)
{
    ck_assert_ptr_eq(context, &clients);
}

static const struct clients_events events = { on_gone, on_needs };

/* --- Both ends --- */

static void on_hello(struct connection *connection, unsigned kind, const uint8_t *payload,
                     size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)fds, (void)fd_count, (void)owner;
    ck_assert_uint_eq(kind, MESSAGE_CLIENT_HELLO);
    refused += clients_hello(&clients, connection, false, payload, bytes) < 0;
}

static void on_visitor_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
}

static const struct connection_events visitor_events = { on_hello, on_visitor_closed };

static void on_reply(struct connection *connection, unsigned kind, const uint8_t *payload,
                     size_t bytes, int *fds, size_t fd_count, void *owner)
{
    (void)connection, (void)fds, (void)fd_count, (void)owner;
    ck_assert_uint_eq(kind, MESSAGE_REPLY);
    ck_assert_int_eq(message_get_reply(payload, bytes, &last), 0);
    ck_assert_uint_lt(last.text.length, sizeof(last_text));
    memcpy(last_text, last.text.bytes, last.text.length);
    last_text[last.text.length] = '\0';
    replies++;
}

static void on_asking_closed(struct connection *connection, int reason, void *owner)
{
    (void)connection, (void)reason, (void)owner;
    asking = NULL;
}

static const struct connection_events asking_events = { on_reply, on_asking_closed };

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void begin_parts(void)
{
    const struct requests_views requests_views = { &session, &table, &triggers };
    const struct clients_views views = { .access = &access_rules,
                                         .requests = &requests,
                                         .triggers = &triggers,
                                         .memory_limit_bytes = LIMIT_BYTES };

    ck_assert_int_eq(access_init(&access_rules, NULL, false), 0);
    ck_assert_int_eq(requests_init(&requests, &loop, &requests_views, &requests_events, &requests),
                     0);
    clients_init(&clients, &views, &events, &clients);
}

static void set_up(void)
{
    int ends[2];

    memset(&session, 0, sizeof(session));
    memset(&table, 0, sizeof(table));
    memset(&triggers, 0, sizeof(triggers));
    memset(&requests, 0, sizeof(requests));
    replies = gone = refused = 0;
    fd_to_send = -1;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    begin_parts();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[0], &visitor_events, NULL, &visitor), 0);
    ck_assert_int_eq(connection_accept(&loop, ends[1], &asking_events, NULL, &asking), 0);
}

static void tear_down(void)
{
    if (asking != NULL)
        connection_close(asking, -ECANCELED);
    requests_close(&requests);
    clients_close(&clients);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_ptr_null(clients.first);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}

static void send_bytes(const uint8_t *frame, long bytes)
{
    ck_assert_int_gt(bytes, 0);
    ck_assert_int_eq(connection_send(asking, frame, (size_t)bytes, &fd_to_send, fd_to_send >= 0),
                     0);
    fd_to_send = -1;
}

static void say_hello(uint64_t version)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_client_hello hello = { .protocol_version = version };

    send_bytes(frame, message_put_client_hello(frame, sizeof(frame), MESSAGE_CLIENT_HELLO, &hello));
}

static void send_request(enum message_kind kind, uint64_t id)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_request request = { id };

    send_bytes(frame, message_put_request(frame, sizeof(frame), kind, &request));
}

static struct message_client_start start_of(uint64_t id)
{
    return (struct message_client_start){ .id = id,
                                          .features = FEATURES_DEFAULT,
                                          .max_files = 1,
                                          .thread_filters = { "", 0 },
                                          .output = { "", 0 },
                                          .triggers = { "", 0 } };
}

static void ask_start(const struct message_client_start *start)
{
    uint8_t frame[MESSAGE_MAX_BYTES];

    send_bytes(frame, message_put_client_start(frame, sizeof(frame), MESSAGE_CLIENT_START, start));
}

static void run_until(const unsigned *count, unsigned at_least)
{
    while (*count < at_least)
        uv_run(&loop, UV_RUN_ONCE);
}

static void run_until_closed(void)
{
    while (asking != NULL)
        uv_run(&loop, UV_RUN_ONCE);
}

/* --- Tests --- */

START_TEST(a_client_of_another_protocol_is_told_so)
{
    say_hello(PROTOCOL_VERSION + 1);
    run_until_closed();
    ck_assert_uint_eq(refused, 1);
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq((int)last.error, -EPROTONOSUPPORT);
    ck_assert_str_ne(last_text, "");
}
END_TEST

START_TEST(what_changes_the_session_waits_for_its_turn)
{
    say_hello(PROTOCOL_VERSION);
    send_request(MESSAGE_CLIENT_PAUSE, 7);
    run_until(&replies, 1);
    ck_assert_uint_eq(last.id, 7);
    ck_assert_int_lt((int)last.error, 0); /* there is no session */
    ck_assert_str_ne(last_text, "");
    ck_assert_ptr_nonnull(clients.first);
    ck_assert(clients.first->is_owner);
}
END_TEST

START_TEST(a_start_is_checked_before_it_waits)
{
    struct message_client_start start = start_of(3);

    say_hello(PROTOCOL_VERSION);
    if (_i == 0)
        start.interval_ns = MESSAGE_MIN_INTERVAL_NS - 1;
    else if (_i == 1)
        start.memory_limit_bytes = 1;
    else if (_i == 2)
        start.thread_filters = (struct message_string){ ",", 1 };
    else
        start.output = (struct message_string){ "x.json", 6 }; /* without a folder */
    ask_start(&start);
    run_until(&replies, 1);
    ck_assert_uint_eq(last.id, 3);
    ck_assert_int_eq((int)last.error, -EINVAL);
    ck_assert_str_ne(last_text, "");
    ck_assert(!session_is_on(&session));
}
END_TEST

START_TEST(a_capture_needs_an_output)
{
    const struct message_client_capture capture = { .id = 4 };
    uint8_t frame[MESSAGE_MAX_BYTES];
    long bytes = message_put_client_capture(frame, sizeof(frame), MESSAGE_CLIENT_CAPTURE, &capture);

    say_hello(PROTOCOL_VERSION);
    send_bytes(frame, bytes);
    run_until(&replies, 1);
    ck_assert_int_eq((int)last.error, -EPROTO);
    fd_to_send = open("/dev/null", O_WRONLY | O_CLOEXEC);
    send_bytes(frame, bytes);
    while (requests.waiting.count == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_int_ge(requests.waiting.first->output_fd, 0);
    connection_close(asking, -ECANCELED);
    run_until(&gone, 1);
    ck_assert_uint_eq(requests.waiting.count, 0); /* nobody wants it */
}
END_TEST

START_TEST(what_a_newer_profctl_asks_for_is_answered)
{
    say_hello(PROTOCOL_VERSION);
    send_request((enum message_kind)250, 9);
    run_until(&replies, 1);
    ck_assert_uint_eq(last.id, 9);
    ck_assert_int_eq((int)last.error, -EOPNOTSUPP);
}
END_TEST

START_TEST(a_message_that_cannot_be_used_ends_the_connection)
{
    uint8_t frame[MESSAGE_MAX_BYTES];
    const struct message_generation wrong = { UINT64_MAX };

    say_hello(PROTOCOL_VERSION);
    send_bytes(frame, message_put_generation(frame, sizeof(frame), MESSAGE_CLIENT_START, &wrong));
    run_until_closed();
    run_until(&gone, 1);
    ck_assert_ptr_null(clients.first);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.clients");
    TCase *all = tcase_create("clients");

    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_client_of_another_protocol_is_told_so);
    tcase_add_test(all, what_changes_the_session_waits_for_its_turn);
    tcase_add_loop_test(all, a_start_is_checked_before_it_waits, 0, 4);
    tcase_add_test(all, a_capture_needs_an_output);
    tcase_add_test(all, what_a_newer_profctl_asks_for_is_answered);
    tcase_add_test(all, a_message_that_cannot_be_used_ends_the_connection);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
