#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "daemon/metrics/metrics_server.h"
#include "tests/unit/run_suite.h"

static uv_loop_t loop;
static int listening_fd;
static struct sockaddr_in address;
static struct metrics_server *server;
static unsigned pages;
static int page_error;
static size_t page_bytes;
static unsigned page_takes_ms;

static int make_page(void *owner, char **out, size_t *bytes)
{
    ck_assert_ptr_eq(owner, &pages);
    pages++;
    uv_sleep(page_takes_ms);
    *out = malloc(page_bytes);
    memset(*out, 'x', page_bytes);
    *bytes = page_bytes;
    if (page_error < 0)
        free(*out);
    return page_error;
}

static void set_up(void)
{
    static const struct metrics_server_events events = { make_page };
    socklen_t size = sizeof(address);
    page_bytes = 5;
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    listening_fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    address =
        (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    ck_assert_int_eq(bind(listening_fd, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(listening_fd, 16), 0);
    ck_assert_int_eq(getsockname(listening_fd, (struct sockaddr *)&address, &size), 0);
    ck_assert_int_eq(metrics_server_create(&loop, listening_fd, &events, &pages, &server), 0);
}

static void tear_down(void)
{
    metrics_server_close(server);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert_int_eq(close(listening_fd), 0);
}

/* The server is in this thread, so it works meanwhile. */
static int connect_client(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct pollfd connected = { fd, POLLOUT, 0 };
    int result = connect(fd, (struct sockaddr *)&address, sizeof(address));
    ck_assert(result == 0 || errno == EINPROGRESS);
    while (poll(&connected, 1, 1) == 0)
        uv_run(&loop, UV_RUN_NOWAIT);
    return fd;
}

static void send_text(int fd, const char *text)
{
    (void)send(fd, text, strlen(text), MSG_NOSIGNAL); /* else the answer tells */
}

/* All that the server says until it hangs up. */
static const char *read_answer(int fd)
{
    static char text[4096];
    size_t length = 0;
    ssize_t got;
    do {
        uv_run(&loop, UV_RUN_NOWAIT);
        got = recv(fd, text + length, sizeof(text) - 1 - length, MSG_DONTWAIT);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EAGAIN));
    text[length] = '\0';
    close(fd);
    return text;
}

static const char *ask_server(const char *request)
{
    int fd = connect_client();
    send_text(fd, request);
    return read_answer(fd);
}

START_TEST(the_page_is_served)
{
    const char *text = ask_server("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    ck_assert_ptr_nonnull(strstr(text, "HTTP/1.1 200 "));
    ck_assert_ptr_nonnull(strstr(text, "text/plain; version=0.0.4"));
    ck_assert_ptr_nonnull(strstr(text, "\r\n\r\nxxxxx"));
}
END_TEST

START_TEST(other_requests_are_refused)
{
    ck_assert_ptr_nonnull(strstr(ask_server("GET /x HTTP/1.0\r\n\r\n"), " 404 "));
    ck_assert_ptr_nonnull(strstr(ask_server("GET / HTTP/1.0\r\n\r\n"), "/metrics"));
    ck_assert_ptr_nonnull(strstr(
        ask_server("DELETE /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), " 405 "));
    ck_assert_ptr_null(strstr(ask_server("nonsense\r\n\r\n"), " 200 "));
    ck_assert_uint_eq(pages, 0);
}
END_TEST

START_TEST(a_page_that_cannot_be_made_is_said)
{
    page_error = -ENOMEM;
    ck_assert_ptr_nonnull(strstr(ask_server("GET /metrics HTTP/1.0\r\n\r\n"), " 500 "));
}
END_TEST

START_TEST(what_comes_with_a_request_is_passed_over)
{
    ck_assert_ptr_nonnull(strstr(
        ask_server("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"), "xxxxx"));
    ck_assert_ptr_null(strstr(ask_server("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n"), "xxxxx"));
}
END_TEST

/* However many ask at once, profd has other things to do: the first page holds for a while. */
START_TEST(those_who_ask_at_once_get_one_page)
{
    uint64_t begun_ns = uv_hrtime();
    for (unsigned i = 0; i < 8; i++)
        ck_assert_ptr_nonnull(strstr(ask_server("GET /metrics HTTP/1.0\r\n\r\n"), "xxxxx"));
    uint64_t held = 1 + (uv_hrtime() - begun_ns) / (METRICS_PAGE_HOLDS_MS * UINT64_C(1000000));
    ck_assert_uint_le(pages, held);
}
END_TEST

/* It is profd's loop that makes them. */
START_TEST(a_page_that_takes_long_holds_for_long)
{
    page_takes_ms = 2 * METRICS_PAGE_HOLDS_MS;
    ck_assert_ptr_nonnull(strstr(ask_server("GET /metrics HTTP/1.0\r\n\r\n"), "xxxxx"));
    uv_sleep(2 * METRICS_PAGE_HOLDS_MS);
    ck_assert_ptr_nonnull(strstr(ask_server("GET /metrics HTTP/1.0\r\n\r\n"), "xxxxx"));
    ck_assert_uint_eq(pages, 1);
}
END_TEST

/* More than there is room for, of whom nobody says a word; or all of them now and then a line. */
START_TEST(who_stays_is_hung_up_on)
{
    int fds[3 * METRICS_MOST_CONNECTIONS];
    size_t count = sizeof(fds) / sizeof(fds[0]);
    metrics_server_set_patience(server, 50);
    for (size_t i = 0; i < count; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fds[i], (struct sockaddr *)&address, sizeof(address));
        (void)send(fds[i], "GET /metrics HTTP/1.1\r\n", 23, MSG_NOSIGNAL);
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    const char *text;
    do {
        for (size_t i = 0; i < count; i++)
            (void)send(fds[i], "X: y\r\n", 6, MSG_NOSIGNAL);
        text = ask_server("GET /metrics HTTP/1.0\r\n\r\n");
    } while (strstr(text, "xxxxx") == NULL); /* the whole test has a limit */
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}
END_TEST

/* Nobody's patience has to end before: the test's limit is shorter. */
START_TEST(a_crowd_does_not_keep_others_out)
{
    int fds[3 * METRICS_MOST_CONNECTIONS];
    size_t count = sizeof(fds) / sizeof(fds[0]);
    for (size_t i = 0; i < count; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        (void)connect(fds[i], (struct sockaddr *)&address, sizeof(address));
        uv_run(&loop, UV_RUN_NOWAIT);
    }
    ck_assert_ptr_nonnull(strstr(ask_server("GET /metrics HTTP/1.0\r\n\r\n"), "xxxxx"));
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
}
END_TEST

START_TEST(who_does_not_read_keeps_nobody_waiting)
{
    page_bytes = 64 * 1024 * 1024;
    int deaf = connect_client();
    send_text(deaf, "GET /metrics HTTP/1.0\r\n\r\n");
    while (pages == 0)
        uv_run(&loop, UV_RUN_ONCE);
    ck_assert_ptr_nonnull(strstr(ask_server("GET /x HTTP/1.0\r\n\r\n"), " 404 "));
    close(deaf);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.metrics_server");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, the_page_is_served);
    tcase_add_test(all, other_requests_are_refused);
    tcase_add_test(all, a_page_that_cannot_be_made_is_said);
    tcase_add_test(all, those_who_ask_at_once_get_one_page);
    tcase_add_test(all, a_page_that_takes_long_holds_for_long);
    tcase_add_test(all, what_comes_with_a_request_is_passed_over);
    tcase_add_test(all, who_stays_is_hung_up_on);
    tcase_add_test(all, who_does_not_read_keeps_nobody_waiting);
    tcase_set_timeout(all, 60);
    suite_add_tcase(suite, all);
    TCase *crowds = tcase_create("crowds");
    tcase_add_checked_fixture(crowds, set_up, tear_down);
    tcase_add_test(crowds, a_crowd_does_not_keep_others_out);
    tcase_set_timeout(crowds, METRICS_PATIENCE_S - 1);
    suite_add_tcase(suite, crowds);
    return run_suite(suite);
}
