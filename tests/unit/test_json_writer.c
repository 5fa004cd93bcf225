/* json.json_writer */
#include <check.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/json_writer.h"

static struct failure_latch latch;
static struct json_writer writer;

/* What a sink got; refuses with `error` from the call number `fail_at` on. */
static struct {
    char *bytes;
    size_t length, calls, largest;
    size_t fail_at;
    int error;
} sink;

static int take_bytes(void *context, const char *bytes, size_t n)
{
    (void)context;
    if (sink.fail_at != 0 && ++sink.calls >= sink.fail_at)
        return sink.error;
    sink.bytes = realloc(sink.bytes, sink.length + n + 1);
    memcpy(sink.bytes + sink.length, bytes, n);
    sink.length += n;
    sink.bytes[sink.length] = '\0';
    sink.largest = n > sink.largest ? n : sink.largest;
    return 0;
}

static void set_up(void)
{
    memset(&sink, 0, sizeof(sink));
    failure_latch_init(&latch);
    json_writer_init(&writer, &latch);
}

static void tear_down(void)
{
    json_writer_fini(&writer);
    free(sink.bytes);
}

/* The text of SOURCE, a memory writer. */
static const char *text_of(const struct json_writer *source)
{
    free(sink.bytes);
    sink.bytes = calloc(1, 1);
    sink.length = 0;
    ck_assert_int_eq(json_writer_copy_out(source, take_bytes, NULL), 0);
    ck_assert_uint_eq(json_writer_bytes(source), sink.length);
    return sink.bytes;
}

START_TEST(commas_stand_between_elements_and_members)
{
    json_start_object(&writer);
    json_start_array_property(&writer, "a");
    json_u64(&writer, 1);
    json_start_array(&writer);
    json_end_array(&writer);
    json_start_object(&writer);
    json_end_object(&writer);
    json_nulls(&writer, 2);
    json_end_array(&writer);
    json_bool_property(&writer, "b", true);
    json_start_object_property(&writer, "c");
    json_null_property(&writer, "d");
    json_end_object(&writer);
    json_string_property(&writer, "e", "f");
    json_end_object(&writer);
    ck_assert_str_eq(text_of(&writer),
                     "{\"a\":[1,[],{},null,null],\"b\":true,\"c\":{\"d\":null},\"e\":\"f\"}");
}
END_TEST

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

#define FFFD "\xef\xbf\xbd"

static const struct {
    const char *name, *bytes, *text;
} strings[] = {
    { "plain", "hello, world", "\"hello, world\"" },
    { "empty", "", "\"\"" },
    { "quote and backslash", "a\"b\\c", "\"a\\\"b\\\\c\"" },
    { "short escapes", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
    { "other controls", "\x01\x1f", "\"\\u0001\\u001f\"" },
    { "slash and delete stand for themselves", "/\x7f", "\"/\x7f\"" },
    { "two to four bytes", "é€😀", "\"é€😀\"" },
    { "lone continuation", "a\x80z", "\"a" FFFD "z\"" },
    { "overlong slash", "\xc0\xaf", "\"" FFFD FFFD "\"" },
    { "surrogate", "\xed\xa0\x80", "\"" FFFD FFFD FFFD "\"" },
    { "above U+10FFFF", "\xf4\x90\x80\x80", "\"" FFFD FFFD FFFD FFFD "\"" },
    { "cut short", "\xe2\x82", "\"" FFFD "\"" },
    { "cut short by ASCII", "\xf0\x9f\x98!", "\"" FFFD "!\"" },
    { "escape behind eight plain bytes", "12345678\"", "\"12345678\\\"\"" },
    { "escape within eight bytes", "123\n5678", "\"123\\n5678\"" },
};

START_TEST(strings_are_escaped_and_valid)
{
    json_string(&writer, strings[_i].bytes);
    ck_assert_msg(strcmp(text_of(&writer), strings[_i].text) == 0, "%s: %s", strings[_i].name,
                  sink.bytes);
}
END_TEST

START_TEST(any_bytes_can_be_read_back)
{
    char bytes[255];
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    json_string_bytes(&writer, bytes, sizeof(bytes));
    cJSON *json = cJSON_Parse(text_of(&writer));
    ck_assert(cJSON_IsString(json));
    cJSON_Delete(json);
}
END_TEST

START_TEST(names_are_escaped_too)
{
    json_start_object(&writer);
    json_i64_property(&writer, "a\n", -2);
    json_end_object(&writer);
    ck_assert_str_eq(text_of(&writer), "{\"a\\n\":-2}");
}
END_TEST

/* Numbers from FIRST on, until the writer has at least BYTES. Returns the next one. */
static uint64_t write_numbers(struct json_writer *out, uint64_t first, size_t bytes)
{
    while (json_writer_bytes(out) < bytes)
        json_u64(out, first++);
    return first;
}

/* Asserts that TEXT is the array of the numbers below COUNT. */
static void assert_numbers(const char *text, uint64_t count)
{
    char *end;
    ck_assert_int_eq(*text, '[');
    for (uint64_t i = 0; i < count; i++) {
        ck_assert_uint_eq(strtoull(text + 1, &end, 10), i);
        ck_assert_int_eq(*end, i + 1 < count ? ',' : ']');
        text = end;
    }
    ck_assert_str_eq(text, "]");
}

START_TEST(long_documents_span_chunks)
{
    json_start_array(&writer);
    uint64_t count = write_numbers(&writer, 0, 3 * JSON_CHUNK_BYTES);
    json_end_array(&writer);
    assert_numbers(text_of(&writer), count);
}
END_TEST

START_TEST(a_string_longer_than_a_chunk_is_whole)
{
    size_t length = 2 * JSON_CHUNK_BYTES + 17;
    char *bytes = malloc(length);
    memset(bytes, 'x', length);
    json_string_bytes(&writer, bytes, length);
    text_of(&writer);
    ck_assert_uint_eq(sink.length, length + 2);
    ck_assert_int_eq(memcmp(sink.bytes + 1, bytes, length), 0);
    free(bytes);
}
END_TEST

START_TEST(a_sink_gets_chunks_and_memory_does_not_grow)
{
    json_writer_init_sink(&writer, take_bytes, NULL, &latch);
    json_start_array(&writer);
    uint64_t count = write_numbers(&writer, 0, 5 * JSON_CHUNK_BYTES);
    ck_assert_uint_gt(sink.length, 3 * JSON_CHUNK_BYTES);
    json_end_array(&writer);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    ck_assert_uint_le(sink.largest, JSON_CHUNK_BYTES);
    ck_assert_uint_eq(json_writer_bytes(&writer), sink.length);
    assert_numbers(sink.bytes, count);
}
END_TEST

/* Sizes of what is spliced: copied, moved within a chunk, moved with several. */
static const size_t splice_bytes[] = { 1, 1000, 50000, JSON_CHUNK_BYTES * 5 / 2 };
enum { SPLICE_SIZES = sizeof(splice_bytes) / sizeof(splice_bytes[0]) };

static void splice_into_the_middle(size_t bytes)
{
    struct json_writer source;
    json_writer_init(&source, &latch);
    json_start_array(&writer);
    json_u64(&writer, 0);
    uint64_t count = write_numbers(&source, 1, bytes);
    json_splice(&writer, &source);
    ck_assert_uint_eq(json_writer_bytes(&source), 0);
    for (int i = 0; i < 3; i++)
        json_u64(&writer, count++);
    json_end_array(&writer);
    if (writer.write == NULL) {
        assert_numbers(text_of(&writer), count);
    } else {
        ck_assert_int_eq(json_writer_flush(&writer), 0);
        ck_assert_uint_eq(json_writer_bytes(&writer), sink.length);
        assert_numbers(sink.bytes, count);
    }
    json_writer_fini(&source);
}

START_TEST(splicing_into_memory_keeps_the_text)
{
    splice_into_the_middle(splice_bytes[_i]);
}
END_TEST

START_TEST(splicing_into_a_sink_keeps_the_text)
{
    json_writer_init_sink(&writer, take_bytes, NULL, &latch);
    splice_into_the_middle(splice_bytes[_i]);
}
END_TEST

START_TEST(splicing_nothing_changes_nothing)
{
    struct json_writer source;
    json_writer_init(&source, &latch);
    json_start_array(&writer);
    json_splice(&writer, &source);
    json_splice_bytes(&writer, "", 0);
    json_end_array(&writer);
    ck_assert_str_eq(text_of(&writer), "[]");
}
END_TEST

START_TEST(a_spliced_writer_can_be_used_again)
{
    struct json_writer source;
    json_writer_init(&source, &latch);
    json_start_array(&writer);
    for (uint64_t i = 0; i < 3; i++) {
        json_u64(&source, i);
        json_splice(&writer, &source);
    }
    json_splice_bytes(&writer, "3,4", 3);
    json_end_array(&writer);
    json_writer_fini(&source);
    ck_assert_str_eq(text_of(&writer), "[0,1,2,3,4]");
}
END_TEST

START_TEST(the_sinks_error_is_latched_and_ends_the_writing)
{
    sink.fail_at = 2;
    sink.error = -ENOSPC;
    json_writer_init_sink(&writer, take_bytes, NULL, &latch);
    for (int i = 0; i < JSON_CHUNK_BYTES; i++)
        json_string(&writer, "some text that goes nowhere");
    ck_assert_int_eq(failure_latch_error(&latch), -ENOSPC);
    ck_assert_int_eq(json_writer_flush(&writer), -ENOSPC);
    ck_assert_uint_eq(sink.calls, 2);
}
END_TEST

START_TEST(after_a_failure_elsewhere_nothing_reaches_the_sink)
{
    json_writer_init_sink(&writer, take_bytes, NULL, &latch);
    json_u64(&writer, 1);
    failure_latch_set(&latch, -ENOMEM);
    ck_assert_int_eq(json_writer_flush(&writer), -ENOMEM);
    ck_assert_uint_eq(sink.length, 0);
}
END_TEST

START_TEST(a_failed_source_fails_the_splice)
{
    struct failure_latch other;
    struct json_writer source;
    failure_latch_init(&other);
    json_writer_init(&source, &other);
    json_u64(&source, 1);
    failure_latch_set(&other, -EPIPE);
    json_splice(&writer, &source);
    ck_assert_int_eq(failure_latch_error(&latch), -EPIPE);
}
END_TEST

START_TEST(a_descriptor_is_a_sink)
{
    int ends[2];
    char text[16] = "";
    ck_assert_int_eq(pipe(ends), 0);
    json_writer_init_sink(&writer, json_sink_fd, &ends[1], &latch);
    json_bool(&writer, false);
    ck_assert_int_eq(json_writer_flush(&writer), 0);
    ck_assert_int_eq(read(ends[0], text, sizeof(text) - 1), 5);
    ck_assert_str_eq(text, "false");
    close(ends[0]);
    close(ends[1]);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof((table)[0])))

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    suite_add_tcase(suite, tcase);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("json.json_writer");
    TCase *values = add_case(suite, "values");
    tcase_add_test(values, commas_stand_between_elements_and_members);
    tcase_add_loop_test(values, unsigned_numbers_are_written_in_full, 0, ROWS(unsigned_numbers));
    tcase_add_test(values, signed_numbers_have_their_sign);
    tcase_add_loop_test(values, times_are_exact_and_have_no_trailing_zeros, 0, ROWS(times));
    tcase_add_loop_test(values, doubles_are_short_and_finite, 0, ROWS(doubles));
    tcase_add_test(values, the_largest_double_is_a_number);
    tcase_add_test(values, addresses_are_strings_without_leading_zeros);
    tcase_add_loop_test(values, strings_are_escaped_and_valid, 0, ROWS(strings));
    tcase_add_test(values, any_bytes_can_be_read_back);
    tcase_add_test(values, names_are_escaped_too);
    TCase *chunks = add_case(suite, "chunks");
    tcase_add_test(chunks, long_documents_span_chunks);
    tcase_add_test(chunks, a_string_longer_than_a_chunk_is_whole);
    tcase_add_test(chunks, a_sink_gets_chunks_and_memory_does_not_grow);
    tcase_add_test(chunks, a_descriptor_is_a_sink);
    TCase *splicing = add_case(suite, "splicing");
    tcase_add_loop_test(splicing, splicing_into_memory_keeps_the_text, 0, SPLICE_SIZES);
    tcase_add_loop_test(splicing, splicing_into_a_sink_keeps_the_text, 0, SPLICE_SIZES);
    tcase_add_test(splicing, splicing_nothing_changes_nothing);
    tcase_add_test(splicing, a_spliced_writer_can_be_used_again);
    TCase *failures = add_case(suite, "failures");
    tcase_add_test(failures, the_sinks_error_is_latched_and_ends_the_writing);
    tcase_add_test(failures, after_a_failure_elsewhere_nothing_reaches_the_sink);
    tcase_add_test(failures, a_failed_source_fails_the_splice);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
