/* json.json_writer: numbers. */
#include <float.h>
#include <math.h>

#include "tests/unit/json_writer_scene.h"
#include "tests/unit/run_suite.h"

static const struct {
    uint64_t value;
    const char *text;
} unsigned_numbers[] = {
    { 0, "0" },
    { 9, "9" },
    { 10, "10" },
    { 99, "99" },
    { 100, "100" },
    { 999, "999" },
    { 1000, "1000" },
    { 9999, "9999" },
    { 10000, "10000" },
    { 123456789, "123456789" },
    { UINT64_C(9999999999999999999), "9999999999999999999" },
    { UINT64_C(10000000000000000000), "10000000000000000000" },
    { UINT64_MAX, "18446744073709551615" },
};

START_TEST(unsigned_numbers_are_written_in_full)
{
    json_u64(&writer, unsigned_numbers[_i].value);
    ck_assert_str_eq(text_of(&writer), unsigned_numbers[_i].text);
}
END_TEST

START_TEST(signed_numbers_have_their_sign)
{
    json_start_array(&writer);
    json_i64(&writer, -1);
    json_i64(&writer, 0);
    json_i64(&writer, INT64_MIN);
    json_i64(&writer, INT64_MAX);
    json_end_array(&writer);
    ck_assert_str_eq(text_of(&writer), "[-1,0,-9223372036854775808,9223372036854775807]");
}
END_TEST

static const struct {
    int64_t nanoseconds;
    const char *text;
} times[] = {
    { 0, "0" },
    { 1, "0.000001" },
    { 10, "0.00001" },
    { 999999, "0.999999" },
    { 1000000, "1" },
    { 1500000, "1.5" },
    { 1234567, "1.234567" },
    { 1000001, "1.000001" },
    { 120034000, "120.034" },
    { -1, "-0.000001" },
    { -2500000, "-2.5" },
    { INT64_MAX, "9223372036854.775807" },
    { INT64_MIN, "-9223372036854.775808" },
};

START_TEST(times_are_exact_and_have_no_trailing_zeros)
{
    json_time_ms(&writer, times[_i].nanoseconds);
    ck_assert_str_eq(text_of(&writer), times[_i].text);
}
END_TEST

static const struct {
    double value;
    const char *text;
} doubles[] = {
    { 0, "0" },
    { -0.0, "0" },
    { 1.5, "1.5" },
    { -0.25, "-0.25" },
    { 0.1, "0.1" },
    { 1e-9, "0" },
    { -1e-9, "0" },
    { 123456.789, "123456.789" },
    { 1e12, "1000000000000" },
    { 9007199254740991.0, "9.00719925474099e15" },
    { NAN, "null" },
    { INFINITY, "null" },
    { -INFINITY, "null" },
    { -3e15, "-3000000000000000" },
};

START_TEST(doubles_are_short_and_finite)
{
    json_double(&writer, doubles[_i].value);
    const char *text = text_of(&writer);
    if (strchr(doubles[_i].text, 'e') == NULL)
        ck_assert_str_eq(text, doubles[_i].text);
    else
        ck_assert_double_eq_tol(strtod(text, NULL) / doubles[_i].value, 1, 1e-13);
}
END_TEST

START_TEST(the_largest_double_is_a_number)
{
    json_double(&writer, -DBL_MAX);
    ck_assert_double_eq_tol(strtod(text_of(&writer), NULL) / -DBL_MAX, 1, 1e-12);
}
END_TEST

START_TEST(addresses_are_strings_without_leading_zeros)
{
    json_start_array(&writer);
    json_address(&writer, 0);
    json_address(&writer, 0x10);
    json_address(&writer, 0x7ffc0123abcd);
    json_address(&writer, UINT64_MAX);
    json_end_array(&writer);
    ck_assert_str_eq(text_of(&writer),
                     "[\"0x0\",\"0x10\",\"0x7ffc0123abcd\",\"0xffffffffffffffff\"]");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.json_numbers");
    TCase *values = add_case(suite, "values");
    tcase_add_loop_test(values, unsigned_numbers_are_written_in_full, 0, ROWS(unsigned_numbers));
    tcase_add_test(values, signed_numbers_have_their_sign);
    tcase_add_loop_test(values, times_are_exact_and_have_no_trailing_zeros, 0, ROWS(times));
    tcase_add_loop_test(values, doubles_are_short_and_finite, 0, ROWS(doubles));
    tcase_add_test(values, the_largest_double_is_a_number);
    tcase_add_test(values, addresses_are_strings_without_leading_zeros);
    return run_suite(suite);
}
