/* What addresses of servers have in common. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/url_parts.h"
#include "tests/unit/run_suite.h"

enum { HOST_BYTES = 16, USUAL_PORT = 80 };

static size_t host_length;
static uint16_t port;
static const char *problem;

static int server_of(const char *text)
{
    port = USUAL_PORT;
    return url_read_server(text, strlen(text), HOST_BYTES, &host_length, &port, &problem);
}

START_TEST(a_server_has_a_port_where_one_is_given)
{
    ck_assert_int_eq(server_of("db1"), 0);
    ck_assert_uint_eq(host_length, 3);
    ck_assert_uint_eq(port, USUAL_PORT);
    ck_assert_int_eq(server_of("db1:9000"), 0);
    ck_assert_uint_eq(host_length, 3);
    ck_assert_uint_eq(port, 9000);
}
END_TEST

START_TEST(colons_in_brackets_belong_to_the_host)
{
    ck_assert_int_eq(server_of("[fe80::1]:9000"), 0);
    ck_assert_uint_eq(host_length, strlen("[fe80::1]"));
    ck_assert_uint_eq(port, 9000);
}
END_TEST

START_TEST(no_more_is_read_than_was_given)
{
    port = USUAL_PORT;
    ck_assert_int_eq(url_read_server("db1:9000", 3, HOST_BYTES, &host_length, &port, &problem), 0);
    ck_assert_uint_eq(host_length, 3);
    ck_assert_uint_eq(port, USUAL_PORT);
}
END_TEST

START_TEST(what_is_no_host_is_refused)
{
    static const struct {
        const char *text, *problem;
    } none[] = {
        { "", "no host given" },
        { ":9000", "no host given" },
        { "a b", "the host is not a name or an address" },
        { "a/b", "the host is not a name or an address" },
        { "a\a", "the host is not a name or an address" },
        { "a]", "the host is not a name or an address" },
        { "[a", "the host is not a name or an address" },
        { "[]", "the host is not a name or an address" },
        { "[::1]x:1", "after the host, only :PORT or a path may follow" },
        { "0123456789abcdef", "the host is too long" },
    };

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_int_eq(server_of(none[i].text), -EINVAL);
        ck_assert_str_eq(problem, none[i].problem);
    }
}
END_TEST

START_TEST(what_is_no_port_is_refused)
{
    static const char *const none[] = { "a:", "a:0", "a:65536", "a:x", "a:123456789" };

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_int_eq(server_of(none[i]), -EINVAL);
        ck_assert_str_eq(problem, "the port is a number from 1 to 65535");
    }
}
END_TEST

START_TEST(this_machine_is_known_by_its_own_addresses)
{
    static const char *const here[] = { "localhost",         "LocalHost:80", "127.0.0.1",
                                        "127.1.2.3:80",      "[::1]:4318",   "[::1]",
                                        "[::ffff:127.0.0.1]" };
    static const char *const elsewhere[] = {
        "db",       "localhost.example",    "127.0.0.1.example",
        "10.0.0.1", "[fe80::1]:4318",       "127.example:80",
        "[::2]",    "[::ffff:10.0.0.1]:80", ""
    };

    for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++)
        ck_assert_msg(url_is_loopback(here[i]), "%s", here[i]);
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        ck_assert_msg(!url_is_loopback(elsewhere[i]), "%s", elsewhere[i]);
}
END_TEST

/* Writes what it is given behind one another, a space behind each; "stop" ends it. */
static int take_parameter(void *context, const char *parameter, size_t length)
{
    char *all = context;

    if (length == 4 && memcmp(parameter, "stop", 4) == 0)
        return -ECANCELED;
    strncat(all, parameter, length);
    strcat(all, " ");
    return 0;
}

START_TEST(parameters_come_one_by_one)
{
    char all[64] = "";

    ck_assert_int_eq(url_read_parameters("a=1&b=&c", take_parameter, all), 0);
    ck_assert_str_eq(all, "a=1 b= c ");
    all[0] = '\0';
    ck_assert_int_eq(url_read_parameters("", take_parameter, all), 0);
    ck_assert_str_eq(all, "");
}
END_TEST

START_TEST(an_error_ends_the_parameters)
{
    char all[64] = "";

    ck_assert_int_eq(url_read_parameters("a&stop&b", take_parameter, all), -ECANCELED);
    ck_assert_str_eq(all, "a ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.url_parts");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, a_server_has_a_port_where_one_is_given);
    tcase_add_test(claims, colons_in_brackets_belong_to_the_host);
    tcase_add_test(claims, no_more_is_read_than_was_given);
    tcase_add_test(claims, what_is_no_host_is_refused);
    tcase_add_test(claims, what_is_no_port_is_refused);
    tcase_add_test(claims, this_machine_is_known_by_its_own_addresses);
    tcase_add_test(claims, parameters_come_one_by_one);
    tcase_add_test(claims, an_error_ends_the_parameters);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
