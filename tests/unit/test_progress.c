/* json.progress */
#include <check.h>
#include <pthread.h>

#include "json/progress.h"
#include "tests/unit/run_suite.h"

static struct progress_value value;
static struct progress whole;

static void set_up(void)
{
    progress_value_init(&value);
    whole = progress_whole(&value);
}

START_TEST(common_parts_are_exact)
{
    for (uint64_t parts = 1; parts <= 16; parts++) {
        ck_assert_uint_eq(PROGRESS_SCALE % parts, 0);
        ck_assert_uint_eq(proportion_of(1, parts) * parts, PROGRESS_SCALE);
    }
    ck_assert_uint_eq(proportion_of(1, 1000) * 1000, PROGRESS_SCALE);
}
END_TEST

static const struct {
    uint64_t done, total;
    proportion_value expect;
} proportions[] = {
    { 0, 5, 0 },
    { 5, 5, PROGRESS_SCALE },
    { 6, 5, PROGRESS_SCALE },
    { 0, 0, PROGRESS_SCALE },
    { 1, UINT64_MAX, 0 },
    { UINT64_MAX - 1, UINT64_MAX, PROGRESS_SCALE - 1 },
    { UINT64_MAX / 2, UINT64_MAX - 1, PROGRESS_SCALE / 2 },
};

START_TEST(proportions_of_large_totals_do_not_overflow)
{
    ck_assert_uint_eq(proportion_of(proportions[_i].done, proportions[_i].total),
                      proportions[_i].expect);
}
END_TEST

START_TEST(a_report_shows_at_the_top)
{
    progress_report(&whole, PROGRESS_SCALE / 4);
    ck_assert_uint_eq(progress_value_get(&value), PROGRESS_SCALE / 4);
}
END_TEST

START_TEST(parts_of_parts_report_their_share)
{
    struct progress half = progress_part(&whole, PROGRESS_SCALE / 2, PROGRESS_SCALE);
    struct progress third = progress_step(&half, 1, 3);
    progress_report(&third, 0);
    ck_assert_uint_eq(progress_value_get(&value), PROGRESS_SCALE / 2 + PROGRESS_SCALE / 6);
    progress_report(&third, PROGRESS_SCALE);
    ck_assert_uint_eq(progress_value_get(&value), PROGRESS_SCALE / 2 + PROGRESS_SCALE / 3);
    progress_report_of(&half, 3, 3);
    ck_assert_uint_eq(progress_value_get(&value), PROGRESS_SCALE);
}
END_TEST

START_TEST(steps_meet_without_gaps)
{
    struct progress before = progress_step(&whole, 0, 7);
    ck_assert_uint_eq(before.begin, 0);
    for (uint64_t step = 1; step < 7; step++) {
        struct progress next = progress_step(&whole, step, 7);
        ck_assert_uint_eq(next.begin, before.end);
        before = next;
    }
    ck_assert_uint_eq(before.end, PROGRESS_SCALE);
}
END_TEST

START_TEST(progress_never_goes_back)
{
    progress_report(&whole, 1000);
    progress_report(&whole, 10);
    ck_assert_uint_eq(progress_value_get(&value), 1000);
}
END_TEST

START_TEST(reports_beyond_the_whole_are_the_whole)
{
    struct progress part = progress_part(&whole, 0, PROGRESS_SCALE / 2);
    progress_report(&part, UINT32_MAX);
    ck_assert_uint_eq(progress_value_get(&value), PROGRESS_SCALE / 2);
}
END_TEST

START_TEST(nobody_needs_to_look)
{
    struct progress part = progress_part(NULL, 10, 20);
    progress_report(&part, 5);
    progress_report(NULL, 5);
    ck_assert_uint_eq(progress_value_get(&value), 0);
}
END_TEST

static void *report_all(void *unused)
{
    (void)unused;
    for (proportion_value step = 0; step <= 1000; step++)
        progress_report_of(&whole, step, 1000);
    return NULL;
}

START_TEST(another_thread_sees_it_grow)
{
    pthread_t thread;
    proportion_value last = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, report_all, NULL), 0);
    while (last < PROGRESS_SCALE) {
        proportion_value now = progress_value_get(&value);
        ck_assert_uint_ge(now, last);
        last = now;
    }
    pthread_join(thread, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.progress");
    TCase *progress = tcase_create("progress");
    tcase_add_checked_fixture(progress, set_up, NULL);
    tcase_add_test(progress, common_parts_are_exact);
    tcase_add_loop_test(progress, proportions_of_large_totals_do_not_overflow, 0,
                        (int)(sizeof(proportions) / sizeof(proportions[0])));
    tcase_add_test(progress, a_report_shows_at_the_top);
    tcase_add_test(progress, parts_of_parts_report_their_share);
    tcase_add_test(progress, steps_meet_without_gaps);
    tcase_add_test(progress, progress_never_goes_back);
    tcase_add_test(progress, reports_beyond_the_whole_are_the_whole);
    tcase_add_test(progress, nobody_needs_to_look);
    tcase_add_test(progress, another_thread_sees_it_grow);
    suite_add_tcase(suite, progress);
    return run_suite(suite);
}
