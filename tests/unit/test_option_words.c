/* Tables of options: the words of a command line, and help. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/option_words.h"
#include "tests/unit/run_suite.h"

enum { RUN = 1, SHOW = 2 };
enum { MOST_WORDS = 8 };

static const struct option_row rows[] = {
    { RUN, "output", 'o', "FILE", 0, 0, "where it goes" },
    { RUN | SHOW, "quiet", 'q', NULL, 0, 0, "print\nlittle" },
    { SHOW, "output", 'O', "PATTERN", 0, 0, "where they go" },
    { RUN, "jobs", 'j', NULL, 0, 0, NULL },
    { RUN, "threads", 0, "N", 0, 0, "how many" },
};

static const struct option_table run = { rows, sizeof(rows) / sizeof(rows[0]), RUN };
static const struct option_table show = { rows, sizeof(rows) / sizeof(rows[0]), SHOW };

static char *text_words[MOST_WORDS];
static struct option_words words;
static struct option_word word;

/* The words of LINE, which has single blanks between them. */
static void begin_line(const char *line)
{
    static char copy[128];
    int count = 0;

    snprintf(copy, sizeof(copy), "%s", line);
    for (char *text = strtok(copy, " "); text != NULL; text = strtok(NULL, " "))
        text_words[count++] = text;
    words = (struct option_words){ .words = text_words, .count = count };
}

static enum option_word_kind next_word(void)
{
    return option_words_next(&words, &run, &word);
}

static void expect_option(size_t row, const char *value)
{
    ck_assert_int_eq(next_word(), OPTION_WORD_OPTION);
    ck_assert_ptr_eq(word.row, &rows[row]);
    if (value == NULL)
        ck_assert_ptr_null(word.value);
    else
        ck_assert_str_eq(word.value, value);
}

START_TEST(values_are_the_next_word_or_attached)
{
    begin_line("--output a --output=b -o c -od --threads=");
    expect_option(0, "a");
    expect_option(0, "b");
    expect_option(0, "c");
    expect_option(0, "d");
    expect_option(4, "");
    ck_assert_int_eq(next_word(), OPTION_WORD_NONE);
    ck_assert_int_eq(next_word(), OPTION_WORD_NONE);
}
END_TEST

START_TEST(a_value_may_look_like_an_option)
{
    begin_line("-o -q --output --");
    expect_option(0, "-q");
    expect_option(0, "--");
    ck_assert_int_eq(next_word(), OPTION_WORD_NONE);
}
END_TEST

START_TEST(letters_come_together)
{
    begin_line("-qj -jqofile -qo file");
    expect_option(1, NULL);
    expect_option(3, NULL);
    expect_option(3, NULL);
    expect_option(1, NULL);
    expect_option(0, "file");
    expect_option(1, NULL);
    expect_option(0, "file");
    ck_assert_int_eq(next_word(), OPTION_WORD_NONE);
}
END_TEST

START_TEST(what_is_no_option_is_an_operand)
{
    begin_line("a - --quiet b -- -q");
    ck_assert_int_eq(next_word(), OPTION_WORD_OPERAND);
    ck_assert_str_eq(word.word, "a");
    ck_assert_int_eq(next_word(), OPTION_WORD_OPERAND);
    ck_assert_str_eq(word.word, "-");
    expect_option(1, NULL);
    ck_assert_int_eq(next_word(), OPTION_WORD_OPERAND);
    ck_assert_int_eq(next_word(), OPTION_WORD_DASHES);
    ck_assert_str_eq(text_words[words.next], "-q");
}
END_TEST

START_TEST(what_cannot_be_taken_is_told_with_its_word)
{
    begin_line("--outpu=a");
    ck_assert_int_eq(next_word(), OPTION_WORD_UNKNOWN);
    ck_assert_str_eq(word.word, "--outpu=a");
    begin_line("-qx");
    expect_option(1, NULL);
    ck_assert_int_eq(next_word(), OPTION_WORD_UNKNOWN);
    ck_assert_str_eq(word.word, "-qx");
    begin_line("--quiet=yes");
    ck_assert_int_eq(next_word(), OPTION_WORD_VALUE_UNWANTED);
    ck_assert_ptr_eq(word.row, &rows[1]);
    begin_line("--threads");
    ck_assert_int_eq(next_word(), OPTION_WORD_VALUE_MISSING);
    ck_assert_ptr_eq(word.row, &rows[4]);
    begin_line("-qo");
    expect_option(1, NULL);
    ck_assert_int_eq(next_word(), OPTION_WORD_VALUE_MISSING);
    ck_assert_ptr_eq(word.row, &rows[0]);
}
END_TEST

START_TEST(only_options_of_the_sets_are_known)
{
    ck_assert_ptr_eq(option_table_find(&show, "output", 6), &rows[2]);
    ck_assert_ptr_eq(option_table_find(&run, "output", 6), &rows[0]);
    ck_assert_ptr_null(option_table_find(&show, "threads", 7));
    ck_assert_ptr_null(option_table_letter(&show, 'o'));
    ck_assert_ptr_null(option_table_letter(&run, 0));
    ck_assert_str_eq(option_table_nearest(&run, "thraeds"), "threads");
    ck_assert_ptr_null(option_table_nearest(&show, "thraeds"));
}
END_TEST

/* The help of all rows, which the caller frees. */
static char *help_text(bool has_letters)
{
    const struct option_layout layout = { has_letters, 16 };
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    ck_assert_ptr_nonnull(out);
    for (size_t i = 0; i < run.count; i++)
        option_row_print(out, &rows[i], &layout);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(help_is_in_columns_and_without_what_has_none)
{
    char *text = help_text(true);

    ck_assert_str_eq(text, "  -o, --output FILE    where it goes\n"
                           "  -q, --quiet          print\n"
                           "                       little\n"
                           "  -O, --output PATTERN where they go\n"
                           "      --threads N      how many\n");
    free(text);
}
END_TEST

START_TEST(help_may_have_no_letters)
{
    char *text = help_text(false);

    ck_assert_str_eq(text, "  --output FILE    where it goes\n"
                           "  --quiet          print\n"
                           "                   little\n"
                           "  --output PATTERN where they go\n"
                           "  --threads N      how many\n");
    free(text);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("words");
    tcase_add_test(cases, values_are_the_next_word_or_attached);
    tcase_add_test(cases, a_value_may_look_like_an_option);
    tcase_add_test(cases, letters_come_together);
    tcase_add_test(cases, what_is_no_option_is_an_operand);
    tcase_add_test(cases, what_cannot_be_taken_is_told_with_its_word);
    tcase_add_test(cases, only_options_of_the_sets_are_known);
    tcase_add_test(cases, help_is_in_columns_and_without_what_has_none);
    tcase_add_test(cases, help_may_have_no_letters);
    Suite *suite = suite_create("common.option_words");
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
