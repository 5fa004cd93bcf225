/* daemon.power_meter: energy counters in a folder made here. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/power/power_meter.h"
#include "tests/unit/run_suite.h"

static char folder[64];
static struct power_meter meter;
static struct gecko_root_counter counters[POWER_METER_MOST_DOMAINS];

static void put_file(const char *domain, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, domain);
    (void)mkdir(path, 0700); /* it may be there */
    snprintf(path, sizeof(path), "%s/%s/%s", folder, domain, file);
    FILE *stream = fopen(path, "w");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_ge(fputs(text, stream), 0);
    ck_assert_int_eq(fclose(stream), 0);
}

static void put_domain(const char *domain, const char *name, const char *energy)
{
    put_file(domain, "name", name);
    put_file(domain, "max_energy_range_uj", "1000000\n");
    put_file(domain, "energy_uj", energy);
}

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-power.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    memset(&meter, 0, sizeof(meter));
}

static void tear_down(void)
{
    char command[128];
    power_meter_close(&meter);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(domains_are_counters_of_energy)
{
    put_domain("intel-rapl:0", "package-0\n", "100\n");
    put_domain("intel-rapl:0:0", "core\n", "500\n");
    put_file("other", "name", "no domain\n");
    power_meter_open(&meter, folder, 10);
    ck_assert_str_eq(meter.obstacle, "");
    put_file("intel-rapl:0", "energy_uj", "460\n");
    power_meter_read(&meter, 20);
    put_file("intel-rapl:0", "energy_uj", "461\n");
    power_meter_read(&meter, 30);
    ck_assert_uint_eq(power_meter_describe(&meter, counters), 2);
    ck_assert_str_eq(counters[0].name, "Power: core");
    ck_assert_str_eq(counters[1].name, "Power: package-0");
    ck_assert_str_eq(counters[1].category, "power");
    ck_assert_uint_eq(counters[1].sample_count, 3);
    ck_assert_int_eq(counters[1].samples[0].count, 0);
    ck_assert_int_eq(counters[1].samples[1].count, 100000); /* 360 µJ are 100000 pWh */
    ck_assert_uint_eq(counters[1].samples[1].time_ns, 20);
    ck_assert_int_eq(counters[1].samples[2].count, 277);
    ck_assert_int_eq(counters[0].samples[2].count, 0);
}
END_TEST

START_TEST(a_counter_that_begins_anew_goes_on)
{
    put_domain("intel-rapl:0", "package-0\n", "999900\n");
    power_meter_open(&meter, folder, 10);
    put_file("intel-rapl:0", "energy_uj", "260\n");
    power_meter_read(&meter, 20);
    ck_assert_uint_eq(power_meter_describe(&meter, counters), 1);
    ck_assert_int_eq(counters[0].samples[1].count, 100000);
}
END_TEST

START_TEST(what_is_not_there_is_said)
{
    power_meter_open(&meter, folder, 10);
    ck_assert_ptr_nonnull(strstr(meter.obstacle, "power is not available"));
    power_meter_close(&meter);
    power_meter_open(&meter, "/nowhere/at/all", 10);
    ck_assert_ptr_nonnull(strstr(meter.obstacle, "No such file"));
    power_meter_read(&meter, 20);
    ck_assert_uint_eq(power_meter_describe(&meter, counters), 0);
}
END_TEST

START_TEST(no_number_is_no_domain)
{
    put_domain("intel-rapl:0", "package-0\n", "much\n");
    power_meter_open(&meter, folder, 10);
    ck_assert_uint_eq(meter.domain_count, 0);
    ck_assert_str_ne(meter.obstacle, "");
}
END_TEST

START_TEST(the_latest_samples_are_kept)
{
    put_domain("intel-rapl:0", "package-0\n", "0\n");
    power_meter_open(&meter, folder, 0);
    for (uint64_t i = 1; i <= POWER_METER_MOST_SAMPLES; i++)
        power_meter_read(&meter, i);
    ck_assert_uint_eq(power_meter_describe(&meter, counters), 1);
    ck_assert_uint_eq(counters[0].sample_count, POWER_METER_MOST_SAMPLES / 2 + 1);
    ck_assert_uint_eq(counters[0].samples[POWER_METER_MOST_SAMPLES / 2].time_ns,
                      POWER_METER_MOST_SAMPLES);
    ck_assert_uint_eq(counters[0].samples[POWER_METER_MOST_SAMPLES / 2 - 1].time_ns,
                      POWER_METER_MOST_SAMPLES - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.power_meter");
    TCase *reading = tcase_create("reading");
    tcase_add_checked_fixture(reading, set_up, tear_down);
    tcase_add_test(reading, domains_are_counters_of_energy);
    tcase_add_test(reading, a_counter_that_begins_anew_goes_on);
    tcase_add_test(reading, what_is_not_there_is_said);
    tcase_add_test(reading, no_number_is_no_domain);
    tcase_add_test(reading, the_latest_samples_are_kept);
    suite_add_tcase(suite, reading);
    return run_suite(suite);
}
