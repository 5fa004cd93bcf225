/* daemon.config */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/features.h"
#include "daemon/programs/config.h"
#include "tests/unit/run_suite.h"

static struct config config;
static char error_text[CONFIG_ERROR_TEXT];

static int parse_text(const char *text)
{
    error_text[0] = '\0';
    return config_parse(text, strlen(text), "F", &config, error_text);
}

static void tear_down(void)
{
    config_free(&config);
}

START_TEST(a_program_needs_a_name_and_a_command)
{
    ck_assert_int_eq(parse_text("{\"programs\":[{\"name\":\"a\",\"command\":[\"/bin/x\"]}]}"), 0);
    ck_assert_uint_eq(config.count, 1);
    const struct program_config *program = &config.programs[0];
    ck_assert_str_eq(program->name, "a");
    ck_assert_str_eq(program->command[0], "/bin/x");
    ck_assert_ptr_null(program->command[1]);
    ck_assert_ptr_null(program->environment);
    ck_assert_ptr_null(program->directory);
    ck_assert_int_eq(program->restart, RESTART_NEVER);
    ck_assert_int_eq(program->stop_signal, SIGTERM);
    ck_assert_uint_eq(program->stop_timeout_ms, CONFIG_USUAL_STOP_TIMEOUT_MS);
}
END_TEST

START_TEST(everything_can_be_said)
{
    ck_assert_int_eq(
        parse_text(
            "{\"programs\":[{\"name\":\"a\",\"command\":[\"x\"]},\n"
            "{\"stop_timeout_ms\":250,\"stop_signal\":\"SIGUSR2\",\"restart\":\"on-failure\",\n"
            "\"directory\":\"/tm\\u0070\",\"environment\":{\"A\":\"1=2\",\"B\":\"\"},\n"
            "\"command\":[\"y\",\"\",\"two words\"],\"name\":\"b\"}]} \n"),
        0);
    ck_assert_uint_eq(config.count, 2);
    const struct program_config *program = &config.programs[1];
    ck_assert_str_eq(program->name, "b");
    ck_assert_str_eq(program->command[1], "");
    ck_assert_str_eq(program->command[2], "two words");
    ck_assert_ptr_null(program->command[3]);
    ck_assert_str_eq(program->environment[0], "A=1=2");
    ck_assert_str_eq(program->environment[1], "B=");
    ck_assert_ptr_null(program->environment[2]);
    ck_assert_str_eq(program->directory, "/tmp");
    ck_assert_int_eq(program->restart, RESTART_ON_FAILURE);
    ck_assert_int_eq(program->stop_signal, SIGUSR2);
    ck_assert_uint_eq(program->stop_timeout_ms, 250);
}
END_TEST

START_TEST(a_session_that_is_always_on_needs_no_programs)
{
    ck_assert_int_eq(parse_text("{\"always\":\"20Hz\"}"), 0);
    ck_assert_uint_eq(config.always_interval_ns, 50000000);
    ck_assert_uint_eq(config.always_features, 0);
    ck_assert_uint_eq(config.count, 0);
}
END_TEST

START_TEST(a_session_that_is_always_on_has_the_features_that_are_named)
{
    ck_assert_int_eq(parse_text("{\"always\":\"20Hz\",\"always_features\":\"cpu,nativeallocs\"}"),
                     0);
    ck_assert_uint_eq(config.always_features, FEATURE_CPU | FEATURE_NATIVEALLOCS);
}
END_TEST

START_TEST(an_export_needs_no_programs)
{
    ck_assert_int_eq(parse_text("{\"export\":\"clickhouse://h/d\"}"), 0);
    ck_assert_str_eq(config.export.url, "clickhouse://h/d");
    ck_assert_ptr_null(config.export.options);
    ck_assert_uint_eq(config.count, 0);
}
END_TEST

START_TEST(an_export_has_the_options_of_profctl_export)
{
    static const char *const words[] = {
        "--every",      "5m",       "--label",       "zone=a\\,b\\\\c",
        "--label",      "k8s/app=", "--spool-limit", "1.5G",
        "--label-file", "/l",       "--spool",       "/s",
        "--timeout",    "20s",
    };
    ck_assert_int_eq(parse_text("{\"export\":{\"every\":\"5m\",\"url\":\"clickhouse://h/d\","
                                "\"labels\":{\"zone\":\"a,b\\\\c\",\"k8s/app\":\"\"},"
                                "\"spool_limit\":\"1.5G\",\"label_file\":\"/l\",\"spool\":\"/s\","
                                "\"timeout\":\"20s\"}}"),
                     0);
    ck_assert_str_eq(config.export.url, "clickhouse://h/d");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        ck_assert_str_eq(config.export.options[i], words[i]);
    ck_assert_ptr_null(config.export.options[sizeof(words) / sizeof(words[0])]);
}
END_TEST

#define URL "\"url\":\"clickhouse://h/d\""

static const struct {
    const char *text, *wanted;
} bad_exports[] = {
    { "{\"export\":7}", "F:1: export: needs a URL" },
    { "{\"export\":{}}", "F:1: export: has no \"url\"" },
    { "{\"export\":{\"url\":\"http://h\"}}", "F:1: export.url: must be a URL such as" },
    { "{\"export\":{" URL "," URL "}}", "F:1: export.url: is given twice" },
    { "{\"export\":{" URL ",\"every\":\"0.5s\"}}", "F:1: export.every: is a time" },
    { "{\"export\":{" URL ",\"every\":\"61m\"}}", "F:1: export.every: is a time" },
    { "{\"export\":{" URL ",\"every\":5}}", "F:1: export.every: needs a string" },
    { "{\"export\":{" URL ",\"every\":\"1m\",\"every\":\"1m\"}}",
      "F:1: export.every: is given twice" },
    { "{\"export\":{" URL ",\"spool_limit\":\"much\"}}", "F:1: export.spool_limit: is a size" },
    { "{\"export\":{" URL ",\"spool_limit\":\"1\"}}", "F:1: export.spool_limit: is a size" },
    { "{\"export\":{" URL ",\"spool_limit\":\"1023K\"}}", "F:1: export.spool_limit: is a size" },
    { "{\"export\":{\"url\":\"clickhouse:///d\"}}", "F:1: export.url: cannot export to that" },
    { "{\"export\":{\"url\":\"clickhouse://h\\u0007/d\"}}", "F:1: export.url: cannot export to" },
    { "{\"export\":{\"url\":\"clickhouse://h/d?days=0\"}}", "F:1: export.url: cannot export to" },
    { "{\"export\":{\"url\":\"otlp+http://[::1\"}}", "F:1: export.url: cannot export to that" },
    { "{\"export\":\"clickhouse://h\"}", "F:1: export: cannot export to that address: it has no" },
    { "{\"export\":{" URL ",\"labels\":{\"a\":\"b\",\"a\":\"c\"}}}",
      "F:1: export.labels: a is given twice" },
    { "{\"export\":{" URL ",\"timeout\":\"0\"}}", "F:1: export.timeout: is a time" },
    { "{\"export\":{" URL ",\"spool\":\"-x\"}}", "F:1: export.spool: cannot begin" },
    { "{\"export\":{" URL ",\n\"labels\":{\"a=\":\"b\"}}}", "F:2: export.labels: 'a=' cannot" },
    { "{\"export\":{" URL ",\"labels\":{\"\":\"b\"}}}", "F:1: export.labels: '' cannot" },
    { "{\"export\":{" URL ",\"labels\":[\"a=b\"]}}", "F:1: export.labels: needs an object" },
    { "{\"export\":{" URL ",\"every5\":\"b\"}}", "F:1: export: there is no key \"every5\"" },
};

START_TEST(an_export_that_is_wrong_is_refused)
{
    ck_assert_int_eq(parse_text(bad_exports[_i].text), -EINVAL);
    ck_assert_msg(strncmp(error_text, bad_exports[_i].wanted, strlen(bad_exports[_i].wanted)) == 0,
                  "%s", error_text);
}
END_TEST

#define GOOD    "{\"name\":\"a\",\"command\":[\"x\"]"
#define FIRST   "{\"programs\":[" GOOD
#define SECOND  FIRST "},\n{\"name\":\"b\",\n"
#define COMMAND ",\"command\":[\"x\"]}]}"

static const struct {
    const char *text, *says; /* where, and a word of what */
} mistakes[] = {
    { "", "F:1: " },
    { "[]", "F:1: needs an object" },
    { "{}", "F:1: has neither \"programs\" nor \"always\" nor \"export\"" },
    { "{\"export\":\"http://h/d\"}",
      "F:1: export: must be a URL such as \"clickhouse://HOST/DATABASE\"" },
    { "{\"export\":\"clickhouse://h/d\",\n\"export\":\"clickhouse://h/d\"}",
      "F:2: export: is given twice" },
    { "{\n\"program\":[]}", "F:2: unknown key \"program\"; expected \"programs\"" },
    { "{\n\"always\":19}", "F:2: always: needs a string" },
    { "{\"always\":\"19 Hertz\"}", "always: must be a rate such as \"19Hz\"" },
    { "{\"always\":\"0Hz\"}", "always: must be a rate such as" },
    { "{\"always\":\"1000000Hz\"}", "always: must be between" },
    { "{\"programs\":[{\"name\":\"a\",\"command\":[\"b\"],"
      "\"environment\":{\"LANG\":\"C\",\"LA\":\"x\",\"LANG\":\"D\"}}]}",
      "programs[0].environment: LANG is given twice" },
    { "{\"always\":\"1Hz\",\"always\":\"1Hz\"}", "always: is given twice" },
    { "{\"always\":\"1Hz\",\n\"always_features\":\"stacks,nativeallocations\"}",
      "F:2: always_features: unknown feature 'nativeallocations'; did you mean 'nativeallocs'?" },
    { "{\"always\":\"1Hz\",\"always_features\":[\"cpu\"]}", "always_features: needs a string" },
    { "{\"always_features\":\"cpu\",\"always_features\":\"cpu\"}",
      "always_features: is given twice" },
    { "{\"always\":\"1Hz\",\n\"triggers\":[\"exits\"]}", "F:2: triggers: \"exits\" is not one of" },
    { "{\"triggers\":[\"marker:x:1ms\"]}", "triggers: \"marker:x:1ms\" needs a session" },
    { "{\"triggers\":\"exit\"}", "triggers: needs a list of triggers" },
    { "{\"triggers\":[7]}", "triggers: needs strings only" },
    { "{\"triggers\":[\"exit\"],\"triggers\":[\"exit\"]}", "triggers: is given twice" },
    { "{\"trigger_output\":\"a.json\",\"trigger_output\":\"b.json\"}",
      "trigger_output: is given twice" },
    { "{\"always\":\"20Hz\",\"trigger_output\":\"x.txt\"}",
      "F:1: trigger_output: must end in .json" },
    { "{\"always\":\"20Hz\",\"trigger_output\":\"%y.json\"}", "F:1: trigger_output: must end in" },
    { "{\"programs\":\n{}}", "F:2: programs: needs a list" },
    { "{\"programs\":[]}", "F:1: programs: is empty" },
    { "{\"programs\":[7]}", "F:1: programs[0]: needs an object" },
    { FIRST "}", "F:1: programs" },
    { FIRST "}]} {}", "F:1: " },
    { FIRST "}],\"programs\":[" GOOD "}]}", "programs: is given twice" },
    { FIRST ",\n\"colour\":1}]}", "F:2: programs[0]: unknown key \"colour\"" },
    { FIRST ",\"name\":\"b\"}]}", "programs[0].name: is given twice" },
    { FIRST "}," GOOD "}]}", "programs[1]: has the name \"a\" of programs[0]" },
    { "{\"programs\":[{\"command\":[\"x\"]}]}", "programs[0]: has no \"name\"" },
    { "{\"programs\":[{\"name\":\"a\"}]}", "programs[0]: has no \"command\"" },
    { SECOND "\"name\":7" COMMAND, "F:3: programs[1].name: is given twice" },
    { "{\"programs\":[{\"name\":7}]}", "programs[0].name: needs a string" },
    { "{\"programs\":[{\"name\":\"\"}]}", "programs[0].name: must not be empty" },
    { "{\"programs\":[{\"name\":\"a\\u0000b\"}]}",
      "programs[0].name: must not contain a NUL byte" },
    { SECOND "\"command\":\"x\"}]}", "F:3: programs[1].command: needs a list" },
    { SECOND "\"command\":[]}]}", "programs[1].command: must name the program" },
    { SECOND "\"command\":[\"\"]}]}", "programs[1].command: must name the program" },
    { SECOND "\"command\":[\"x\",\n1]}]}", "F:4: programs[1].command: needs strings" },
    { SECOND "\"environment\":[]" COMMAND, "programs[1].environment: needs an object" },
    { SECOND "\"environment\":{\"A\":1}" COMMAND, "programs[1].environment: needs strings" },
    { SECOND "\"environment\":{\"A=\":\"1\"}" COMMAND, "'A=' is not a valid name" },
    { SECOND "\"environment\":{\"\":\"1\"}" COMMAND, "'' is not a valid name" },
    { SECOND "\"restart\":\"maybe\"" COMMAND, "F:3: programs[1].restart: must be \"never\"" },
    { SECOND "\"restart\":true" COMMAND, "programs[1].restart: must be \"never\"" },
    { SECOND "\"stop_signal\":\"SIGFOO\"" COMMAND, "\"SIGFOO\" is not a signal" },
    { SECOND "\"stop_signal\":9" COMMAND, "programs[1].stop_signal: needs a string" },
    { SECOND "\"stop_timeout_ms\":-1" COMMAND, "stop_timeout_ms: must be a whole number" },
    { SECOND "\"stop_timeout_ms\":1.5" COMMAND, "stop_timeout_ms: must be a whole number" },
    { SECOND "\"stop_timeout_ms\":99999999999" COMMAND, "stop_timeout_ms: must be a whole number" },
    { SECOND "\"stop_timeout_ms\":\"5s\"" COMMAND, "stop_timeout_ms: needs a number" },
};

START_TEST(a_mistake_names_line_and_key)
{
    ck_assert_int_eq(parse_text(mistakes[_i].text), -EINVAL);
    ck_assert_msg(strstr(error_text, mistakes[_i].says) != NULL, "'%s' does not say '%s'",
                  error_text, mistakes[_i].says);
    ck_assert_ptr_null(strchr(error_text, '\n'));
    ck_assert_uint_eq(config.count, 0);
}
END_TEST

START_TEST(a_config_cut_anywhere_is_a_mistake)
{
    static const char whole[] =
        SECOND "\"environment\":{\"A\":\"1\"},\"restart\":\"always\"" COMMAND;

    ck_assert_int_eq(parse_text(whole), 0);
    config_free(&config);
    for (size_t bytes = 0; bytes < sizeof(whole) - 1; bytes++) {
        ck_assert_int_eq(config_parse(whole, bytes, "F", &config, error_text), -EINVAL);
        ck_assert_ptr_null(config.programs);
    }
}
END_TEST

START_TEST(a_signal_has_its_name_with_and_without_sig)
{
    ck_assert_int_eq(parse_text(FIRST ",\"stop_signal\":\"INT\"}]}"), 0);
    ck_assert_int_eq(config.programs[0].stop_signal, SIGINT);
}
END_TEST

START_TEST(a_file_that_can_not_be_read_is_said)
{
    ck_assert_int_eq(config_load("/nonexistent/config", &config, error_text), -EINVAL);
    ck_assert_str_eq(error_text,
                     "cannot read the config /nonexistent/config: No such file or directory");
    ck_assert_int_eq(config_load("/", &config, error_text), -EINVAL);
    ck_assert_str_eq(error_text, "cannot read the config /: it is not a regular file");
    ck_assert_int_eq(config_load("/dev/zero", &config, error_text), -EINVAL);
    ck_assert_str_eq(error_text, "cannot read the config /dev/zero: it is not a regular file");
}
END_TEST

START_TEST(a_config_that_is_too_large_is_said)
{
    char path[] = "/tmp/profd-unit.XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, CONFIG_MAX_BYTES), 0);
    ck_assert_int_eq(config_load(path, &config, error_text), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error_text, ": File too large"));
    close(fd);
    unlink(path);
}
END_TEST

/* As a shell makes one: <(command). */
START_TEST(a_config_may_be_a_pipe_that_ends)
{
    static const char text[] = "{\"always\":\"20Hz\"}";
    char path[32];
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    ck_assert_int_eq(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    ck_assert_int_eq(config_load(path, &config, error_text), 0);
    close(ends[0]);
}
END_TEST

START_TEST(a_pipe_that_nobody_writes_to_is_refused)
{
    char path[] = "/tmp/profd-unit.XXXXXX";

    close(mkstemp(path));
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(config_load(path, &config, error_text), -EINVAL);
    ck_assert_ptr_nonnull(strstr(error_text, ": it is a pipe that nobody writes to"));
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.config");
    TCase *tests = tcase_create("parse");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_add_test(tests, a_program_needs_a_name_and_a_command);
    tcase_add_test(tests, everything_can_be_said);
    tcase_add_test(tests, a_session_that_is_always_on_needs_no_programs);
    tcase_add_test(tests, a_session_that_is_always_on_has_the_features_that_are_named);
    tcase_add_test(tests, an_export_needs_no_programs);
    tcase_add_test(tests, an_export_has_the_options_of_profctl_export);
    tcase_add_loop_test(tests, an_export_that_is_wrong_is_refused, 0,
                        sizeof(bad_exports) / sizeof(bad_exports[0]));
    tcase_add_loop_test(tests, a_mistake_names_line_and_key, 0,
                        sizeof(mistakes) / sizeof(mistakes[0]));
    tcase_add_test(tests, a_config_cut_anywhere_is_a_mistake);
    tcase_add_test(tests, a_signal_has_its_name_with_and_without_sig);
    tcase_add_test(tests, a_file_that_can_not_be_read_is_said);
    tcase_add_test(tests, a_config_that_is_too_large_is_said);
    tcase_add_test(tests, a_config_may_be_a_pipe_that_ends);
    tcase_add_test(tests, a_pipe_that_nobody_writes_to_is_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
