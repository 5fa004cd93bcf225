/* json.gecko_overhead: what a sampler wrote of itself, with its statistics. */
#include <math.h>

#include "tests/unit/gecko_counters_scene.h"
#include "tests/unit/run_suite.h"

static void put_overhead(uint64_t locking, uint64_t cleaning, uint64_t counters, uint64_t threads)
{
    struct sampler_overhead overhead = { locking, cleaning, counters, threads };
    uint8_t entry[OVERHEAD_ENTRY_MAX_BYTES];
    size_t bytes = overhead_entry_write(entry, &overhead);
    ck_assert_int_eq(sample_encoder_put(own.encoder, entry, bytes), 0);
}

static void statistic_is(const char *name, double wanted)
{
    const cJSON *statistics = get_member(get_member(own.profile, "profilerOverhead"), "statistics");
    ck_assert_double_eq_tol(get_member(statistics, name)->valuedouble, wanted,
                            0.01 + fabs(wanted) * 0.01);
}

/* Ticks at 10, 11 and 12 ms, the next one at 20 ms after a sleep that was told in full. */
START_TEST(overhead_is_in_microseconds_with_its_statistics)
{
    double unit_us = own.ns_per_tick * OVERHEAD_UNIT_TICKS / 1000;
    encode_tick(10);
    put_overhead(1, 0, 2, 100);
    encode_tick(11);
    put_overhead(3, 5, 0, 200);
    for (uint64_t ms = 12; ms <= 20; ms++)
        encode_tick(ms);
    put_overhead(2, 1, 1, 300);
    make_profile();
    const cJSON *rows =
        get_member(get_member(get_member(own.profile, "profilerOverhead"), "samples"), "data");
    ck_assert_int_eq(cJSON_GetArraySize(rows), 3);
    const cJSON *row = cJSON_GetArrayItem(rows, 1);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(row, 0)->valuedouble, 11, 0.2);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(row, 1)->valuedouble, 3 * unit_us, 0.01);
    ck_assert_double_eq_tol(cJSON_GetArrayItem(row, 2)->valuedouble, 5 * unit_us, 0.01);
    ck_assert_double_eq(cJSON_GetArrayItem(row, 3)->valuedouble, 0);
    statistic_is("samplingCount", 3);
    statistic_is("maxThread", 300 * unit_us);
    statistic_is("meanThread", 200 * unit_us);
    statistic_is("minThread", 100 * unit_us);
    statistic_is("meanLockings", 2 * unit_us);
    statistic_is("meanCleaning", 2 * unit_us);
    statistic_is("meanCounter", unit_us);
    statistic_is("maxOverhead", 304 * unit_us);
    statistic_is("overheadDurations", 615 * unit_us);
    statistic_is("profiledDuration", 10000);
    statistic_is("overheadPercentage", 615 * unit_us / 10000);
    statistic_is("meanInterval", 1000);
}
END_TEST

/* As only a damaged arena has it: nothing comes before the first tick. */
START_TEST(two_overheads_of_the_first_tick_have_no_interval)
{
    encode_tick(10);
    put_overhead(1, 2, 3, 4);
    put_overhead(1, 2, 3, 4);
    make_profile();
    statistic_is("samplingCount", 2);
    statistic_is("meanInterval", 0);
}
END_TEST

START_TEST(without_rows_there_are_no_statistics)
{
    encode_tick(10);
    put_overhead(1, 2, 3, 4);
    own.options.since_ns = own.start.monotonic_ns + 15 * MS;
    make_profile();
    const cJSON *overhead = get_member(own.profile, "profilerOverhead");
    ck_assert_int_eq(cJSON_GetArraySize(get_member(get_member(overhead, "samples"), "data")), 0);
    ck_assert_ptr_null(cJSON_GetObjectItemCaseSensitive(overhead, "statistics"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("json.gecko_overhead");
    TCase *overhead = tcase_create("overhead");
    tcase_add_checked_fixture(overhead, set_up, tear_down);
    tcase_add_test(overhead, overhead_is_in_microseconds_with_its_statistics);
    tcase_add_test(overhead, two_overheads_of_the_first_tick_have_no_interval);
    tcase_add_test(overhead, without_rows_there_are_no_statistics);
    suite_add_tcase(suite, overhead);
    return run_suite(suite);
}
