/* Numbers, pointers and blocks of call-frame information. */
#include <check.h>

#include "child-agent/unwinding/frame_reader.h"
#include "tests/unit/run_suite.h"

#define READER_OF(...)                                                                             \
    {                                                                                              \
        .bytes = (const uint8_t[]){ __VA_ARGS__ },                                                 \
        .count = sizeof((const uint8_t[]){ __VA_ARGS__ }), .address = 0x1000,                      \
    }

enum { HEADER_ADDRESS = 0x8000 };

START_TEST(numbers_are_read_one_after_the_other)
{
    struct frame_reader reader = READER_OF(0x34, 0x12, 0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f);

    ck_assert_uint_eq(frame_read_unsigned(&reader, 2), 0x1234);
    ck_assert_uint_eq(frame_read_uleb128(&reader), 624485);
    ck_assert_int_eq(frame_read_sleb128(&reader), -1);
    ck_assert_int_eq(frame_read_sleb128(&reader), -128);
    ck_assert_int_eq(reader.error, 0);
    ck_assert_uint_eq(reader.offset, reader.count);
}
END_TEST

START_TEST(behind_the_end_all_is_zero_and_the_first_error_stays)
{
    struct frame_reader reader = READER_OF(1, 2, 3);

    ck_assert_uint_eq(frame_read_unsigned(&reader, 4), 0);
    ck_assert_int_eq(reader.error, -EINVAL);
    ck_assert_uint_eq(frame_read_unsigned(&reader, 1), 0);
    frame_reader_fail(&reader, -ENOTSUP);
    ck_assert_int_eq(reader.error, -EINVAL);
}
END_TEST

START_TEST(numbers_of_more_than_64_bits_are_refused)
{
    struct frame_reader plain =
        READER_OF(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01);
    struct frame_reader with_sign = plain;

    ck_assert_uint_eq(frame_read_uleb128(&plain), 0);
    ck_assert_int_eq(plain.error, -EINVAL);
    ck_assert_int_eq(frame_read_sleb128(&with_sign), 0);
    ck_assert_int_eq(with_sign.error, -EINVAL);
}
END_TEST

START_TEST(a_block_is_a_view_that_ends_where_the_bytes_do)
{
    struct frame_reader reader = READER_OF(2, 10, 11, 3, 12, 13);
    struct frame_expression block = frame_read_block(&reader);

    ck_assert_uint_eq(block.count, 2);
    ck_assert_ptr_eq(block.bytes, reader.bytes + 1);
    ck_assert_ptr_null(frame_read_block(&reader).bytes);
    ck_assert_int_eq(reader.error, -EINVAL);
}
END_TEST

START_TEST(pointers_are_relative_to_what_their_encoding_says)
{
    struct frame_reader reader = READER_OF(0xfe, 0xff, 0xf0, 0xff, 0xff, 0xff, 4, 0);

    ck_assert_uint_eq(frame_read_pointer(&reader, POINTER_SDATA2, HEADER_ADDRESS), (uint64_t)-2);
    ck_assert_uint_eq(
        frame_read_pointer(&reader, POINTER_RELATIVE_TO_ITSELF | POINTER_SDATA4, HEADER_ADDRESS),
        0x1002 - 16);
    ck_assert_uint_eq(
        frame_read_pointer(&reader, POINTER_RELATIVE_TO_HEADER | POINTER_UDATA2, HEADER_ADDRESS),
        HEADER_ADDRESS + 4);
    ck_assert_int_eq(reader.error, 0);
}
END_TEST

START_TEST(pointers_that_would_have_to_be_followed_are_refused)
{
    enum { INDIRECT = 0x80, UNKNOWN_FORMAT = 0x0d };
    struct frame_reader reader = READER_OF(1, 2, 3, 4), other = reader;

    ck_assert_uint_eq(frame_read_pointer(&reader, INDIRECT | POINTER_UDATA4, HEADER_ADDRESS), 0);
    ck_assert_int_eq(reader.error, -ENOTSUP);
    ck_assert_uint_eq(frame_read_pointer(&other, UNKNOWN_FORMAT, HEADER_ADDRESS), 0);
    ck_assert_int_eq(other.error, -ENOTSUP);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("frame_reader");
    TCase *reading = tcase_create("reading");
    tcase_add_test(reading, numbers_are_read_one_after_the_other);
    tcase_add_test(reading, behind_the_end_all_is_zero_and_the_first_error_stays);
    tcase_add_test(reading, numbers_of_more_than_64_bits_are_refused);
    tcase_add_test(reading, a_block_is_a_view_that_ends_where_the_bytes_do);
    tcase_add_test(reading, pointers_are_relative_to_what_their_encoding_says);
    tcase_add_test(reading, pointers_that_would_have_to_be_followed_are_refused);
    suite_add_tcase(suite, reading);
    return run_suite(suite);
}
