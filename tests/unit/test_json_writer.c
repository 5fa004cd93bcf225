/* json.json_writer: elements, members, and the sinks that texts go to. */
#include <errno.h>
#include <unistd.h>

#include "tests/unit/json_writer_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("json.json_writer");
    TCase *values = add_case(suite, "values");
    tcase_add_test(values, commas_stand_between_elements_and_members);
    TCase *chunks = add_case(suite, "chunks");
    tcase_add_test(chunks, long_documents_span_chunks);
    tcase_add_test(chunks, a_string_longer_than_a_chunk_is_whole);
    tcase_add_test(chunks, a_sink_gets_chunks_and_memory_does_not_grow);
    tcase_add_test(chunks, a_descriptor_is_a_sink);
    TCase *failures = add_case(suite, "failures");
    tcase_add_test(failures, the_sinks_error_is_latched_and_ends_the_writing);
    tcase_add_test(failures, after_a_failure_elsewhere_nothing_reaches_the_sink);
    return run_suite(suite);
}
