#include <check.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "daemon/metrics/metrics_address.h"
#include "tests/unit/run_suite.h"

static struct metrics_address address;

static void check_tcp(const char *text, const char *host, const char *port)
{
    char got_host[64], got_port[16];
    ck_assert_int_eq(metrics_address_parse(text, &address), 0);
    ck_assert(!address.is_unix);
    ck_assert_int_eq(getnameinfo((const struct sockaddr *)&address.address, address.address_bytes,
                                 got_host, sizeof(got_host), got_port, sizeof(got_port),
                                 NI_NUMERICHOST | NI_NUMERICSERV),
                     0);
    ck_assert_str_eq(got_host, host);
    ck_assert_str_eq(got_port, port);
}

START_TEST(a_port_alone_is_of_the_loopback)
{
    check_tcp("9464", "127.0.0.1", "9464");
    check_tcp("localhost:9464", "127.0.0.1", "9464");
}
END_TEST

START_TEST(who_wants_more_says_so)
{
    check_tcp("0.0.0.0:80", "0.0.0.0", "80");
    check_tcp("[::1]:9464", "::1", "9464");
}
END_TEST

START_TEST(a_path_is_a_unix_socket)
{
    ck_assert_int_eq(metrics_address_parse("/run/metrics", &address), 0);
    ck_assert(address.is_unix);
    ck_assert_str_eq(address.path, "/run/metrics");
    ck_assert_int_eq(metrics_address_parse("unix:metrics", &address), 0);
    ck_assert_str_eq(address.path, "metrics");
}
END_TEST

START_TEST(nonsense_is_none)
{
    static const char *const texts[] = {
        "",         ":",    ":9464",   "0",           "65536", "94x",        "host:9464",
        "::1:9464", "[::1", "[]:9464", "1.2.3.4.5:1", "unix:", "127.0.0.1:", "-1",
    };
    char path[256];
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        ck_assert_msg(metrics_address_parse(texts[i], &address) == -EINVAL, "%s", texts[i]);
    memset(path, '/', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    ck_assert_int_eq(metrics_address_parse(path, &address), -ENAMETOOLONG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.metrics_address");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_port_alone_is_of_the_loopback);
    tcase_add_test(all, who_wants_more_says_so);
    tcase_add_test(all, a_path_is_a_unix_socket);
    tcase_add_test(all, nonsense_is_none);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
