/* Addresses of ClickHouse. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/clickhouse_url.h"
#include "tests/unit/run_suite.h"

static struct clickhouse_url url;
static char problem[CLICKHOUSE_PROBLEM_BYTES];

START_TEST(what_is_left_out_is_as_usual)
{
    ck_assert_int_eq(clickhouse_url_parse("clickhouse://db.example/profiles", &url, problem), 0);
    ck_assert_str_eq(url.host, "db.example");
    ck_assert_uint_eq(url.port, 8123);
    ck_assert_str_eq(url.database, "profiles");
    ck_assert_str_eq(url.user, "");
    ck_assert_str_eq(url.password_file, "");
    ck_assert_str_eq(url.cluster, "");
    ck_assert_uint_eq(url.days, 7);
    ck_assert_uint_eq(url.hour_days, 90);
}
END_TEST

START_TEST(every_part_is_read)
{
    ck_assert_int_eq(
        clickhouse_url_parse("clickhouse://me:/etc/a@b:c/key@[::1]:99/db_1?hour_days=8&"
                             "cluster=all&days=3",
                             &url, problem),
        0);
    ck_assert_str_eq(url.user, "me");
    ck_assert_str_eq(url.password_file, "/etc/a@b:c/key");
    ck_assert_str_eq(url.host, "[::1]");
    ck_assert_uint_eq(url.port, 99);
    ck_assert_str_eq(url.database, "db_1");
    ck_assert_str_eq(url.cluster, "all");
    ck_assert_uint_eq(url.days, 3);
    ck_assert_uint_eq(url.hour_days, 8);
}
END_TEST

START_TEST(an_address_over_tls_has_a_port_and_certificates_of_its_own)
{
    ck_assert_int_eq(clickhouse_url_parse("clickhouse+https://h/db", &url, problem), 0);
    ck_assert(url.is_secure);
    ck_assert_uint_eq(url.port, 8443);
    ck_assert_str_eq(url.ca_file, "");
    ck_assert_int_eq(clickhouse_url_parse(
                         "clickhouse+https://me@h:9/db?ca_file=/etc/a=b.pem&days=2", &url, problem),
                     0);
    ck_assert_uint_eq(url.port, 9);
    ck_assert_str_eq(url.user, "me");
    ck_assert_str_eq(url.ca_file, "/etc/a=b.pem");
    ck_assert_uint_eq(url.days, 2);
    ck_assert_int_eq(clickhouse_url_parse("clickhouse://h/db", &url, problem), 0);
    ck_assert(!url.is_secure);
}
END_TEST

START_TEST(an_address_without_port_may_be_ipv6)
{
    ck_assert_int_eq(clickhouse_url_parse("clickhouse://[fe80::1]/db", &url, problem), 0);
    ck_assert_str_eq(url.host, "[fe80::1]");
    ck_assert_uint_eq(url.port, 8123);
}
END_TEST

/* Nothing of these may reach a statement, or another host. */
START_TEST(anything_else_is_refused)
{
    static const char *const bad[] = {
        "",
        "http://h/db",
        "clickhouse://",
        "clickhouse://h",
        "clickhouse://h/",
        "clickhouse:///db",
        "clickhouse://h:/db",
        "clickhouse://h:0/db",
        "clickhouse://h:65536/db",
        "clickhouse://h:8123x/db",
        "clickhouse://h:123456789012/db",
        "clickhouse://h/db; DROP TABLE t",
        "clickhouse://h/1db",
        "clickhouse://h/a/b",
        "clickhouse://h/d`b",
        "clickhouse://h o/db",
        "clickhouse://@h/db",
        "clickhouse://me:@h/db",
        "clickhouse://m'e@h/db",
        "clickhouse://h/db?cluster=a'b",
        "clickhouse://h/db?cluster=",
        "clickhouse://h/db?days=0",
        "clickhouse://h/db?days=12345678901",
        "clickhouse://h/db?other=1",
        "clickhouse://h/db?&",
        "clickhouse://h/db?ca_file=/etc/ca.pem",
        "clickhouse+https://h/db?ca_file=",
        "clickhouse+http://h/db",
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        problem[0] = '\0';
        ck_assert_msg(clickhouse_url_parse(bad[i], &url, problem) == -EINVAL, "%s", bad[i]);
        ck_assert_msg(problem[0] != '\0', "%s", bad[i]);
    }
}
END_TEST

START_TEST(names_that_are_too_long_are_refused)
{
    char text[1024] = "clickhouse://h/";

    memset(text + strlen(text), 'a', CLICKHOUSE_NAME_BYTES);
    ck_assert_int_eq(clickhouse_url_parse(text, &url, problem), -EINVAL);
    strcpy(text, "clickhouse://");
    memset(text + strlen(text), 'a', CLICKHOUSE_HOST_BYTES);
    strcat(text, "/db");
    ck_assert_int_eq(clickhouse_url_parse(text, &url, problem), -EINVAL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.clickhouse_url");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, what_is_left_out_is_as_usual);
    tcase_add_test(claims, every_part_is_read);
    tcase_add_test(claims, an_address_over_tls_has_a_port_and_certificates_of_its_own);
    tcase_add_test(claims, an_address_without_port_may_be_ipv6);
    tcase_add_test(claims, anything_else_is_refused);
    tcase_add_test(claims, names_that_are_too_long_are_refused);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
