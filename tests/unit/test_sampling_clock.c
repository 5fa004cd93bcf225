/* Sampling clocks: numbers of arenas, and words of people. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/clock_choice.h"

START_TEST(each_name_is_read_again)
{
    for (int i = 0; i < SAMPLING_CLOCK_COUNT; i++) {
        enum sampling_clock clock = SAMPLING_CLOCK_COUNT;
        ck_assert_int_eq(clock_choice_parse(sampling_clock_name((enum sampling_clock)i), &clock),
                         0);
        ck_assert_int_eq(clock, i);
        ck_assert_ptr_nonnull(strstr(CLOCK_CHOICES, sampling_clock_name(clock)));
    }
}
END_TEST

START_TEST(other_words_name_no_clock)
{
    static const char *const words[] = { "", "CPU", "cpu ", "cpuperf", "cp", "1", "auto,cpu" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        enum sampling_clock clock = SAMPLING_CLOCK_WALL;
        ck_assert_int_eq(clock_choice_parse(words[i], &clock), -EINVAL);
        ck_assert_int_eq(clock, SAMPLING_CLOCK_WALL);
    }
}
END_TEST

START_TEST(a_slip_is_recognized)
{
    ck_assert_str_eq(clock_choice_nearest("pref"), "perf");
    ck_assert_str_eq(clock_choice_nearest("cpus"), "cpu");
    ck_assert_str_eq(clock_choice_nearest("wa"), "wall");
    ck_assert_ptr_null(clock_choice_nearest("monotonic"));
    ck_assert_ptr_null(clock_choice_nearest(""));
}
END_TEST

START_TEST(numbers_that_nobody_knows_are_harmless)
{
    ck_assert_int_eq(sampling_clock_checked(SAMPLING_CLOCK_WALL), SAMPLING_CLOCK_WALL);
    ck_assert_int_eq(sampling_clock_checked(SAMPLING_CLOCK_COUNT), SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(sampling_clock_checked(UINT32_MAX), SAMPLING_CLOCK_AUTO);
    ck_assert_int_eq(clock_refusal_checked(CLOCK_REFUSAL_SIGNAL), CLOCK_REFUSAL_SIGNAL);
    ck_assert_int_eq(clock_refusal_checked(CLOCK_REFUSAL_COUNT), CLOCK_REFUSAL_OTHER);
    ck_assert_int_eq(clock_refusal_checked(UINT32_MAX), CLOCK_REFUSAL_OTHER);
    ck_assert_uint_eq(sampling_interval_checked(4000000), 4000000);
    ck_assert_uint_eq(sampling_interval_checked(SAMPLING_INTERVAL_MOST_NS),
                      SAMPLING_INTERVAL_MOST_NS);
    ck_assert_uint_eq(sampling_interval_checked(SAMPLING_INTERVAL_MOST_NS + 1), 0);
}
END_TEST

START_TEST(each_refusal_has_its_words)
{
    ck_assert_str_eq(clock_refusal_text(CLOCK_REFUSAL_NONE), "");
    for (int i = 1; i < CLOCK_REFUSAL_COUNT; i++) {
        const char *text = clock_refusal_text((enum clock_refusal)i);
        ck_assert_uint_gt(strlen(text), 10);
        ck_assert_ptr_null(strchr(text, '\n'));
        for (int other = 1; other < i; other++)
            ck_assert_str_ne(text, clock_refusal_text((enum clock_refusal)other));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sampling_clock");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, each_name_is_read_again);
    tcase_add_test(tests, other_words_name_no_clock);
    tcase_add_test(tests, a_slip_is_recognized);
    tcase_add_test(tests, numbers_that_nobody_knows_are_harmless);
    tcase_add_test(tests, each_refusal_has_its_words);
    suite_add_tcase(suite, tests);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
