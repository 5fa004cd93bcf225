/* daemon.options */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/features.h"
#include "daemon/options.h"
#include "tests/unit/run_suite.h"

static struct options options;
static char error_text[OPTIONS_ERROR_TEXT];

/* ARGUMENTS are separated by single spaces. */
static int parse_arguments(const char *arguments)
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
    ck_assert_int_eq(parse_arguments(""), 0);
    ck_assert_ptr_null(options.socket);
    ck_assert_ptr_null(options.command);
    ck_assert_int_eq(options.private_fd, -1);
    ck_assert_int_eq(options.log_level, LOG_INFO);
    ck_assert_uint_eq(options.memory_limit_bytes, 256ULL << 20);
}
END_TEST

START_TEST(values_come_as_the_next_word_or_behind_a_sign)
{
    ck_assert_int_eq(parse_arguments("--socket /a --memory-limit=2G --log-level=debug --private 7"),
                     0);
    ck_assert_str_eq(options.socket, "/a");
    ck_assert_uint_eq(options.memory_limit_bytes, 2ULL << 30);
    ck_assert_int_eq(options.log_level, LOG_DEBUG);
    ck_assert_int_eq(options.private_fd, 7);
}
END_TEST

START_TEST(agents_are_own_or_of_all)
{
    ck_assert_int_eq(parse_arguments("--control-group staff"), 0);
    ck_assert_str_eq(options.control_group, "staff");
    ck_assert(!options.takes_all_agents);
    ck_assert_int_eq(parse_arguments("--agents all"), 0);
    ck_assert_ptr_null(options.control_group);
    ck_assert(options.takes_all_agents);
    ck_assert_int_eq(parse_arguments("--agents all --agents own"), 0);
    ck_assert(!options.takes_all_agents);
    ck_assert_int_eq(parse_arguments("--agents some"), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error_text, "some"));
    ck_assert_int_eq(parse_arguments("--control-group="), -EINVAL);
}
END_TEST

START_TEST(a_session_is_kept_for_a_time)
{
    ck_assert_int_eq(parse_arguments(""), 0);
    ck_assert_uint_eq(options.keep_session_ns, 0);
    ck_assert_int_eq(parse_arguments("--keep-session 5m"), 0);
    ck_assert_uint_eq(options.keep_session_ns, UINT64_C(300000000000));
    ck_assert_int_eq(parse_arguments("--keep-session 2"), 0);
    ck_assert_uint_eq(options.keep_session_ns, UINT64_C(2000000000));
    ck_assert_int_eq(parse_arguments("--keep-session 60m"), 0);
}
END_TEST

START_TEST(a_session_that_is_always_on_has_the_features_that_are_named)
{
    ck_assert_int_eq(parse_arguments("--always 19Hz"), 0);
    ck_assert_uint_eq(options.always_features, 0);
    ck_assert_int_eq(parse_arguments("--always 19Hz --always-features stacks,nativeallocs"), 0);
    ck_assert_uint_eq(options.always_features, FEATURE_STACKS | FEATURE_NATIVEALLOCS);
    ck_assert_int_eq(parse_arguments("--always-features stack"), -EINVAL);
    ck_assert_str_eq(error_text,
                     "--always-features: unknown feature 'stack'; did you mean 'stacks'?");
    ck_assert_int_eq(parse_arguments("--always-features xyzzy"), -EINVAL);
    ck_assert_str_eq(error_text, "--always-features: unknown feature 'xyzzy'; profctl-start(1) "
                                 "lists them");
}
END_TEST

START_TEST(a_command_takes_all_that_follows)
{
    ck_assert_int_eq(parse_arguments("--socket /a -- sh --help -- x"), 0);
    ck_assert_str_eq(options.command[0], "sh");
    ck_assert_str_eq(options.command[1], "--help");
    ck_assert_str_eq(options.command[3], "x");
    ck_assert_ptr_null(options.command[4]);
    ck_assert_int_eq(options.log_level, LOG_WARN);
}
END_TEST

START_TEST(help_and_version)
{
    ck_assert_int_eq(parse_arguments("--help"), 0);
    ck_assert_int_eq(options.action, OPTIONS_SHOW_HELP);
    ck_assert_int_eq(parse_arguments("--version"), 0);
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
    "--keep-session 0",
    "--keep-session 61m",
    "--keep-session yes",
    "--keep-session 5m -- true",
    "--always-features=",
    "--always-features stacks,",
};

START_TEST(what_is_not_understood_is_refused_with_a_line)
{
    ck_assert_msg(parse_arguments(bad[_i]) == -EINVAL, "%s", bad[_i]);
    ck_assert_uint_gt(strlen(error_text), 0);
    ck_assert_ptr_null(strchr(error_text, '\n'));
}
END_TEST

static const struct {
    const char *text;
    uint64_t bytes;
} limits[] = {
    { "4194304", 4 << 20 },
    { "64K", 0 },
    { "2048k", 2 << 20 },
    { "3M", 3 << 20 },
    { "5MB", 5 << 20 },
    { "64MiB", 64 << 20 },
    { "16G", 16ULL << 30 },
    { "1.5G", 3ULL << 29 },
    { "0.5M", 0 },
    { "5.M", 0 },
    { "M", 0 },
    { "0x1000000", 0 },
    { "+5M", 0 },
    { "5M ", 0 },
    { "64G", 64ULL << 30 },
    { "64.1G", 0 },
    { "65G", 0 },
    { "17179869184G", 0 },
    { "99999999999999999999", 0 },
};

/* Zero stands for a refusal. */
START_TEST(a_limit_is_written_as_for_profctl)
{
    char *argv[] = { (char *)"profd", (char *)"--memory-limit", (char *)limits[_i].text, NULL };
    int error = options_parse(3, argv, &options, error_text);

    ck_assert_msg(error == (limits[_i].bytes == 0 ? -EINVAL : 0), "%s", limits[_i].text);
    if (error == 0)
        ck_assert_uint_eq(options.memory_limit_bytes, limits[_i].bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.options");
    TCase *parsing = tcase_create("parsing");
    tcase_add_test(parsing, nothing_is_needed);
    tcase_add_test(parsing, values_come_as_the_next_word_or_behind_a_sign);
    tcase_add_test(parsing, agents_are_own_or_of_all);
    tcase_add_test(parsing, a_session_is_kept_for_a_time);
    tcase_add_test(parsing, a_session_that_is_always_on_has_the_features_that_are_named);
    tcase_add_test(parsing, a_command_takes_all_that_follows);
    tcase_add_test(parsing, help_and_version);
    tcase_add_loop_test(parsing, what_is_not_understood_is_refused_with_a_line, 0,
                        (int)(sizeof(bad) / sizeof(bad[0])));
    tcase_add_loop_test(parsing, a_limit_is_written_as_for_profctl, 0,
                        (int)(sizeof(limits) / sizeof(limits[0])));
    suite_add_tcase(suite, parsing);
    return run_suite(suite);
}
