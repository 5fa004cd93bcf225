/* buffer.arena_title */
#include <check.h>
#include <string.h>

#include "buffer/arena_title.h"
#include "tests/unit/run_suite.h"

static const struct {
    const char *arguments; /* as strings behind one another … */
    size_t bytes;
    const char *first, *expect;
} titles[] = {
    { "sh\0-c\0true", 11, "sh", "" },
    { "sh", 3, "sh", "" },
    { "postgres: checkpointer \0\0\0", 25, "/usr/bin/postgres", "postgres: checkpointer" },
    { "postgres: writer\0leftover", 26, "postgres", "postgres: writer" },
    { "not terminated", 14, "/bin/not", "not terminated" },
    { "\0\0\0", 3, "hidden", "" },
    { "    ", 4, "hidden", "" },
    { "", 0, "gone", "" },
    { "shell", 6, "sh", "shell" },
    { "s", 2, "sh", "s" },
    { "", 1, "", "" },
};

START_TEST(what_is_written_over_the_arguments_is_a_title)
{
    char title[ARENA_TITLE_BYTES];

    arena_title_find(titles[_i].arguments, titles[_i].bytes, titles[_i].first, title);
    ck_assert_str_eq(title, titles[_i].expect);
}
END_TEST

START_TEST(a_long_title_is_cut)
{
    char arguments[1000], title[ARENA_TITLE_BYTES];

    memset(arguments, 'x', sizeof(arguments));
    arena_title_find(arguments, sizeof(arguments), "sh", title);
    ck_assert_uint_eq(strlen(title), ARENA_TITLE_BYTES - 1);
    arena_title_find(arguments, ARENA_TITLE_BYTES - 1, "sh", title);
    ck_assert_uint_eq(strlen(title), ARENA_TITLE_BYTES - 1);
    char first[ARENA_TITLE_BYTES];
    memcpy(first, title, sizeof(first));
    arena_title_find(arguments, sizeof(arguments), first, title);
    ck_assert_str_eq(title, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.arena_title");
    TCase *tests = tcase_create("titles");
    tcase_add_loop_test(tests, what_is_written_over_the_arguments_is_a_title, 0,
                        (int)(sizeof(titles) / sizeof(titles[0])));
    tcase_add_test(tests, a_long_title_is_cut);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
