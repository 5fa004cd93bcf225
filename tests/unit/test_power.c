/* daemon.power: when a session is measured, by a real loop and counters in a folder made here. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/power/power.h"
#include "tests/unit/run_suite.h"

enum { LOOP_ENDS_MS = 10 * 1000 };

static char folder[64];
static uv_loop_t loop;
static uv_timer_t limit;
static struct power power;
static struct gecko_root_options told;

static void put_file(const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/intel-rapl:0/%s", folder, file);
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_ge(fputs(text, stream), 0);
    ck_assert_int_eq(fclose(stream), 0);
}

static void set_up(void)
{
    char path[256];

    strcpy(folder, "/tmp/profd-power.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/intel-rapl:0", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    put_file("name", "package-0\n");
    put_file("max_energy_range_uj", "1000000\n");
    put_file("energy_uj", "100\n");
    memset(&power, 0, sizeof(power));
    told = (struct gecko_root_options){ 0 };
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert_int_eq(uv_timer_init(&loop, &limit), 0);
    ck_assert_int_eq(power_init(&power, &loop, folder), 0);
}

static void tear_down(void)
{
    char command[128];

    power_close(&power);
    uv_close((uv_handle_t *)&limit, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void on_limit(uv_timer_t *timer)
{
    ck_abort_msg("nothing was measured in %d ms", LOOP_ENDS_MS);
    (void)timer;
}

static size_t samples_told(void)
{
    power_describe(&power, &told);
    return told.counter_count == 0 ? 0 : told.counters[0].sample_count;
}

static void run_until_samples(size_t count)
{
    uv_timer_start(&limit, on_limit, LOOP_ENDS_MS, 0);
    while (samples_told() < count)
        uv_run(&loop, UV_RUN_ONCE);
    uv_timer_stop(&limit);
}

START_TEST(a_session_that_wants_it_is_measured_until_its_end)
{
    power_follow_session(&power, true);
    put_file("energy_uj", "460\n");
    run_until_samples(3);
    ck_assert_int_eq(told.counters[0].samples[1].count, 100000); /* 360 µJ */
    power_end_session(&power);
    size_t samples = samples_told();
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0); /* there is nothing to wait for */
    ck_assert_uint_eq(samples_told(), samples);
}
END_TEST

START_TEST(one_that_does_not_is_not_and_drops_what_was_measured)
{
    power_follow_session(&power, true);
    run_until_samples(2);
    power_end_session(&power);
    power_follow_session(&power, false);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_uint_eq(samples_told(), 0);
    ck_assert_str_eq(told.obstacle, "");
}
END_TEST

START_TEST(one_that_joins_goes_on_with_what_is_measured)
{
    power_follow_session(&power, true);
    run_until_samples(2);
    size_t samples = samples_told();
    power_follow_session(&power, true);
    ck_assert_uint_eq(samples_told(), samples);
    run_until_samples(samples + 1);
}
END_TEST

START_TEST(one_that_begins_after_another_has_nothing_of_it)
{
    power_follow_session(&power, true);
    run_until_samples(4);
    power_end_session(&power);
    power_follow_session(&power, true);
    ck_assert_uint_eq(samples_told(), 1); /* where it begins */
}
END_TEST

START_TEST(a_machine_without_counters_says_so_and_is_left_alone)
{
    power.folder = "/nowhere";
    power_follow_session(&power, true);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_uint_eq(samples_told(), 0);
    ck_assert_str_ne(told.obstacle, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.power");
    TCase *sessions = tcase_create("sessions");
    tcase_add_checked_fixture(sessions, set_up, tear_down);
    tcase_add_test(sessions, a_session_that_wants_it_is_measured_until_its_end);
    tcase_add_test(sessions, one_that_does_not_is_not_and_drops_what_was_measured);
    tcase_add_test(sessions, one_that_joins_goes_on_with_what_is_measured);
    tcase_add_test(sessions, one_that_begins_after_another_has_nothing_of_it);
    tcase_add_test(sessions, a_machine_without_counters_says_so_and_is_left_alone);
    suite_add_tcase(suite, sessions);
    return run_suite(suite);
}
