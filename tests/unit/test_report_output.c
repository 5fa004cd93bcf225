/* profctl.report.report_output */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/report_output.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *text, *shown;
} texts[] = {
    { "", "" },
    { "größe→♥𝄞", "größe→♥𝄞" },
    { "a\nb\x1b[31m\x7f", "a?b?[31m?" },
    { "\xc2\x80\xc2\x9b\xc2\xa0", "??\xc2\xa0" },
    { "a\xe2\x80\xae"
      "b\xe2\x81\xa6",
      "a?b?" },
    { "\x9b"
      "31m",
      "�31m" },
    { "a\xff"
      "b",
      "a�b" },
    { "cut \xe2\x80", "cut �" },
    { "\xc0\x80", "��" },
};

START_TEST(a_terminal_obeys_nothing_that_a_profile_says)
{
    char *shown = NULL;
    size_t bytes;
    FILE *out = open_memstream(&shown, &bytes);

    ck_assert_ptr_nonnull(out);
    report_put_text(texts[_i].text, strlen(texts[_i].text), out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(shown, texts[_i].shown);
    free(shown);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report.report_output");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, a_terminal_obeys_nothing_that_a_profile_says, 0,
                        (int)(sizeof(texts) / sizeof(texts[0])));
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
