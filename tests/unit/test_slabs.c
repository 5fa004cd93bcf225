/* profctl.processed.slabs, .columns: a file in which numbers and whole values stand apart. */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "profctl/processed/columns.h"
#include "tests/unit/run_suite.h"

enum { MAX_BYTES = 4096, HEADER_BYTES = 20, ENTRY_BYTES = 12, ALIGNMENT_BYTES = 8 };

static char file[MAX_BYTES];
static size_t bytes, room;
static struct failure_latch latch;
static struct slabs *slabs;
static struct json_writer root;

static int write_bytes(void *context, const char *text, size_t count)
{
    ck_assert_ptr_eq(context, file);
    if (bytes + count > room)
        return -ENOSPC;
    memcpy(file + bytes, text, count);
    bytes += count;
    return 0;
}

static void begin_slabs(void)
{
    bytes = 0;
    room = sizeof(file);
    failure_latch_init(&latch);
    ck_assert_int_eq(slabs_create(&latch, write_bytes, file, &slabs), 0);
    json_writer_init(&root, &latch);
}

static void end_slabs(void)
{
    json_writer_fini(&root);
    slabs_destroy(slabs);
}

static uint32_t word_at(size_t offset)
{
    uint32_t word;

    ck_assert_uint_le(offset + sizeof(word), bytes);
    memcpy(&word, file + offset, sizeof(word));
    return le32toh(word);
}

/* The bytes of slab INDEX, which is of TYPE and has COUNT of them. */
static const char *slab_at(uint32_t index, enum slab_type type, size_t count)
{
    size_t entry = HEADER_BYTES + (size_t)index * ENTRY_BYTES;

    ck_assert_uint_eq(word_at(entry), type);
    ck_assert_uint_eq(word_at(entry + 8), count);
    ck_assert_uint_le(word_at(entry + 4) + count, bytes);
    return file + word_at(entry + 4);
}

static void assert_text(uint32_t index, const char *text)
{
    ck_assert_mem_eq(slab_at(index, SLAB_JSON, strlen(text)), text, strlen(text));
}

static void assert_file(uint32_t slab_count)
{
    ck_assert_mem_eq(file, "\xDC\xDFJSLB\x01", 8);
    ck_assert_uint_eq(word_at(8), 1);
    ck_assert_uint_eq(word_at(12), slab_count);
    ck_assert_uint_eq(word_at(16), slab_count - 1);
}

START_TEST(the_root_alone_is_a_file)
{
    json_start_array(&root);
    json_end_array(&root);
    ck_assert_int_eq(slabs_write(slabs, &root), 0);
    assert_file(1);
    assert_text(0, "[]");
}
END_TEST

START_TEST(numbers_stand_as_their_type_does)
{
    static const double times[] = { 0.5, -1.25 };
    double read[2];

    slabs_start_numbers(slabs, SLAB_UINT8);
    for (int i = 253; i < 256; i++)
        slabs_put_number(slabs, i);
    slabs_end_numbers(slabs);
    slabs_start_numbers(slabs, SLAB_INT32);
    slabs_put_number(slabs, -1);
    slabs_end_numbers(slabs);
    slabs_start_numbers(slabs, SLAB_UINT32);
    slabs_put_number(slabs, UINT32_MAX);
    slabs_end_numbers(slabs);
    slabs_start_numbers(slabs, SLAB_FLOAT64);
    slabs_put_number(slabs, times[0]);
    slabs_put_number(slabs, times[1]);
    slabs_end_numbers(slabs);
    json_null(&root);
    ck_assert_int_eq(slabs_write(slabs, &root), 0);
    assert_file(5);
    ck_assert_mem_eq(slab_at(0, SLAB_UINT8, 3), "\xfd\xfe\xff", 3);
    ck_assert_mem_eq(slab_at(1, SLAB_INT32, 4), "\xff\xff\xff\xff", 4);
    ck_assert_mem_eq(slab_at(2, SLAB_UINT32, 4), "\xff\xff\xff\xff", 4);
    memcpy(read, slab_at(3, SLAB_FLOAT64, sizeof(read)), sizeof(read));
    ck_assert_mem_eq(read, times, sizeof(times));
    assert_text(4, "null");
}
END_TEST

START_TEST(numbers_begin_where_the_widest_may)
{
    for (size_t length = 0; length < 2 * ALIGNMENT_BYTES; length++) {
        begin_slabs();
        for (uint32_t slab = 0; slab < 2; slab++) {
            ck_assert_uint_eq(slabs_start_numbers(slabs, SLAB_UINT8), slab);
            for (size_t i = 0; i < length; i++)
                slabs_put_number(slabs, 7);
            slabs_end_numbers(slabs);
        }
        json_u64(&root, length);
        ck_assert_int_eq(slabs_write(slabs, &root), 0);
        for (uint32_t slab = 0; slab < 2; slab++)
            ck_assert_int_eq((slab_at(slab, SLAB_UINT8, length) - file) % ALIGNMENT_BYTES, 0);
        end_slabs();
    }
}
END_TEST

START_TEST(values_refer_to_slabs_that_came_meanwhile)
{
    uint32_t thread;
    struct column_output output = { slabs_start_json(slabs, &thread), slabs };

    json_start_object(output.json);
    column_start(&output, "time", SLAB_FLOAT64);
    column_put_time_ms(&output, 1500000);
    column_end(&output);
    column_start(&output, "frame", SLAB_INT32);
    column_put(&output, 3);
    column_put(&output, -1);
    column_end(&output);
    json_end_object(output.json);
    slabs_end_json(slabs);
    slab_reference(&root, thread);
    ck_assert_int_eq(slabs_write(slabs, &root), 0);
    assert_file(4);
    assert_text(thread, "{\"time\":{\"$s\":1},\"frame\":{\"$s\":2}}");
    const double time_ms = 1.5;
    ck_assert_mem_eq(slab_at(1, SLAB_FLOAT64, 8), &time_ms, sizeof(time_ms));
    ck_assert_mem_eq(slab_at(2, SLAB_INT32, 8), "\3\0\0\0\xff\xff\xff\xff", 8);
    assert_text(3, "{\"$s\":0}");
}
END_TEST

START_TEST(without_slabs_columns_are_arrays)
{
    const struct column_output output = { .json = &root };

    json_start_object(&root);
    column_start(&output, "time", SLAB_FLOAT64);
    column_put_time_ms(&output, 1500000);
    column_end(&output);
    column_start(&output, "frame", SLAB_INT32);
    column_put(&output, -1);
    column_end(&output);
    json_end_object(&root);
    ck_assert_int_eq(json_writer_copy_out(&root, write_bytes, file), 0);
    static const char all[] = "{\"time\":[1.5],\"frame\":[-1]}";
    ck_assert_uint_eq(bytes, strlen(all));
    ck_assert_mem_eq(file, all, bytes);
}
END_TEST

static void put_something(void)
{
    uint32_t text;

    slabs_start_numbers(slabs, SLAB_INT32);
    slabs_put_number(slabs, 1);
    slabs_end_numbers(slabs);
    json_null(slabs_start_json(slabs, &text));
    slabs_end_json(slabs);
    slab_reference(&root, text);
}

START_TEST(whoever_takes_the_file_may_refuse)
{
    put_something();
    ck_assert_int_eq(slabs_write(slabs, &root), 0);
    for (size_t whole = bytes, less = 0; less < whole; less++) {
        end_slabs();
        begin_slabs();
        room = less;
        put_something();
        ck_assert_int_eq(slabs_write(slabs, &root), -ENOSPC);
    }
}
END_TEST

START_TEST(after_a_failure_nothing_is_written)
{
    failure_latch_set(&latch, -ENOMEM);
    put_something();
    ck_assert_int_eq(slabs_write(slabs, &root), -ENOMEM);
    ck_assert_uint_eq(bytes, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.processed.slabs");
    TCase *tests = tcase_create("slabs");
    tcase_add_checked_fixture(tests, begin_slabs, end_slabs);
    tcase_add_test(tests, the_root_alone_is_a_file);
    tcase_add_test(tests, numbers_stand_as_their_type_does);
    tcase_add_test(tests, values_refer_to_slabs_that_came_meanwhile);
    tcase_add_test(tests, without_slabs_columns_are_arrays);
    tcase_add_test(tests, whoever_takes_the_file_may_refuse);
    tcase_add_test(tests, after_a_failure_nothing_is_written);
    suite_add_tcase(suite, tests);
    TCase *alone = tcase_create("alignment");
    tcase_add_test(alone, numbers_begin_where_the_widest_may);
    suite_add_tcase(suite, alone);
    return run_suite(suite);
}
