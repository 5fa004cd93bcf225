/* json.json_reader */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_reader.h"

/* A source that gives its text a few bytes at a time. */
struct dribble {
    const char *next, *end;
    size_t step;
    int error; /* at the end instead of 0 */
};

static ssize_t dribble(void *context, char *bytes, size_t n)
{
    struct dribble *source = context;
    size_t left = (size_t)(source->end - source->next);
    size_t got = n < source->step ? n : source->step;
    got = got < left ? got : left;
    memcpy(bytes, source->next, got);
    source->next += got;
    return got == 0 ? source->error : (ssize_t)got;
}

static const char letters[] = {
    [JSON_TOKEN_START_OBJECT] = '{', [JSON_TOKEN_END_OBJECT] = '}', [JSON_TOKEN_START_ARRAY] = '[',
    [JSON_TOKEN_END_ARRAY] = ']',    [JSON_TOKEN_KEY] = 'k',        [JSON_TOKEN_STRING] = 's',
    [JSON_TOKEN_NUMBER] = 'n',       [JSON_TOKEN_TRUE] = 't',       [JSON_TOKEN_FALSE] = 'f',
    [JSON_TOKEN_NULL] = '0',
};

/* The tokens as letters, keys and scalars followed by their raw text. Returns the last result. */
static int read_all(struct json_reader *reader, char *tokens)
{
    int token;
    char *out = tokens;
    while ((token = json_reader_next(reader)) > 0) {
        size_t length;
        const char *raw = json_reader_raw(reader, &length);
        *out++ = letters[token];
        if (token == JSON_TOKEN_KEY || token == JSON_TOKEN_STRING || token == JSON_TOKEN_NUMBER)
            out += sprintf(out, "%.*s ", (int)length, raw);
    }
    *out = '\0';
    return token;
}

static const struct {
    const char *json, *tokens;
} documents[] = {
    { "{}", "{}" },
    { "[]", "[]" },
    { " \n\t\r[ ] ", "[]" },
    { "1", "n1 " },
    { "-0.5e+10", "n-0.5e+10 " },
    { "\"a\"", "sa " },
    { "true", "t" },
    { "{\"a\":[1,\"x\"]}", "{ka [n1 sx ]}" },
    { "{ \"a\" : { } , \"b\" : [ null , false ] }", "{ka {}kb [0f]}" },
    { "[[[]],[]]", "[[[]][]]" },
    { "[\"\\\"\\\\\\u00e9\"]", "[s\\\"\\\\\\u00e9 ]" },
    { "{\"a\":1,\"a\":2}", "{ka n1 ka n2 }" },
    { "[0,-1,10,1.25,1E5,123456789012345678901234567890]",
      "[n0 n-1 n10 n1.25 n1E5 n123456789012345678901234567890 ]" },
};

START_TEST(documents_become_tokens_however_they_arrive)
{
    char tokens[256];
    for (size_t step = 1; step < 8; step++) {
        const char *json = documents[_i].json;
        struct dribble source = { json, json + strlen(json), step, 0 };
        struct json_reader *reader;
        ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
        ck_assert_int_eq(read_all(reader, tokens), JSON_TOKEN_END);
        ck_assert_str_eq(tokens, documents[_i].tokens);
        ck_assert_uint_eq(json_reader_offset(reader), strlen(json));
        ck_assert_str_eq(json_reader_error(reader), "");
        ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END);
        json_reader_close(reader);
    }
}
END_TEST

static const struct {
    const char *json;
    const char *error;
} malformed[] = {
    { "", "byte 0: the document ends too early" },
    { "   ", "byte 3: the document ends too early" },
    { "[", "byte 1: the document ends too early" },
    { "[1", "byte 2: the document ends too early" },
    { "[1,", "byte 3: the document ends too early" },
    { "[1,]", "byte 3: expected a value" },
    { "[,1]", "byte 1: expected a value" },
    { "[1 2]", "byte 3: expected ',' or ']'" },
    { "[1}", "byte 2: expected ',' or ']'" },
    { "{]", "byte 1: expected a key" },
    { "{1:2}", "byte 1: expected a key" },
    { "{\"a\" 1}", "byte 5: expected ':' after a key" },
    { "{\"a\":}", "byte 5: expected a value" },
    { "{\"a\":1,}", "byte 7: expected a key" },
    { "{\"a\":1", "byte 6: the document ends too early" },
    { "[1] 2", "byte 4: something follows the document" },
    { "]", "byte 0: expected a value" },
    { "\"a", "byte 2: a string without end" },
    { "\"a\\", "byte 2: a string without end" },
    { "\"\\x\"", "byte 1: an unknown escape" },
    { "\"\\u12g4\"", "byte 1: \\u without four hexadecimal digits" },
    { "\"\\u12", "byte 1: a string without end" },
    { "\"a\nb\"", "byte 2: a control character in a string" },
    { "tru", "byte 0: a value cut short" },
    { "trux", "byte 0: an unknown word" },
    { "nope", "byte 0: an unknown word" },
    { "01", "byte 2: a malformed number" },
    { "1.", "byte 2: a malformed number" },
    { ".5", "byte 0: expected a value" },
    { "-", "byte 1: a malformed number" },
    { "1e", "byte 2: a malformed number" },
    { "1e+", "byte 3: a malformed number" },
    { "--1", "byte 3: a malformed number" },
    { "\xef\xbb\xbf[]", "byte 0: expected a value" },
};

START_TEST(malformed_documents_are_refused_where_they_are_wrong)
{
    char tokens[256];
    for (size_t step = 1; step < 8; step += 6) {
        const char *json = malformed[_i].json;
        struct dribble source = { json, json + strlen(json), step, 0 };
        struct json_reader *reader;
        ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
        ck_assert_int_eq(read_all(reader, tokens), -EPROTO);
        ck_assert_str_eq(json_reader_error(reader), malformed[_i].error);
        ck_assert_int_eq(json_reader_next(reader), -EPROTO);
        ck_assert_int_eq(json_reader_more(reader), -EPROTO);
        json_reader_close(reader);
    }
}
END_TEST

static struct json_reader *open_text(const char *json)
{
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(json, strlen(json), &reader), 0);
    return reader;
}

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

START_TEST(more_tells_whether_the_collection_goes_on)
{
    int elements = 0;
    struct json_reader *reader = open_text("{\"a\":[ 1 , 2 , [] ],\"b\":[ ]}");
    ck_assert_int_eq(json_reader_more(reader), 0);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_more(reader), 1);
    json_reader_next(reader);
    json_reader_next(reader);
    while (json_reader_more(reader) == 1) {
        json_reader_next(reader);
        ck_assert_int_eq(json_reader_skip(reader), 0);
        elements++;
    }
    ck_assert_int_eq(elements, 3);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END_ARRAY);
    ck_assert_int_eq(json_reader_more(reader), 1);
    json_reader_next(reader);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_more(reader), 0);
    ck_assert_uint_eq(json_reader_depth(reader), 2);
    json_reader_close(reader);
}
END_TEST

START_TEST(skip_goes_behind_the_value)
{
    struct json_reader *reader = open_text("{\"a\":{\"x\":[1,{}]},\"b\":2,\"c\":3}");
    json_reader_next(reader);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_skip(reader), 0);
    json_reader_next(reader);
    ck_assert(json_reader_is(reader, "b"));
    ck_assert_int_eq(json_reader_skip(reader), 0);
    json_reader_next(reader);
    ck_assert(json_reader_is(reader, "c"));
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_NUMBER);
    ck_assert_int_eq(json_reader_skip(reader), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END_OBJECT);
    json_reader_close(reader);
}
END_TEST

struct copied {
    char *bytes;
    size_t length;
    int error;
};

static int take_bytes(void *context, const char *bytes, size_t n)
{
    struct copied *copied = context;
    if (copied->error != 0)
        return copied->error;
    copied->bytes = realloc(copied->bytes, copied->length + n + 1);
    memcpy(copied->bytes + copied->length, bytes, n);
    copied->length += n;
    copied->bytes[copied->length] = '\0';
    return 0;
}

START_TEST(values_are_copied_as_they_stand)
{
    static const char *const values[] = { "1.50", "\"a\\u0041\"", "[ 1, {\"x\" : [ ] } ]", "{}",
                                          "null" };
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char json[100];
        struct copied copied = { NULL, 0, 0 };
        snprintf(json, sizeof(json), "{\"a\" :  %s , \"b\":7}", values[i]);
        struct dribble source = { json, json + strlen(json), 3, 0 };
        struct json_reader *reader;
        ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
        json_reader_next(reader);
        json_reader_next(reader);
        ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), 0);
        ck_assert_str_eq(copied.bytes, values[i]);
        ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_KEY);
        ck_assert(json_reader_is(reader, "b"));
        json_reader_close(reader);
        free(copied.bytes);
    }
}
END_TEST

START_TEST(a_copy_larger_than_the_window_comes_in_pieces)
{
    enum { COUNT = 300000 };
    char *json = malloc(COUNT * 8 + 10), *out = json;
    struct copied copied = { NULL, 0, 0 };
    out += sprintf(out, "[[");
    for (int i = 0; i < COUNT; i++)
        out += sprintf(out, "%s%d", i == 0 ? "" : ",", i);
    out += sprintf(out, "]]");
    struct dribble source = { json, out, 100000, 0 };
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), 0);
    ck_assert_uint_eq(copied.length, (size_t)(out - json) - 2);
    ck_assert_int_eq(memcmp(copied.bytes, json + 1, copied.length), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END_ARRAY);
    json_reader_close(reader);
    free(copied.bytes);
    free(json);
}
END_TEST

START_TEST(a_copy_that_is_refused_ends_the_reading)
{
    struct copied copied = { NULL, 0, -ENOSPC };
    struct json_reader *reader = open_text("[1]");
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), -ENOSPC);
    ck_assert_int_eq(json_reader_next(reader), -ENOSPC);
    json_reader_close(reader);
}
END_TEST

START_TEST(there_is_nothing_to_copy_at_the_end_of_a_collection)
{
    struct copied copied = { NULL, 0, 0 };
    struct json_reader *reader = open_text("[]");
    json_reader_next(reader);
    ck_assert_int_eq(json_reader_copy_value(reader, take_bytes, &copied), -EPROTO);
    json_reader_close(reader);
}
END_TEST

START_TEST(a_string_longer_than_the_window_is_one_token)
{
    size_t length = 3000000, got;
    char *json = malloc(length + 2);
    memset(json, 'x', length + 2);
    json[0] = json[length + 1] = '"';
    struct dribble source = { json, json + length + 2, 70000, 0 };
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_STRING);
    json_reader_raw(reader, &got);
    ck_assert_uint_eq(got, length);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_END);
    json_reader_close(reader);
    free(json);
}
END_TEST

START_TEST(nesting_has_a_limit)
{
    char json[JSON_READER_MAX_DEPTH + 1];
    memset(json, '[', sizeof(json));
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open_memory(json, sizeof(json), &reader), 0);
    for (int i = 0; i < JSON_READER_MAX_DEPTH; i++)
        ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_START_ARRAY);
    ck_assert_int_eq(json_reader_next(reader), -E2BIG);
    json_reader_close(reader);
}
END_TEST

START_TEST(a_token_has_a_limit)
{
    size_t length = JSON_READER_MAX_TOKEN_BYTES + 2;
    char *json = malloc(length);
    memset(json, 'x', length);
    json[0] = '"';
    struct dribble source = { json, json + length, 1 << 20, 0 };
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
    ck_assert_int_eq(json_reader_next(reader), -E2BIG);
    json_reader_close(reader);
    free(json);
}
END_TEST

START_TEST(the_sources_error_is_the_readers)
{
    static const char json[] = "[1";
    struct dribble source = { json, json + strlen(json), 1, -EIO };
    struct json_reader *reader;
    ck_assert_int_eq(json_reader_open(dribble, &source, &reader), 0);
    ck_assert_int_eq(json_reader_next(reader), JSON_TOKEN_START_ARRAY);
    ck_assert_int_eq(json_reader_next(reader), -EIO);
    json_reader_close(reader);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
    Suite *suite = suite_create("json.json_reader");
    TCase *tokens = tcase_create("tokens");
    tcase_add_loop_test(tokens, documents_become_tokens_however_they_arrive, 0, ROWS(documents));
    tcase_add_loop_test(tokens, malformed_documents_are_refused_where_they_are_wrong, 0,
                        ROWS(malformed));
    tcase_add_loop_test(tokens, strings_are_decoded, 0, ROWS(decoded));
    tcase_add_test(tokens, keys_compare_decoded);
    tcase_add_loop_test(tokens, doubles_are_read_to_the_last_bit, 0, ROWS(numbers));
    tcase_add_loop_test(tokens, integers_have_to_fit, 0, ROWS(integers));
    suite_add_tcase(suite, tokens);
    TCase *values = tcase_create("values");
    tcase_add_test(values, more_tells_whether_the_collection_goes_on);
    tcase_add_test(values, skip_goes_behind_the_value);
    tcase_add_test(values, values_are_copied_as_they_stand);
    tcase_add_test(values, a_copy_larger_than_the_window_comes_in_pieces);
    tcase_add_test(values, a_copy_that_is_refused_ends_the_reading);
    tcase_add_test(values, there_is_nothing_to_copy_at_the_end_of_a_collection);
    suite_add_tcase(suite, values);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, a_string_longer_than_the_window_is_one_token);
    tcase_add_test(limits, nesting_has_a_limit);
    tcase_add_test(limits, a_token_has_a_limit);
    tcase_add_test(limits, the_sources_error_is_the_readers);
    suite_add_tcase(suite, limits);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
