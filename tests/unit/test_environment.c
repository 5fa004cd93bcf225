#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/environment.h"
#include "ipc/messages.h"

static struct environment environment;

static void setup(void)
{
    clearenv();
    setenv("PROFD_SOCKET", "/tmp/somewhere.sock", 1);
}

START_TEST(an_empty_environment_means_wait_for_profd)
{
    environment_read(&environment);
    ck_assert(!environment.is_disabled);
    ck_assert(!environment.starts_up);
    ck_assert_int_eq(environment.signal_number, SIGURG);
    ck_assert_uint_eq(environment.interval_ns, 1000000);
    ck_assert_uint_eq(environment.features, FEATURES_DEFAULT);
    ck_assert_str_eq(environment.filters, "");
}
END_TEST

START_TEST(the_socket_is_the_one_that_is_named)
{
    environment_read(&environment);
    ck_assert_str_eq(environment.socket_path, "/tmp/somewhere.sock");
}
END_TEST

START_TEST(a_socket_path_that_fits_no_address_is_no_path)
{
    char path[300];
    memset(path, 'x', sizeof(path) - 1);
    path[0] = '/';
    path[sizeof(path) - 1] = '\0';
    setenv("PROFD_SOCKET", path, 1);
    environment_read(&environment);
    ck_assert_str_eq(environment.socket_path, "");
}
END_TEST

START_TEST(startup_settings_are_read)
{
    setenv("PROFD_STARTUP", "1", 1);
    setenv("PROFD_STARTUP_GENERATION", "7", 1);
    setenv("PROFD_STARTUP_INTERVAL", "2000000", 1);
    setenv("PROFD_STARTUP_FILTERS", "worker,main", 1);
    environment_read(&environment);
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
    { "URG", SIGURG },      { "SIGPROF", SIGPROF }, { "PROF", SIGPROF }, { "10", 10 },
    { "nonsense", SIGURG }, { "", SIGURG },         { "9999", SIGURG },  { "-1", SIGURG },
};

START_TEST(the_signal_may_be_a_name_or_a_number)
{
    setenv("PROFD_SIGNAL", signals[_i].text, 1);
    environment_read(&environment);
    ck_assert_msg(environment.signal_number == signals[_i].number, "\"%s\"", signals[_i].text);
}
END_TEST

static const char *const bad_numbers[] = { "", "1s", "-5", "99999999999999999999", " 7" };

START_TEST(a_number_that_makes_no_sense_counts_as_not_set)
{
    setenv("PROFD_STARTUP_INTERVAL", bad_numbers[_i], 1);
    environment_read(&environment);
    ck_assert_msg(environment.interval_ns == 1000000, "\"%s\"", bad_numbers[_i]);
}
END_TEST

START_TEST(an_interval_that_would_only_sample_the_sampler_is_lengthened)
{
    setenv("PROFD_STARTUP_INTERVAL", "1", 1);
    environment_read(&environment);
    ck_assert_uint_eq(environment.interval_ns, 10000);
}
END_TEST

START_TEST(a_process_can_ask_to_be_left_alone)
{
    setenv("PROFD_DISABLE", "1", 1);
    environment_read(&environment);
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
    tcase_add_test(tcase, a_socket_path_that_fits_no_address_is_no_path);
    tcase_add_test(tcase, startup_settings_are_read);
    tcase_add_loop_test(tcase, the_signal_may_be_a_name_or_a_number, 0,
                        sizeof(signals) / sizeof(signals[0]));
    tcase_add_loop_test(tcase, a_number_that_makes_no_sense_counts_as_not_set, 0,
                        sizeof(bad_numbers) / sizeof(bad_numbers[0]));
    tcase_add_test(tcase, an_interval_that_would_only_sample_the_sampler_is_lengthened);
    tcase_add_test(tcase, a_process_can_ask_to_be_left_alone);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
