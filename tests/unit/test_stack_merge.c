#include <check.h>

#include "child-agent/sampler/stack_merge.h"
#include "tests/unit/run_suite.h"

/* main (CFA 400) called work (300), which called leaf (200). */
static const struct unwind_frame native[] = {
    { .address = 0x30, .stack_address = 200 },
    { .address = 0x20, .stack_address = 300 },
    { .address = 0x10, .stack_address = 400 },
};

static struct stack_frame merged[8];

static size_t merge_labels(const struct snapshot_label *labels, size_t count, size_t capacity)
{
    return stack_merge(native, 3, labels, count, merged, capacity);
}

static void assert_native(size_t at, uint64_t address)
{
    ck_assert(!merged[at].is_label);
    ck_assert_uint_eq(merged[at].value, address);
}

static void assert_label(size_t at, uint64_t site)
{
    ck_assert(merged[at].is_label);
    ck_assert_uint_eq(merged[at].value, site);
}

START_TEST(without_labels_the_native_frames_are_turned_outermost_first)
{
    ck_assert_uint_eq(merge_labels(NULL, 0, 8), 3);
    assert_native(0, 0x10);
    assert_native(1, 0x20);
    assert_native(2, 0x30);
}
END_TEST

START_TEST(a_label_stands_inside_the_function_that_pushed_it)
{
    const struct snapshot_label labels[] = { { .stack_address = 384, .site = 1 },
                                             { .stack_address = 284, .site = 2 } };
    ck_assert_uint_eq(merge_labels(labels, 2, 8), 5);
    assert_native(0, 0x10);
    assert_label(1, 1);
    assert_native(2, 0x20);
    assert_label(3, 2);
    assert_native(4, 0x30);
}
END_TEST

START_TEST(labels_of_the_innermost_function_come_last)
{
    const struct snapshot_label labels[] = { { .stack_address = 184, .site = 1 },
                                             { .stack_address = 184, .site = 2 } };
    ck_assert_uint_eq(merge_labels(labels, 2, 8), 5);
    assert_native(2, 0x30);
    assert_label(3, 1);
    assert_label(4, 2);
}
END_TEST

START_TEST(labels_of_callers_that_were_not_unwound_come_first)
{
    const struct snapshot_label labels[] = { { .stack_address = 500, .site = 7 } };
    ck_assert_uint_eq(merge_labels(labels, 1, 8), 4);
    assert_label(0, 7);
    assert_native(1, 0x10);
}
END_TEST

START_TEST(when_there_is_no_room_the_innermost_frames_are_kept)
{
    const struct snapshot_label labels[] = { { .stack_address = 284, .site = 2 } };
    ck_assert_uint_eq(merge_labels(labels, 1, 2), 2);
    assert_label(0, 2);
    assert_native(1, 0x30);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.stack_merge");
    TCase *tcase = tcase_create("merge");
    tcase_add_test(tcase, without_labels_the_native_frames_are_turned_outermost_first);
    tcase_add_test(tcase, a_label_stands_inside_the_function_that_pushed_it);
    tcase_add_test(tcase, labels_of_the_innermost_function_come_last);
    tcase_add_test(tcase, labels_of_callers_that_were_not_unwound_come_first);
    tcase_add_test(tcase, when_there_is_no_room_the_innermost_frames_are_kept);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
