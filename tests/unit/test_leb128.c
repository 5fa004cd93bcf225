#include <check.h>

#include "buffer/leb128.h"
#include "tests/unit/run_suite.h"

static const struct {
    uint64_t value;
    size_t size;
    uint8_t bytes[LEB128_MAX_BYTES];
} known[] = {
    { 0, 1, { 0x00 } },
    { 1, 1, { 0x01 } },
    { 127, 1, { 0x7f } },
    { 128, 2, { 0x80, 0x01 } },
    { 300, 2, { 0xac, 0x02 } },
    { 16383, 2, { 0xff, 0x7f } },
    { 16384, 3, { 0x80, 0x80, 0x01 } },
    { 624485, 3, { 0xe5, 0x8e, 0x26 } },
    { UINT32_MAX, 5, { 0xff, 0xff, 0xff, 0xff, 0x0f } },
    { UINT64_MAX >> 1, 9, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f } },
    { UINT64_MAX, 10, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 } },
};
enum { KNOWN_COUNT = sizeof(known) / sizeof(known[0]) };

START_TEST(numbers_have_their_known_bytes)
{
    uint8_t out[LEB128_MAX_BYTES + 1];
    memset(out, 0x55, sizeof(out));
    ck_assert_uint_eq(leb128_size(known[_i].value), known[_i].size);
    ck_assert_ptr_eq(leb128_write(out, known[_i].value), out + known[_i].size);
    ck_assert_mem_eq(out, known[_i].bytes, known[_i].size);
    ck_assert_uint_eq(out[known[_i].size], 0x55);
}
END_TEST

START_TEST(bytes_read_back_as_their_number)
{
    uint64_t value = 12345;
    const uint8_t *end = known[_i].bytes + known[_i].size;
    ck_assert_ptr_eq(leb128_read(known[_i].bytes, end, &value), end);
    ck_assert_uint_eq(value, known[_i].value);
}
END_TEST

START_TEST(every_cut_is_refused_and_changes_nothing)
{
    for (size_t length = 0; length < known[_i].size; length++) {
        uint64_t value = 12345;
        ck_assert_ptr_null(leb128_read(known[_i].bytes, known[_i].bytes + length, &value));
        ck_assert_uint_eq(value, 12345);
    }
}
END_TEST

START_TEST(every_power_of_two_and_its_neighbours_survive)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        for (int near = -1; near <= 1; near++) {
            uint64_t value = (UINT64_C(1) << bit) + (uint64_t)near, back = 0;
            uint8_t out[LEB128_MAX_BYTES];
            uint8_t *end = leb128_write(out, value);
            ck_assert_uint_eq((size_t)(end - out), leb128_size(value));
            ck_assert_ptr_eq(leb128_read(out, end, &back), end);
            ck_assert_uint_eq(back, value);
        }
    }
}
END_TEST

static const uint8_t too_large[][12] = {
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 },
    { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 },
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};

START_TEST(numbers_above_64_bits_are_refused)
{
    uint64_t value = 12345;
    const uint8_t *in = too_large[_i];
    ck_assert_ptr_null(leb128_read(in, in + sizeof(too_large[_i]), &value));
    ck_assert_uint_eq(value, 12345);
}
END_TEST

static const struct {
    int64_t number;
    uint64_t encoded;
} zigzags[] = {
    { 0, 0 },
    { -1, 1 },
    { 1, 2 },
    { -2, 3 },
    { 2, 4 },
    { INT64_MAX, UINT64_MAX - 1 },
    { INT64_MIN, UINT64_MAX },
};

START_TEST(zigzag_keeps_small_numbers_small)
{
    ck_assert_uint_eq(zigzag_encode(zigzags[_i].number), zigzags[_i].encoded);
    ck_assert_int_eq(zigzag_decode(zigzags[_i].encoded), zigzags[_i].number);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.leb128");
    TCase *tests = tcase_create("leb128");
    tcase_add_loop_test(tests, numbers_have_their_known_bytes, 0, KNOWN_COUNT);
    tcase_add_loop_test(tests, bytes_read_back_as_their_number, 0, KNOWN_COUNT);
    tcase_add_loop_test(tests, every_cut_is_refused_and_changes_nothing, 0, KNOWN_COUNT);
    tcase_add_test(tests, every_power_of_two_and_its_neighbours_survive);
    tcase_add_loop_test(tests, numbers_above_64_bits_are_refused, 0, 3);
    tcase_add_loop_test(tests, zigzag_keeps_small_numbers_small, 0, 7);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
