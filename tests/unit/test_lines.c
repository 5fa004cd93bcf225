/* daemon.lines: connections that are handed over, over real sockets on a real loop. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/agents/lines.h"
#include "ipc/connection.h"
#include "ipc/messages.h"
#include "ipc/socket.h"
#include "tests/unit/run_suite.h"

enum { LOOP_ENDS_MS = 20 * 1000 };

static uv_loop_t loop;
static uv_timer_t limit;
static struct lines lines;
static struct connection *connection;
static int agent, got_fd;
static unsigned got;
static struct peer_credentials got_peer;

static void on_connection(int fd, const struct peer_credentials *peer, void *context)
{
    ck_assert_ptr_eq(context, &loop);
    if (got_fd >= 0)
        close(got_fd);
    got_fd = fd;
    got_peer = *peer;
    got++;
}

static const struct lines_events events = { on_connection };

static void on_message(struct connection *from, unsigned kind, const uint8_t *payload, size_t bytes,
                       int *fds, size_t fd_count, void *owner)
{
    (void)from, (void)kind, (void)payload, (void)bytes, (void)fds, (void)fd_count, (void)owner;
    ck_abort_msg("a line's message went to who had it before");
}

static void on_closed(struct connection *from, int reason, void *owner)
{
    (void)from, (void)reason, (void)owner;
    ck_abort_msg("a line's end went to who had it before");
}

static const struct connection_events visitor_events = { on_message, on_closed };

static void on_limit(uv_timer_t *timer)
{
    (void)timer;
    ck_abort_msg("nothing happened in %d ms", LOOP_ENDS_MS);
}

static void set_up(void)
{
    int ends[2];
    got = 0;
    got_fd = -1;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0), 0);
    lines_init(&lines, &events, &loop);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    agent = ends[1];
    ck_assert_int_eq(connection_accept(&loop, ends[0], &visitor_events, NULL, &connection), 0);
    ck_assert_int_eq(lines_add(&lines, connection), 0);
}

static void tear_down(void)
{
    lines_close(&lines);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_ptr_null(lines.first);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    if (got_fd >= 0)
        close(got_fd);
    close(agent);
}

static void send_word(enum message_kind kind, const int *fds, size_t fd_count)
{
    uint8_t message[64];
    long count = message_put_empty(message, sizeof(message), kind);
    ck_assert_int_gt(count, 0);
    ck_assert_int_eq(socket_send(agent, message, (size_t)count, fds, fd_count), count);
}

START_TEST(test_connections_are_handed_over)
{
    for (unsigned i = 1; i <= 3; i++) {
        int ends[2];
        char byte;
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        send_word(MESSAGE_CONNECTION, &ends[1], 1);
        close(ends[1]);
        while (got < i)
            uv_run(&loop, UV_RUN_ONCE);
        ck_assert_int_eq(got_peer.pid, getpid());
        ck_assert_uint_eq(got_peer.uid, geteuid());
        ck_assert(fcntl(got_fd, F_GETFL) & O_NONBLOCK);
        ck_assert(fcntl(got_fd, F_GETFD) & FD_CLOEXEC);
        ck_assert_int_eq(write(ends[0], "x", 1), 1);
        ck_assert_int_eq(read(got_fd, &byte, 1), 1);
        close(ends[0]);
    }
    ck_assert_ptr_nonnull(lines.first);
}
END_TEST

static void await_end(void)
{
    while (lines.first != NULL)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_uint_eq(got, 0);
}

/* The kernel tells of its other end who called listen(), or who believes to talk to somebody else.
 */
START_TEST(test_an_end_of_a_connection_to_a_listener_ends_the_line)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    socklen_t length = sizeof(address);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    ck_assert_int_eq(connect(client, (struct sockaddr *)&address, length), 0);
    int server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    ck_assert_int_ge(server, 0);
    send_word(MESSAGE_CONNECTION, _i == 0 ? &client : &server, 1);
    await_end();
    close(server);
    close(client);
    close(listener);
}
END_TEST

START_TEST(test_whatever_else_comes_ends_the_line)
{
    int fd = -1, other[2] = { -1, -1 };
    size_t count = 1;
    enum message_kind kind = MESSAGE_CONNECTION;
    switch (_i) {
    case 0:
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        break;
    case 1:
        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        break;
    case 2:
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        break;
    case 3:
        count = 0;
        break;
    case 4:
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, other), 0);
        fd = other[0];
        kind = MESSAGE_HELLO;
        break;
    default:
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ck_assert_int_eq(bind(fd, &(struct sockaddr){ .sa_family = AF_UNIX }, sizeof(sa_family_t)),
                         0);
        ck_assert_int_eq(listen(fd, 1), 0);
        break;
    }
    send_word(kind, &fd, count);
    await_end();
    if (fd >= 0)
        close(fd);
    if (other[1] >= 0)
        close(other[1]);
}
END_TEST

START_TEST(test_one_whose_other_end_is_gone_is_handed_over)
{
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    close(ends[0]);
    send_word(MESSAGE_CONNECTION, &ends[1], 1);
    close(ends[1]);
    while (got == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_ptr_nonnull(lines.first);
}
END_TEST

START_TEST(test_a_line_ends_with_its_process)
{
    ck_assert_int_eq(shutdown(agent, SHUT_RDWR), 0);
    await_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.lines");
    TCase *tcase = tcase_create("lines");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_connections_are_handed_over);
    tcase_add_loop_test(tcase, test_whatever_else_comes_ends_the_line, 0, 6);
    tcase_add_loop_test(tcase, test_an_end_of_a_connection_to_a_listener_ends_the_line, 0, 2);
    tcase_add_test(tcase, test_one_whose_other_end_is_gone_is_handed_over);
    tcase_add_test(tcase, test_a_line_ends_with_its_process);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
