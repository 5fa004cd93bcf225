/* daemon.options */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "daemon/options.h"

static struct options options;
static char error_text[OPTIONS_ERROR_TEXT];

/* ARGUMENTS are separated by single spaces. */
static int parse(const char *arguments)
{
    static char text[256];
    static char *argv[16];
    int argc = 0;

    argv[argc++] = (char *)"profd";
    strcpy(text, arguments);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    error_text[0] = '\0';
    return options_parse(argc, argv, &options, error_text);
}

START_TEST(nothing_is_needed)
{
    ck_assert_int_eq(parse(""), 0);
    ck_assert_ptr_null(options.socket);
    ck_assert_ptr_null(options.command);
    ck_assert_int_eq(options.private_fd, -1);
    ck_assert_int_eq(options.log_level, LOG_INFO);
    ck_assert_uint_eq(options.memory_limit_bytes, 256ULL << 20);
}
END_TEST

START_TEST(values_come_as_the_next_word_or_behind_a_sign)
{
    ck_assert_int_eq(parse("--socket /a --memory-limit=2G --log-level=debug --private 7"), 0);
    ck_assert_str_eq(options.socket, "/a");
    ck_assert_uint_eq(options.memory_limit_bytes, 2ULL << 30);
    ck_assert_int_eq(options.log_level, LOG_DEBUG);
    ck_assert_int_eq(options.private_fd, 7);
}
END_TEST

START_TEST(a_command_takes_all_that_follows)
{
    ck_assert_int_eq(parse("--socket /a -- sh --help -- x"), 0);
    ck_assert_str_eq(options.command[0], "sh");
    ck_assert_str_eq(options.command[1], "--help");
    ck_assert_str_eq(options.command[3], "x");
    ck_assert_ptr_null(options.command[4]);
    ck_assert_int_eq(options.log_level, LOG_WARN);
}
END_TEST

START_TEST(help_and_version)
{
    ck_assert_int_eq(parse("--help"), 0);
    ck_assert_int_eq(options.action, OPTIONS_SHOW_HELP);
    ck_assert_int_eq(parse("--version"), 0);
    ck_assert_int_eq(options.action, OPTIONS_SHOW_VERSION);
}
END_TEST

static const char *const bad[] = {
    "--nonsense",
    "--config=",
    "--config f -- true",
    "sh",
    "--",
    "--socket",
    "--socket=",
    "--memory-limit 12X",
    "--memory-limit 4K",
    "--memory-limit -1",
    "--log-level loud",
    "--private x",
    "--private -1",
    "--private 5x",
    "--memory-limit 99999999999G",
};

START_TEST(what_is_not_understood_is_refused_with_a_line)
{
    ck_assert_msg(parse(bad[_i]) == -EINVAL, "%s", bad[_i]);
    ck_assert_uint_gt(strlen(error_text), 0);
    ck_assert_ptr_null(strchr(error_text, '\n'));
}
END_TEST

static const struct {
    const char *text;
    int error;
    uint64_t bytes;
} sizes[] = {
    { "0", 0, 0 },
    { "4096", 0, 4096 },
    { "64K", 0, 65536 },
    { "64k", 0, 65536 },
    { "3M", 0, 3 << 20 },
    { "16G", 0, 16ULL << 30 },
    { "", -EINVAL, 0 },
    { "M", -EINVAL, 0 },
    { "-5", -EINVAL, 0 },
    { " 5", -EINVAL, 0 },
    { "5MB", -EINVAL, 0 },
    { "17179869184G", -ERANGE, 0 },
    { "99999999999999999999", -ERANGE, 0 },
};

START_TEST(sizes_are_read)
{
    uint64_t bytes = 0;

    ck_assert_msg(options_parse_size(sizes[_i].text, &bytes) == sizes[_i].error, "%s",
                  sizes[_i].text);
    ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.options");
    TCase *parsing = tcase_create("parsing");
    tcase_add_test(parsing, nothing_is_needed);
    tcase_add_test(parsing, values_come_as_the_next_word_or_behind_a_sign);
    tcase_add_test(parsing, a_command_takes_all_that_follows);
    tcase_add_test(parsing, help_and_version);
    tcase_add_loop_test(parsing, what_is_not_understood_is_refused_with_a_line, 0,
                        (int)(sizeof(bad) / sizeof(bad[0])));
    tcase_add_loop_test(parsing, sizes_are_read, 0, (int)(sizeof(sizes) / sizeof(sizes[0])));
    suite_add_tcase(suite, parsing);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
