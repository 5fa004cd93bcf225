/* Names of the captures that triggers write. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/output_pattern.h"
#include "tests/unit/run_suite.h"

static const struct output_event event = { .pid = 7, .unix_s = 99, .name = "../a b", .number = 3 };

START_TEST(letters_stand_for_the_event)
{
    char name[PATH_MAX];

    ck_assert_int_eq(output_pattern_expand("d/%p-%t-%n-%%.json", &event, name), 0);
    ck_assert_str_eq(name, "d/7-99-3-%.json");
}
END_TEST

START_TEST(an_event_can_not_leave_its_folder)
{
    char name[PATH_MAX];

    ck_assert_int_eq(output_pattern_expand("%e.json.gz", &event, name), 0);
    ck_assert_str_eq(name, "_._a_b.json.gz");
}
END_TEST

START_TEST(an_unknown_letter_is_named)
{
    char letter = 0;

    ck_assert_int_eq(output_pattern_check("%x.json", &letter), -EINVAL);
    ck_assert_int_eq(letter, 'x');
    ck_assert_int_eq(output_pattern_check("a.json%", &letter), -EINVAL);
    ck_assert_int_eq(letter, '\0');
}
END_TEST

START_TEST(only_captures_are_named)
{
    ck_assert_int_eq(output_pattern_check("a.txt", NULL), -ENOENT);
    ck_assert_int_eq(output_pattern_check(".json", NULL), -ENOENT);
    ck_assert_int_eq(output_pattern_check(OUTPUT_PATTERN_DEFAULT, NULL), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ipc.output_pattern");
    TCase *claims = tcase_create("claims");

    tcase_add_test(claims, letters_stand_for_the_event);
    tcase_add_test(claims, an_event_can_not_leave_its_folder);
    tcase_add_test(claims, an_unknown_letter_is_named);
    tcase_add_test(claims, only_captures_are_named);
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
