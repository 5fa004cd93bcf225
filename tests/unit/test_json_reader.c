/* json.json_reader: documents become tokens, or are refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/json_reader_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("json.json_reader");
    TCase *tokens = tcase_create("tokens");
    tcase_add_loop_test(tokens, documents_become_tokens_however_they_arrive, 0, ROWS(documents));
    tcase_add_loop_test(tokens, malformed_documents_are_refused_where_they_are_wrong, 0,
                        ROWS(malformed));
    suite_add_tcase(suite, tokens);
    TCase *values = tcase_create("values");
    tcase_add_test(values, more_tells_whether_the_collection_goes_on);
    tcase_add_test(values, skip_goes_behind_the_value);
    suite_add_tcase(suite, values);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, a_string_longer_than_the_window_is_one_token);
    tcase_add_test(limits, nesting_has_a_limit);
    tcase_add_test(limits, a_token_has_a_limit);
    tcase_add_test(limits, the_sources_error_is_the_readers);
    suite_add_tcase(suite, limits);
    return run_suite(suite);
}
