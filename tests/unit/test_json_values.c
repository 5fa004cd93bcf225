/* json.json_reader: strings and numbers as values. */
#include <errno.h>
#include <stdlib.h>

#include "tests/unit/json_reader_scene.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *json, *text;
    size_t length;
} decoded[] = {
    { "\"plain\"", "plain", 5 },
    { "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\"", "\b\f\n\r\t/\\\"", 8 },
    { "\"\\u0041\\u00e9\\u20ac\"", "Aé€", 6 },
    { "\"\\ud83d\\ude00\"", "😀", 4 },
    { "\"\\uD83D!\"", "\xef\xbf\xbd!", 4 },
    { "\"\\ude00\"", "\xef\xbf\xbd", 3 },
    { "\"\\ud83d\\u0041\"",
      "\xef\xbf\xbd"
      "A",
      4 },
    { "\"a\\u0000b\"", "a\0b", 3 },
    { "\"\"", "", 0 },
};

START_TEST(strings_are_decoded)
{
    const char *text;
    size_t length;
    struct json_reader *reader = open_text(decoded[_i].json);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_STRING);
    ck_assert_int_eq(json_reader_string(reader, &text, &length), 0);
    ck_assert_uint_eq(length, decoded[_i].length);
    ck_assert_int_eq(memcmp(text, decoded[_i].text, length + 1), 0);
    json_reader_close(reader);
}
END_TEST

START_TEST(keys_compare_decoded)
{
    struct json_reader *reader = open_text("{\"st\\u0061ck\":1}");
    json_reader_next(reader);
    ck_assert(!json_reader_is(reader, "{"));
    json_reader_next(reader);
    ck_assert(json_reader_is(reader, "stack"));
    ck_assert(!json_reader_is(reader, "stac"));
    json_reader_close(reader);
}
END_TEST

static const struct {
    const char *json;
    double value;
} numbers[] = {
    { "0", 0 },
    { "-1", -1 },
    { "0.1", 0.1 },
    { "3.000006", 3.000006 },
    { "-9223372036854.775807", -9223372036854.775807 },
    { "1795217341641.892439", 1795217341641.892439 },
    { "1e3", 1000 },
    { "1.5E-3", 0.0015 },
    { "123456789012345678901234567890", 123456789012345678901234567890.0 },
    { "0.00000000000000000000000000001", 1e-29 },
    { "2.2250738585072014e-308", 2.2250738585072014e-308 },
};

START_TEST(doubles_are_read_to_the_last_bit)
{
    struct json_reader *reader = open_text(numbers[_i].json);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_NUMBER);
    ck_assert(json_reader_double(reader) == numbers[_i].value);
    json_reader_close(reader);
}
END_TEST

static const struct {
    const char *json;
    int unsigned_result, signed_result;
} integers[] = {
    { "18446744073709551615", 0, -ERANGE },
    { "18446744073709551616", -ERANGE, -ERANGE },
    { "9223372036854775807", 0, 0 },
    { "9223372036854775808", 0, -ERANGE },
    { "-9223372036854775808", -ERANGE, 0 },
    { "-9223372036854775809", -ERANGE, -ERANGE },
    { "1.0", -ERANGE, -ERANGE },
    { "1e2", -ERANGE, -ERANGE },
    { "\"1\"", -ERANGE, -ERANGE },
};

START_TEST(integers_have_to_fit)
{
    uint64_t u;
    int64_t i;
    struct json_reader *reader = open_text(integers[_i].json);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_u64(reader, &u), integers[_i].unsigned_result);
    ck_assert_int_eq(json_reader_i64(reader, &i), integers[_i].signed_result);
    if (integers[_i].unsigned_result == 0)
        ck_assert_uint_eq(u, strtoull(integers[_i].json, NULL, 10));
    if (integers[_i].signed_result == 0)
        ck_assert_int_eq(i, strtoll(integers[_i].json, NULL, 10));
    json_reader_close(reader);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.json_values");
    TCase *tokens = tcase_create("tokens");
    tcase_add_loop_test(tokens, strings_are_decoded, 0, ROWS(decoded));
    tcase_add_test(tokens, keys_compare_decoded);
    tcase_add_loop_test(tokens, doubles_are_read_to_the_last_bit, 0, ROWS(numbers));
    tcase_add_loop_test(tokens, integers_have_to_fit, 0, ROWS(integers));
    suite_add_tcase(suite, tokens);
    return run_suite(suite);
}
