#include <check.h>
#include <stdint.h>
#include <string.h>

#include "json/mapped_array.h"
#include "json/spare_pages.h"
#include "tests/unit/run_suite.h"

enum { PAGE = 4096, CHUNK = 128 * 1024 };

START_TEST(nothing_is_kept_unless_it_is_said)
{
    uint8_t *pages = spare_pages_take(PAGE);
    ck_assert_ptr_nonnull(pages);
    memset(pages, 1, PAGE);
    spare_pages_give(pages, PAGE);
    pages = spare_pages_take(PAGE);
    ck_assert_ptr_nonnull(pages);
    ck_assert_uint_eq(pages[PAGE - 1], 0); /* the kernel's */
    spare_pages_give(pages, PAGE);
    spare_pages_give(NULL, PAGE);
}
END_TEST

START_TEST(what_is_kept_is_used_again_for_its_size)
{
    spare_pages_keep();
    void *small = spare_pages_take(PAGE), *large = spare_pages_take(CHUNK);
    spare_pages_give(small, PAGE);
    spare_pages_give(large, CHUNK);
    ck_assert_ptr_eq(spare_pages_take(CHUNK), large);
    ck_assert_ptr_eq(spare_pages_take(PAGE), small);
    spare_pages_give(small, PAGE);
    spare_pages_give(large, CHUNK);
    spare_pages_release();
    ck_assert_ptr_nonnull(small = spare_pages_take(PAGE));
    ck_assert_uint_eq(*(uint64_t *)small, 0);
    spare_pages_give(small, PAGE);
}
END_TEST

START_TEST(sizes_are_rounded_so_that_they_are_kept)
{
    ck_assert_uint_eq(spare_pages_round(1), PAGE);
    ck_assert_uint_eq(spare_pages_round(PAGE), PAGE);
    ck_assert_uint_eq(spare_pages_round(5 * PAGE), 8 * PAGE);
    ck_assert_uint_eq(spare_pages_round(CHUNK), CHUNK);
    ck_assert_uint_eq(spare_pages_round(CHUNK + 1), CHUNK + PAGE); /* never kept */
    spare_pages_keep();
    uint8_t *pages = spare_pages_take(5 * PAGE - 8);
    spare_pages_give(pages, 5 * PAGE - 8);
    uint8_t *again = spare_pages_take_zeroed(7 * PAGE);
    ck_assert_ptr_eq(again, pages);
    memset(again, 1, 8 * (size_t)PAGE);
    spare_pages_give(again, 8 * PAGE);
    spare_pages_release();
}
END_TEST

START_TEST(arrays_begin_with_zeros_all_the_same)
{
    spare_pages_keep();
    for (int round = 0; round < 3; round++) {
        struct mapped_array array = { 0 };
        for (int i = 0; i < 100; i++) {
            uint64_t *item = mapped_array_push(&array, sizeof(*item));
            ck_assert_ptr_nonnull(item);
            ck_assert_uint_eq(*item, 0);
            *item = 7;
        }
        mapped_array_free(&array);
    }
    spare_pages_release();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.spare_pages");
    TCase *pages = tcase_create("pages");
    tcase_add_test(pages, nothing_is_kept_unless_it_is_said);
    tcase_add_test(pages, what_is_kept_is_used_again_for_its_size);
    tcase_add_test(pages, sizes_are_rounded_so_that_they_are_kept);
    tcase_add_test(pages, arrays_begin_with_zeros_all_the_same);
    suite_add_tcase(suite, pages);
    return run_suite(suite);
}
