/* profctl.http_client: what servers say in headers. */
#include <arpa/inet.h>
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profctl/http/http_client.h"
#include "tests/unit/run_suite.h"

START_TEST(a_header_is_known_by_its_name)
{
    const char *value;

    ck_assert(http_header_is("date: now", "Date:", &value));
    ck_assert_str_eq(value, "now");
    ck_assert(!http_header_is("Dates: now", "Date:", &value));
}
END_TEST

START_TEST(a_date_is_read)
{
    int64_t unix_s = 0;

    ck_assert(http_date_read("Sat, 28 Nov 2026 11:34:11 GMT\r\n", &unix_s));
    ck_assert_int_eq(unix_s, 1795865651);
    ck_assert(!http_date_read("soon", &unix_s));
    ck_assert(!http_date_read("", &unix_s));
}
END_TEST

/* Clocks that were never set, or that are no clocks. */
START_TEST(a_date_of_another_century_is_none)
{
    int64_t unix_s;

    ck_assert(!http_date_read("Thu, 01 Jan 1970 00:00:10 GMT", &unix_s));
    ck_assert(!http_date_read("Tue, 31 Dec 2019 23:59:59 GMT", &unix_s));
    ck_assert(http_date_read("Wed, 01 Jan 2020 00:00:00 GMT", &unix_s));
    ck_assert(http_date_read("Fri, 31 Dec 2100 23:59:59 GMT", &unix_s));
    ck_assert(!http_date_read("Sat, 01 Jan 2101 00:00:00 GMT", &unix_s));
    ck_assert(!http_date_read("Fri, 31 Dec 9999 23:59:59 GMT", &unix_s));
}
END_TEST

START_TEST(a_server_asks_for_seconds_or_until_a_date)
{
    const int64_t now_s = 1795865651; /* Sat, 28 Nov 2026 11:34:11 GMT */
    static const struct {
        const char *value;
        uint64_t wait_s;
    } rows[] = {
        { "120\r\n", 120 },
        { "0", 0 },
        { "99999999999999999999", HTTP_MOST_WAIT_S },
        { "-5", 0 },
        { "12 monkeys", 0 },
        { "soon", 0 },
        { "", 0 },
        { "Sat, 28 Nov 2026 11:36:11 GMT\r\n", 120 },
        { "Saturday, 28-Nov-26 11:36:11 GMT", 120 },
        { "Sat Nov 28 11:36:11 2026", 120 },
        { "Sat, 28 Nov 2026 11:34:11 GMT", 0 },
        { "Sat, 28 Nov 2026 11:34:10 GMT", 0 },
        { "Sun, 28 Nov 2027 11:34:11 GMT", HTTP_MOST_WAIT_S },
        { "Fri, 31 Dec 9999 23:59:59 GMT", 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_msg(http_retry_after(rows[i].value, now_s) == rows[i].wait_s, "%s: %llu",
                      rows[i].value, (unsigned long long)http_retry_after(rows[i].value, now_s));
}
END_TEST

/* Reads a request, and answers it with TEXT. */
static void answer_once(int listener, const char *text)
{
    char request[4096];
    size_t length = 0;
    int connection = accept(listener, NULL, NULL);

    for (;;) {
        ssize_t got = read(connection, request + length, sizeof(request) - 1 - length);
        if (got <= 0)
            _exit(1);
        length += (size_t)got;
        request[length] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL)
            break;
    }
    _exit(write(connection, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1);
}

/* Posts to a server that answers with TEXT. */
static void post_once(const char *text, struct http_answer *answer)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(to);
    char address[64];
    int listener = socket(AF_INET, SOCK_STREAM, 0), status;

    ck_assert_int_eq(bind(listener, (struct sockaddr *)&to, length), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&to, &length), 0);
    pid_t server = fork();
    if (server == 0)
        answer_once(listener, text);
    snprintf(address, sizeof(address), "http://127.0.0.1:%d/", ntohs(to.sin_port));
    struct http_client *client = http_client_create(NULL);
    const struct http_request request = { .server = "here", .address = address, .body = "" };
    http_client_post(client, &request, answer);
    http_client_destroy(client);
    ck_assert_int_eq(waitpid(server, &status, 0), server);
    ck_assert_int_eq(status, 0);
    close(listener);
}

/* Its clock is not this machine's. */
START_TEST(until_a_date_is_by_the_servers_clock)
{
    struct http_answer answer;

    post_once("HTTP/1.1 429 Too Many Requests\r\n"
              "Retry-After: Wed, 01 Jan 2025 00:30:00 GMT\r\n"
              "Date: Wed, 01 Jan 2025 00:00:00 GMT\r\n"
              "Content-Length: 0\r\nConnection: close\r\n\r\n",
              &answer);
    ck_assert_int_eq(answer.status, 429);
    ck_assert_uint_gt(answer.wait_s, 0);
    ck_assert_uint_le(answer.wait_s, 30 * 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.http_client");
    TCase *tests = tcase_create("headers");

    tcase_add_test(tests, a_header_is_known_by_its_name);
    tcase_add_test(tests, a_date_is_read);
    tcase_add_test(tests, a_date_of_another_century_is_none);
    tcase_add_test(tests, a_server_asks_for_seconds_or_until_a_date);
    tcase_add_test(tests, until_a_date_is_by_the_servers_clock);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
