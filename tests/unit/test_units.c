/* Sizes, times and rates as people write them. */
#include <check.h>
#include <errno.h>

#include "profctl/units.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *text;
    int expect;
    uint64_t bytes;
} sizes[] = {
    { "0", 0, 0 },
    { "4096", 0, 4096 },
    { "512K", 0, 512 << 10 },
    { "64M", 0, 64 << 20 },
    { "64MiB", 0, 64 << 20 },
    { "2g", 0, UINT64_C(2) << 30 },
    { "1.5G", 0, UINT64_C(3) << 29 },
    { "", -EINVAL, 0 },
    { "M", -EINVAL, 0 },
    { "-1M", -EINVAL, 0 },
    { "1 M", -EINVAL, 0 },
    { "1X", -EINVAL, 0 },
    { "1.2.3", -EINVAL, 0 },
    { "0x10", -EINVAL, 0 },
    { "inf", -EINVAL, 0 },
    { "99999999999G", -ERANGE, 0 },
};

START_TEST(sizes_take_binary_units)
{
    uint64_t bytes = 0;

    ck_assert_msg(units_parse_size(sizes[_i].text, &bytes) == sizes[_i].expect, "'%s'",
                  sizes[_i].text);
    if (sizes[_i].expect == 0)
        ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static const struct {
    const char *text;
    int expect;
    uint64_t ns;
} times[] = {
    { "250us", 0, 250000 },         { "1ms", 0, 1000000 }, { "1.5s", 0, 1500000000 },
    { "2m", 0, 120000000000 },      { "100ns", 0, 100 },   { "7", 0, 7000 },
    { "1h", 0, 3600000000000 },     { "1d", -EINVAL, 0 },  { "soon", -EINVAL, 0 },
    { "ms", -EINVAL, 0 },           { "-1s", -EINVAL, 0 }, { "1s ", -EINVAL, 0 },
    { "99999999999s", -ERANGE, 0 },
};

START_TEST(times_take_units_and_bare_numbers_the_default)
{
    uint64_t ns = 0;

    ck_assert_msg(units_parse_time(times[_i].text, 1000, &ns) == times[_i].expect, "'%s'",
                  times[_i].text);
    if (times[_i].expect == 0)
        ck_assert_uint_eq(ns, times[_i].ns);
}
END_TEST

static const struct {
    const char *text;
    int expect;
    uint64_t interval_ns;
} rates[] = {
    { "1000", 0, 1000000 },   { "99", 0, 10101010 }, { "1000Hz", 0, 1000000 },
    { "0.5", 0, 2000000000 }, { "0", -EINVAL, 0 },   { "fast", -EINVAL, 0 },
    { "1000ms", -EINVAL, 0 },
};

START_TEST(a_rate_is_an_interval)
{
    uint64_t interval_ns = 0;

    ck_assert_msg(units_parse_rate(rates[_i].text, &interval_ns) == rates[_i].expect, "'%s'",
                  rates[_i].text);
    if (rates[_i].expect == 0)
        ck_assert_uint_eq(interval_ns, rates[_i].interval_ns);
}
END_TEST

START_TEST(counts_are_whole_and_bounded)
{
    uint64_t count = 0;

    ck_assert_int_eq(units_parse_count("10", 1, 10, &count), 0);
    ck_assert_uint_eq(count, 10);
    ck_assert_int_eq(units_parse_count("11", 1, 10, &count), -ERANGE);
    ck_assert_int_eq(units_parse_count("0", 1, 10, &count), -ERANGE);
    ck_assert_int_eq(units_parse_count("1.5", 1, 10, &count), -EINVAL);
    ck_assert_int_eq(units_parse_count("-1", 1, 10, &count), -EINVAL);
    ck_assert_int_eq(units_parse_count("", 1, 10, &count), -EINVAL);
    ck_assert_int_eq(units_parse_count("99999999999999999999", 1, UINT64_MAX, &count), -ERANGE);
}
END_TEST

static const struct {
    uint64_t bytes;
    const char *text;
} shown_sizes[] = {
    { 0, "0 B" },
    { 1023, "1023 B" },
    { 1024, "1.0 KB" },
    { 1536, "1.5 KB" },
    { 1024 * 1024 - 1, "1.0 MB" },
    { UINT64_C(5) << 30, "5.0 GB" },
};

START_TEST(sizes_are_shown_with_one_digit)
{
    char text[UNITS_TEXT_BYTES];

    ck_assert_str_eq(units_format_size(shown_sizes[_i].bytes, text), shown_sizes[_i].text);
}
END_TEST

START_TEST(counts_are_shown_in_threes)
{
    char text[UNITS_TEXT_BYTES];

    ck_assert_str_eq(units_format_count(0, text), "0");
    ck_assert_str_eq(units_format_count(999, text), "999");
    ck_assert_str_eq(units_format_count(1000, text), "1,000");
    ck_assert_str_eq(units_format_count(1234567, text), "1,234,567");
    ck_assert_str_eq(units_format_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite *suite = suite_create("profctl.units");
    TCase *parsing = tcase_create("parsing"), *showing = tcase_create("showing");

    tcase_add_loop_test(parsing, sizes_take_binary_units, 0, COUNT_OF(sizes));
    tcase_add_loop_test(parsing, times_take_units_and_bare_numbers_the_default, 0, COUNT_OF(times));
    tcase_add_loop_test(parsing, a_rate_is_an_interval, 0, COUNT_OF(rates));
    tcase_add_test(parsing, counts_are_whole_and_bounded);
    tcase_add_loop_test(showing, sizes_are_shown_with_one_digit, 0, COUNT_OF(shown_sizes));
    tcase_add_test(showing, counts_are_shown_in_threes);
    suite_add_tcase(suite, parsing);
    suite_add_tcase(suite, showing);
    return run_suite(suite);
}
