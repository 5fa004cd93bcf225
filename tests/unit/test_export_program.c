/* daemon.export_program */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "common/export_terms.h"
#include "daemon/programs/config.h"
#include "daemon/programs/export_program.h"
#include "tests/unit/run_suite.h"

static struct config config;

static void tear_down(void)
{
    config_free(&config);
}

static int add_program(void)
{
    return export_program_add(&config, "/usr/bin/profctl", "/run/s", "clickhouse://h/d");
}

START_TEST(it_is_profctl_that_is_run_again)
{
    ck_assert_int_eq(add_program(), 0);
    ck_assert_uint_eq(config.count, 1);
    const struct program_config *program = &config.programs[0];
    ck_assert_str_eq(program->command[0], "/usr/bin/profctl");
    ck_assert_str_eq(program->command[1], "export");
    ck_assert_str_eq(program->command[2], "--socket");
    ck_assert_str_eq(program->command[3], "/run/s");
    ck_assert_str_eq(program->command[4], "clickhouse://h/d");
    ck_assert_ptr_null(program->command[5]);
    ck_assert_str_eq(program->environment[0], "PROFD_DISABLE=1");
    ck_assert_ptr_null(program->environment[1]);
    ck_assert_int_eq(program->restart, RESTART_ALWAYS);
}
END_TEST

START_TEST(it_comes_behind_those_of_the_config)
{
    static const char text[] = "{\"programs\":[{\"name\":\"a\",\"command\":[\"x\"]}]}";
    char error_text[CONFIG_ERROR_TEXT];
    ck_assert_int_eq(config_parse(text, strlen(text), "F", &config, error_text), 0);
    ck_assert_int_eq(add_program(), 0);
    ck_assert_uint_eq(config.count, 2);
    ck_assert_str_eq(config.programs[0].name, "a");
    ck_assert_str_eq(config.programs[1].name, EXPORT_PROGRAM_NAME);
}
END_TEST

START_TEST(it_has_the_options_of_the_config)
{
    static const char text[] = "{\"export\":{\"url\":\"clickhouse://other/d\",\"every\":\"5m\"}}";
    char error_text[CONFIG_ERROR_TEXT];
    ck_assert_int_eq(config_parse(text, strlen(text), "F", &config, error_text), 0);
    ck_assert_int_eq(add_program(), 0);
    const struct program_config *program = &config.programs[0];
    ck_assert_str_eq(program->command[4], "--every");
    ck_assert_str_eq(program->command[5], "5m");
    ck_assert_str_eq(program->command[6], "clickhouse://h/d");
    ck_assert_ptr_null(program->command[7]);
}
END_TEST

START_TEST(its_name_is_taken_once)
{
    ck_assert_int_eq(add_program(), 0);
    ck_assert_int_eq(add_program(), -EEXIST);
    ck_assert_uint_eq(config.count, 1);
}
END_TEST

START_TEST(only_the_engine_is_looked_at)
{
    ck_assert(export_url_is_known("clickhouse://"));
    ck_assert(export_url_is_known("clickhouse://host/db"));
    ck_assert(!export_url_is_known("http://host/db"));
    ck_assert(!export_url_is_known("clickhouse"));
    ck_assert(!export_url_is_known(""));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.export_program");
    TCase *tcase = tcase_create("adding");
    tcase_add_checked_fixture(tcase, NULL, tear_down);
    tcase_add_test(tcase, it_is_profctl_that_is_run_again);
    tcase_add_test(tcase, it_comes_behind_those_of_the_config);
    tcase_add_test(tcase, it_has_the_options_of_the_config);
    tcase_add_test(tcase, its_name_is_taken_once);
    tcase_add_test(tcase, only_the_engine_is_looked_at);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
