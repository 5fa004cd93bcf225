/* json.json_writer: what is written by one is spliced into another. */
#include <errno.h>

#include "tests/unit/json_writer_scene.h"
#include "tests/unit/run_suite.h"

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

int main(void)
{
    Suite *suite = suite_create("json.json_splice");
    TCase *splicing = add_case(suite, "splicing");
    tcase_add_loop_test(splicing, splicing_into_memory_keeps_the_text, 0, SPLICE_SIZES);
    tcase_add_loop_test(splicing, splicing_into_a_sink_keeps_the_text, 0, SPLICE_SIZES);
    tcase_add_test(splicing, splicing_nothing_changes_nothing);
    tcase_add_test(splicing, a_spliced_writer_can_be_used_again);
    TCase *failures = add_case(suite, "failures");
    tcase_add_test(failures, a_failed_source_fails_the_splice);
    return run_suite(suite);
}
