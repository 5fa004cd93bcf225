/* profctl.printable */
#include <check.h>
#include <stdio.h>

#include "profctl/printable.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *text, *printable;
} texts[] = {
    { "", "" },
    { "plain, größe→♥𝄞", "plain, größe→♥𝄞" },
    { "a\nb\x1b[31m\x7f", "a?b?[31m?" },
    { "\xc2\x80\xc2\x9b\xc2\xa0.", "??\xc2\xa0." },
    { "a\xe2\x80\xae\xe2\x81\xa6.", "a??." },
    { "\x9b[31m", "?[31m" },
    { "\xc0\x80 \xed\xa0\x80", "?? ???" },
    { "cut \xe2\x80", "cut ?" },
};

START_TEST(what_a_terminal_would_obey_is_replaced)
{
    char text[64];

    snprintf(text, sizeof(text), "%s", texts[_i].text);
    ck_assert_str_eq(make_printable(text), texts[_i].printable);
}
END_TEST

START_TEST(steps_are_characters)
{
    enum printable_kind kind;

    ck_assert_uint_eq(printable_step("♥a", 4, &kind), 3);
    ck_assert_int_eq(kind, PRINTABLE_AS_IT_IS);
    ck_assert_uint_eq(printable_step("♥", 2, &kind), 2);
    ck_assert_int_eq(kind, PRINTABLE_BROKEN);
    ck_assert_uint_eq(printable_step("\xc2\x85", 2, &kind), 2);
    ck_assert_int_eq(kind, PRINTABLE_CONTROL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.printable");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, what_a_terminal_would_obey_is_replaced, 0,
                        (int)(sizeof(texts) / sizeof(texts[0])));
    tcase_add_test(tests, steps_are_characters);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
