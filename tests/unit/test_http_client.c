/* profctl.http_client: what servers say in headers. */
#include <check.h>

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

int main(void)
{
    Suite *suite = suite_create("profctl.http_client");
    TCase *tests = tcase_create("headers");

    tcase_add_test(tests, a_header_is_known_by_its_name);
    tcase_add_test(tests, a_date_is_read);
    tcase_add_test(tests, a_date_of_another_century_is_none);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
