#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/environment.h"
#include "ipc/messages.h"
#include "tests/unit/run_suite.h"

static struct environment environment;

static void setup(void)
{
    clearenv();
    setenv("PROFD_SOCKET", "/tmp/somewhere.sock", 1);
}

static void read_environment(void)
{
    memset(&environment, 0, sizeof(environment));
    environment_read(&environment);
}

START_TEST(an_empty_environment_means_wait_for_profd)
{
    read_environment();
    ck_assert(!environment.is_disabled);
    ck_assert(!environment.starts_up);
    ck_assert_int_eq(environment.signal_number, 0);
    ck_assert_uint_eq(environment.interval_ns, 1000000);
    ck_assert_uint_eq(environment.features, FEATURES_DEFAULT);
    ck_assert_int_eq(environment.clock, SAMPLING_CLOCK_AUTO);
    ck_assert_str_eq(environment.filters, "");
}
END_TEST

START_TEST(the_socket_is_the_one_that_is_named)
{
    read_environment();
    ck_assert_str_eq(environment.socket_path, "/tmp/somewhere.sock");
}
END_TEST

START_TEST(labels_are_taken_whole_or_counted)
{
    char labels[2 * ARENA_LABELS_BYTES] = { 0 };
    read_environment();
    ck_assert_str_eq(environment.labels, "");
    setenv("PROFD_LABELS", "service=web,zone=a", 1);
    read_environment();
    ck_assert_str_eq(environment.labels, "service=web,zone=a");
    ck_assert_uint_eq(environment.labels_left_out, 0);
    memset(labels, 'x', ARENA_LABELS_BYTES - 1);
    setenv("PROFD_LABELS", labels, 1);
    read_environment();
    ck_assert_str_eq(environment.labels, labels);
    ck_assert_uint_eq(environment.labels_left_out, 0);
    labels[ARENA_LABELS_BYTES - 1] = 'x';
    setenv("PROFD_LABELS", labels, 1);
    read_environment();
    ck_assert_str_eq(environment.labels, "");
    ck_assert_uint_eq(environment.labels_left_out, 1);
    memcpy(labels, "a=b\\,c,d=", 9);
    strcat(labels, ",e=f,g=h");
    setenv("PROFD_LABELS", labels, 1);
    read_environment();
    ck_assert_str_eq(environment.labels, "a=b\\,c");
    ck_assert_uint_eq(environment.labels_left_out, 3);
    ck_assert_str_eq(environment.problem, "");
}
END_TEST

START_TEST(a_socket_path_that_fits_no_address_is_no_path)
{
    char path[300];
    memset(path, 'x', sizeof(path) - 1);
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    setenv("PROFD_SOCKET", path, 1);
    read_environment();
    ck_assert_str_eq(environment.socket_path, "");
}
END_TEST

START_TEST(startup_settings_are_read)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_GENERATION", "7", 1);
    setenv("PROFD_STARTUP_INTERVAL", "2ms", 1);
    setenv("PROFD_STARTUP_FILTERS", "worker,main", 1);
    read_environment();
    ck_assert(environment.starts_up);
    ck_assert_uint_eq(environment.generation, 7);
    ck_assert_uint_eq(environment.interval_ns, 2000000);
    ck_assert_str_eq(environment.filters, "worker,main");
}
END_TEST

static const struct {
    const char *text;
    int number;
} signals[] = {
    { "URG", SIGURG }, { "SIGPROF", SIGPROF }, { "PROF", SIGPROF }, { "10", 10 }, { "", 0 },
};

START_TEST(the_signal_may_be_a_name_or_a_number)
{
    setenv("PROFD_SIGNAL", signals[_i].text, 1);
    read_environment();
    ck_assert_msg(environment.signal_number == signals[_i].number, "\"%s\"", signals[_i].text);
    ck_assert_str_eq(environment.problem, "");
}
END_TEST

static const struct {
    const char *text;
    uint64_t interval_ns;
} intervals[] = {
    { "1", 1000000 },       { "250us", 250000 }, { "1.5ms", 1500000 }, { "10us", 10000 },
    { "60s", 60000000000 }, { "", 1000000 },     { "2s", 2000000000 }, { "1000000ns", 1000000 },
};

START_TEST(the_interval_has_a_unit_or_counts_milliseconds)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_INTERVAL", intervals[_i].text, 1);
    read_environment();
    ck_assert_str_eq(environment.problem, "");
    ck_assert_uint_eq(environment.interval_ns, intervals[_i].interval_ns);
}
END_TEST

static const struct {
    const char *text;
    enum sampling_clock clock;
} clocks[] = {
    { "auto", SAMPLING_CLOCK_AUTO }, { "cpu", SAMPLING_CLOCK_CPU }, { "perf", SAMPLING_CLOCK_PERF },
    { "wall", SAMPLING_CLOCK_WALL }, { "", SAMPLING_CLOCK_AUTO },
};

START_TEST(the_clock_is_a_name)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_CLOCK", clocks[_i].text, 1);
    read_environment();
    ck_assert_str_eq(environment.problem, "");
    ck_assert_int_eq(environment.clock, clocks[_i].clock);
}
END_TEST

START_TEST(features_are_names)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_FEATURES", "labels,cpu", 1);
    read_environment();
    ck_assert_str_eq(environment.problem, "");
    ck_assert_uint_eq(environment.features, FEATURE_LABELS | FEATURE_CPU);
}
END_TEST

/* What is wrong, and a word of the sentence that says so. */
static const struct {
    const char *name, *value, *word;
} problems[] = {
    { "PROFD_STARTUP_INTERVAL", "soon", "such as 1ms" },
    { "PROFD_STARTUP_INTERVAL", "1us", "10us to 60s" },
    { "PROFD_STARTUP_INTERVAL", "61s", "10us to 60s" },
    { "PROFD_STARTUP_INTERVAL", "-5", "'-5'" },
    { "PROFD_STARTUP_INTERVAL", "99999999999999999999", "10us" },
    { "PROFD_STARTUP_INTERVAL", "1\n2", "'1 2'" },
    { "PROFD_STARTUP_CLOCK", "pref", "did you mean 'perf'?" },
    { "PROFD_STARTUP_CLOCK", "CPU", "auto, cpu, perf, wall" },
    { "PROFD_STARTUP_CLOCK", "1\n2", "'1 2'" },
    { "PROFD_STARTUP_FEATURES", "stacks,lables", "did you mean 'labels'?" },
    { "PROFD_STARTUP_FEATURES", "xyzzy", "PROFD_HELP=1" },
    { "PROFD_STARTUP_FEATURES", "stacks,", "unknown feature ''" },
    { "PROFD_STARTUP_FILTERS", ",", "not a list of thread names" },
    { "PROFD_STARTUP_FILTERS", "pool,pid:0", "not a list of thread names" },
    { "PROFD_STARTUP_LIMIT", "much", "such as 64M" },
    { "PROFD_STARTUP_LIMIT", "4K", "at least 1M" },
    { "PROFD_STARTUP", "yes", "must be 1 or 0" },
    { "PROFD_SIGNAL", "nonsense", "not a signal" },
    { "PROFD_SIGNAL", "9999", "not a signal" },
    { "PROFD_SIGNAL", "KILL", "cannot be caught" },
    { "PROFD_SIGNAL", "SIGSTOP", "cannot be caught" },
    { "PROFD_SIGNAL", "33", "cannot be caught" },
    { "PROFD_SHUTDOWN", "profile", "end in .json" },
    { "PROFD_SHUTDOWN", "profile.json.gz", "end in .json" },
    { "PROFD_SHUTDOWN", "%d.json", "not %p" },
};

START_TEST(a_value_that_makes_no_sense_is_told_and_nothing_is_recorded)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_SHUTDOWN", "out.json", 1);
    setenv(problems[_i].name, problems[_i].value, 1);
    read_environment();
    ck_assert_msg(strstr(environment.problem, problems[_i].word) != NULL, "%s",
                  environment.problem);
    ck_assert_msg(strstr(environment.problem, problems[_i].name) != NULL, "%s",
                  environment.problem);
    ck_assert(!environment.starts_up);
    ck_assert_str_eq(environment.shutdown_pattern, "");
}
END_TEST

START_TEST(filters_that_are_too_long_are_told)
{
    char filters[ENVIRONMENT_FILTERS_BYTES + 1];
    memset(filters, 'x', sizeof(filters) - 1);
    filters[sizeof(filters) - 1] = '\0';
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_FILTERS", filters, 1);
    read_environment();
    ck_assert(strstr(environment.problem, "PROFD_STARTUP_FILTERS") != NULL);
    ck_assert_str_eq(environment.filters, "");
}
END_TEST

START_TEST(a_profile_that_is_written_alone_needs_no_profd)
{
    unsetenv("PROFD_SOCKET");
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_SHUTDOWN", "out-%p.json", 1);
    read_environment();
    ck_assert_str_eq(environment.problem, "");
    ck_assert_str_eq(environment.shutdown_pattern, "out-%p.json");
    ck_assert_str_eq(environment.socket_path, "");
}
END_TEST

START_TEST(a_profile_of_nothing_is_told)
{
    unsetenv("PROFD_SOCKET");
    setenv("PROFD_SHUTDOWN", "out.json", 1);
    read_environment();
    ck_assert(strstr(environment.problem, "PROFD_STARTUP=1") != NULL);
}
END_TEST

START_TEST(a_process_can_ask_to_be_left_alone)
{
    setenv("PROFD_DISABLE", "1", 1);
    read_environment();
    ck_assert(environment.is_disabled);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.environment");
    TCase *tcase = tcase_create("environment");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, an_empty_environment_means_wait_for_profd);
    tcase_add_test(tcase, the_socket_is_the_one_that_is_named);
    tcase_add_test(tcase, labels_are_taken_whole_or_counted);
    tcase_add_test(tcase, a_socket_path_that_fits_no_address_is_no_path);
    tcase_add_test(tcase, startup_settings_are_read);
    tcase_add_loop_test(tcase, the_signal_may_be_a_name_or_a_number, 0,
                        sizeof(signals) / sizeof(signals[0]));
    tcase_add_loop_test(tcase, the_interval_has_a_unit_or_counts_milliseconds, 0,
                        sizeof(intervals) / sizeof(intervals[0]));
    tcase_add_loop_test(tcase, the_clock_is_a_name, 0, sizeof(clocks) / sizeof(clocks[0]));
    tcase_add_test(tcase, features_are_names);
    tcase_add_loop_test(tcase, a_value_that_makes_no_sense_is_told_and_nothing_is_recorded, 0,
                        sizeof(problems) / sizeof(problems[0]));
    tcase_add_test(tcase, filters_that_are_too_long_are_told);
    tcase_add_test(tcase, a_profile_that_is_written_alone_needs_no_profd);
    tcase_add_test(tcase, a_profile_of_nothing_is_told);
    tcase_add_test(tcase, a_process_can_ask_to_be_left_alone);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
