/* profctl.report.report_paint */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/report_paint.h"
#include "tests/unit/run_suite.h"

static const struct {
    struct report_paint paint;
    const char *line, *shown;
} lines[] = {
    { { 0 }, "", "" },
    { { 0 }, "  12.0%  a (in b)", "  12.0%  a (in b)" },
    { { .columns = 17 }, "  12.0%  a (in b)", "  12.0%  a (in b)" },
    { { .columns = 28 }, "  12.0%  abcdefghijklmno (in b)", "  12.0%  abcdefghijk… (in b)" },
    { { .columns = 17 }, "  12.0%  abcdefghijkl (in b)", "  12.0%  abcdefg…" },
    { { .columns = 5 }, "  12.0%  a (in b)", "  12…" },
    { { .columns = 6 }, "  ößöß", "  ößöß" },
    { { .columns = 5 }, "  ößöß", "  öß…" },
    { { .columns = 5 }, "Sentences may be long.", "Sentences may be long." },
    { { .columns = 8 }, "  f(int, char (*)(long))", "  f(int…" },
    { { .has_colours = true },
      "  12.0%  a (in b)",
      "  \033[31m12.0%\033[0m  a\033[2m (in b)\033[0m" },
    { { .has_colours = true }, "   2.0%   1.9%  a5%", "   \033[33m2.0%\033[0m   1.9%  a5%" },
    { { .has_colours = true }, "busy: 3 samples", "\033[1mbusy\033[0m: 3 samples" },
    { { .has_colours = true }, "Not profiled:", "\033[1mNot profiled:\033[0m" },
    { { .has_colours = true }, "by function", "\033[1mby function\033[0m" },
    { { .has_colours = true, .is_behind_text = true }, "A sentence.", "A sentence." },
    { { .columns = 24, .has_colours = true },
      "  a  abcdefghijklmnop (in b)",
      "  a  abcdefghijk…\033[2m (in b)\033[0m" },
};

static char *paint_lines(struct report_paint *paint, const char *first, const char *second)
{
    char *shown = NULL;
    size_t bytes;
    FILE *out = open_memstream(&shown, &bytes);

    ck_assert_ptr_nonnull(out);
    report_paint_line(paint, first, strlen(first), out);
    if (second != NULL)
        report_paint_line(paint, second, strlen(second), out);
    ck_assert_int_eq(fclose(out), 0);
    return shown;
}

START_TEST(lines_fit_and_have_their_colours)
{
    struct report_paint paint = lines[_i].paint;
    char wanted[128], *shown = paint_lines(&paint, lines[_i].line, NULL);

    snprintf(wanted, sizeof(wanted), "%s\n", lines[_i].shown);
    ck_assert_str_eq(shown, wanted);
    free(shown);
}
END_TEST

START_TEST(a_heading_stands_behind_an_empty_line)
{
    struct report_paint paint = { .has_colours = true };
    char *shown = paint_lines(&paint, "first", "second");

    ck_assert_str_eq(shown, "\033[1mfirst\033[0m\nsecond\n");
    free(shown);
    shown = paint_lines(&paint, "", "third");
    ck_assert_str_eq(shown, "\n\033[1mthird\033[0m\n");
    free(shown);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report.report_paint");
    TCase *tests = tcase_create("all");
    tcase_add_loop_test(tests, lines_fit_and_have_their_colours, 0,
                        (int)(sizeof(lines) / sizeof(lines[0])));
    tcase_add_test(tests, a_heading_stands_behind_an_empty_line);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
