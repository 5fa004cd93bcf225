/* The command line into values. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/suggest.h"
#include "ipc/messages.h"
#include "profctl/arguments/arguments.h"
#include "tests/unit/run_suite.h"

enum { MOST_WORDS = 12 };

static struct arguments arguments;
static struct failure failure;
static char *words[MOST_WORDS];

static void reset_arguments(void)
{
    arguments_init(&arguments);
    memset(&failure, 0, sizeof(failure));
}

/* Parses the words of LINE, which has single blanks between them. */
static bool parse_line(const char *line, unsigned sets, bool stop_at_operand)
{
    static char copy[256];
    int count = 0;

    reset_arguments();
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
        words[count++] = word;
    return arguments_parse(&arguments, count, words, sets, stop_at_operand, "start", &failure);
}

static const unsigned every_set = OPTIONS_GLOBAL | OPTIONS_SESSION | OPTIONS_OUTPUT |
                                  OPTIONS_CAPTURE | OPTIONS_STATUS | OPTIONS_REPORT;

START_TEST(nothing_given_means_the_defaults)
{
    ck_assert(parse_line("", every_set, false));
    ck_assert_uint_eq(arguments.interval_ns, 1000000);
    ck_assert_uint_eq(arguments.features, FEATURES_DEFAULT);
    ck_assert_int_eq(arguments.clock, SAMPLING_CLOCK_AUTO);
    ck_assert_uint_eq(arguments.timeout_ms, 10000);
    ck_assert_uint_eq(arguments.duration_ms, 0);
    ck_assert_uint_eq(arguments.top, 10);
    ck_assert_str_eq(arguments.threads, "");
    ck_assert_ptr_null(arguments.output);
    ck_assert_ptr_null(arguments.socket);
    ck_assert_int_eq(arguments.operand_count, 0);
}
END_TEST

START_TEST(session_options_are_taken)
{
    ck_assert(parse_line("--interval 250us --features stacks,cpu --threads GeckoMain,pool "
                         "--memory-limit 64M -d 2.5 --clock perf",
                         OPTIONS_SESSION, false));
    ck_assert_uint_eq(arguments.interval_ns, 250000);
    ck_assert_uint_eq(arguments.features, FEATURE_STACKS | FEATURE_CPU);
    ck_assert_int_eq(arguments.clock, SAMPLING_CLOCK_PERF);
    ck_assert_str_eq(arguments.threads, "GeckoMain,pool");
    ck_assert_uint_eq(arguments.memory_limit_bytes, 64 << 20);
    ck_assert_uint_eq(arguments.duration_ms, 2500);
}
END_TEST

START_TEST(a_rate_says_the_same_as_an_interval)
{
    ck_assert(parse_line("--rate 1000", OPTIONS_SESSION, false));
    ck_assert_uint_eq(arguments.interval_ns, 1000000);
}
END_TEST

START_TEST(values_may_be_attached)
{
    ck_assert(parse_line("--interval=2ms -oout.json -qj", every_set, false));
    ck_assert_uint_eq(arguments.interval_ns, 2000000);
    ck_assert_str_eq(arguments.output, "out.json");
    ck_assert(arguments.quiet);
    ck_assert(arguments.json);
}
END_TEST

START_TEST(options_and_operands_may_mix)
{
    ck_assert(parse_line("one --json two", every_set, false));
    ck_assert(arguments.json);
    ck_assert_int_eq(arguments.operand_count, 2);
    ck_assert_str_eq(arguments.operands[0], "one");
    ck_assert_str_eq(arguments.operands[1], "two");
}
END_TEST

static const char *const command_lines[] = {
    "-o x.json -- make -o all",
    "-o x.json make -o all",
};

START_TEST(options_of_a_command_are_left_to_it)
{
    ck_assert(parse_line(command_lines[_i], every_set, true));
    ck_assert_str_eq(arguments.output, "x.json");
    ck_assert_int_eq(arguments.operand_count, 3);
    ck_assert_str_eq(arguments.operands[0], "make");
    ck_assert_str_eq(arguments.operands[1], "-o");
    ck_assert_str_eq(arguments.operands[2], "all");
}
END_TEST

START_TEST(a_single_dash_is_an_operand)
{
    ck_assert(parse_line("-", every_set, false));
    ck_assert_int_eq(arguments.operand_count, 1);
}
END_TEST

static const struct {
    const char *line;
    const char *says;
} refused[] = {
    { "--intervall 1ms", "did you mean --interval?" },
    { "--watch", "unknown option --watch" },
    { "-x", "unknown option -x" },
    { "--interval", "--interval needs a value" },
    { "--interval soon", "'soon' is not a time" },
    { "--interval 1us", "is not a time from 10us" },
    { "--rate 0", "is not samples per second" },
    { "-i 1ms -r 100", "use either --interval or --rate" },
    { "-r 100 -i 1ms", "use either --interval or --rate" },
    { "--clock pref", "did you mean 'perf'?" },
    { "--clock monotonic", "'monotonic' is not one of auto, cpu, perf, wall" },
    { "--clock", "--clock needs a value" },
    { "--features stacks,marker", "did you mean 'markers'?" },
    { "--features ", "--features needs a value" },
    { "--features stacks,", "unknown feature ''" },
    { "--memory-limit lots", "is not a size" },
    { "--memory-limit 0", "is not a size" },
    { "--memory-limit 1023K", "at least 1M" },
    { "--duration 0", "is not a time" },
    { "--json=yes", "--json takes no value" },
    { "--threads ,", "not a list of thread names" },
    { "--threads alpha,pid:x", "'alpha,pid:x' is not a list" },
};

START_TEST(mistakes_are_usage_errors_that_say_what_to_do)
{
    ck_assert(!parse_line(refused[_i].line, OPTIONS_GLOBAL | OPTIONS_SESSION, false));
    ck_assert_int_eq(failure.code, EXIT_CODE_USAGE);
    ck_assert_msg(strstr(failure.text, refused[_i].says) != NULL, "%s", failure.text);
    ck_assert_ptr_null(strchr(failure.text, '\n'));
}
END_TEST

/* --- Suggestions --- */

static const char *const commands[] = { "start",  "stop",    "pause", "resume",
                                        "status", "capture", "run",   "report" };

static const struct {
    const char *word, *meant;
} mistyped[] = {
    { "captrue", "capture" },
    { "strat", "start" },
    { "repor", "report" },
    { "stat", "status" },
    { "rn", "run" },
    { "xyz", NULL },
    { "convert", NULL },
    { "", NULL },
    { "an-extremely-long-word-that-is-no-command", NULL },
};

START_TEST(the_nearest_word_is_suggested)
{
    const char *meant =
        suggest_nearest(mistyped[_i].word, commands, sizeof(commands) / sizeof(commands[0]));

    if (mistyped[_i].meant == NULL)
        ck_assert_msg(meant == NULL, "'%s' for '%s'", meant, mistyped[_i].word);
    else if (strcmp(mistyped[_i].word, "stat") == 0)
        ck_assert_msg(meant != NULL && strncmp(meant, "sta", 3) == 0, "%s", meant);
    else
        ck_assert_str_eq(meant, mistyped[_i].meant);
}
END_TEST

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

int main(void)
{
    Suite *suite = suite_create("profctl.arguments");
    TCase *taken = tcase_create("taken"), *mistakes = tcase_create("mistakes");

    tcase_add_test(taken, nothing_given_means_the_defaults);
    tcase_add_test(taken, session_options_are_taken);
    tcase_add_test(taken, a_rate_says_the_same_as_an_interval);
    tcase_add_test(taken, values_may_be_attached);
    tcase_add_test(taken, options_and_operands_may_mix);
    tcase_add_loop_test(taken, options_of_a_command_are_left_to_it, 0, COUNT_OF(command_lines));
    tcase_add_test(taken, a_single_dash_is_an_operand);
    tcase_add_loop_test(mistakes, mistakes_are_usage_errors_that_say_what_to_do, 0,
                        COUNT_OF(refused));
    tcase_add_loop_test(mistakes, the_nearest_word_is_suggested, 0, COUNT_OF(mistyped));
    suite_add_tcase(suite, taken);
    suite_add_tcase(suite, mistakes);
    return run_suite(suite);
}
