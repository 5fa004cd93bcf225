#include <check.h>

#include "buffer/clock.h"
#include "tests/unit/run_suite.h"

START_TEST(ticks_never_go_back_in_one_thread)
{
    uint64_t last = clock_ticks();
    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_ticks();
        ck_assert_uint_ge(now, last);
        last = now;
    }
}
END_TEST

START_TEST(a_pair_lies_between_readings_around_it)
{
    uint64_t ticks_before = clock_ticks(), ns_before = clock_monotonic_ns();
    struct clock_pair pair = clock_read_pair();
    uint64_t ticks_after = clock_ticks(), ns_after = clock_monotonic_ns();
    ck_assert_uint_ge(pair.ticks, ticks_before);
    ck_assert_uint_le(pair.ticks, ticks_after);
    ck_assert_uint_ge(pair.monotonic_ns, ns_before);
    ck_assert_uint_le(pair.monotonic_ns, ns_after);
}
END_TEST

START_TEST(initializing_again_changes_nothing)
{
    bool was_tsc = clock_is_tsc();
    clock_initialize();
    ck_assert(clock_is_tsc() == was_tsc);
}
END_TEST

START_TEST(without_a_tsc_ticks_are_monotonic_nanoseconds)
{
    int was_invariant = clock_tsc_is_invariant;
    clock_tsc_is_invariant = 0;
    struct clock_pair pair = clock_read_pair();
    uint64_t before = clock_monotonic_ns(), ticks = clock_ticks(), after = clock_monotonic_ns();
    clock_tsc_is_invariant = was_invariant;
    ck_assert_uint_eq(pair.ticks, pair.monotonic_ns);
    ck_assert(before <= ticks && ticks <= after);
}
END_TEST

#define SECOND_NS 1000000000u
static const struct clock_pair early = { 1000, 5 * (uint64_t)SECOND_NS };

static const struct {
    const char *claim;
    struct clock_pair late;
    double ns_per_tick;
} rates[] = {
    { "two ticks a nanosecond", { 1000 + 2 * (uint64_t)SECOND_NS, 6 * (uint64_t)SECOND_NS }, 0.5 },
    { "the same pair twice", { 1000, 5 * (uint64_t)SECOND_NS }, 7.0 },
    { "too close", { 1000 + 1998, 5 * (uint64_t)SECOND_NS + 999 }, 7.0 },
    { "ticks went back", { 999, 6 * (uint64_t)SECOND_NS }, 7.0 },
    { "nanoseconds went back", { 2000, 4 * (uint64_t)SECOND_NS }, 7.0 },
    { "impossibly slow", { 1001, 6 * (uint64_t)SECOND_NS }, 7.0 },
    { "impossibly fast", { UINT64_MAX, 6 * (uint64_t)SECOND_NS }, 7.0 },
    { "zeros", { 0, 0 }, 7.0 },
};

START_TEST(pairs_tell_the_rate_or_the_fallback_does)
{
    struct clock_calibration calibration = clock_calibrate(early, rates[_i].late, 7.0);
    ck_assert_msg(calibration.ns_per_tick == rates[_i].ns_per_tick, "%s: %g", rates[_i].claim,
                  calibration.ns_per_tick);
    ck_assert_uint_eq(calibration.base.ticks, early.ticks);
    ck_assert_uint_eq(calibration.base.monotonic_ns, early.monotonic_ns);
}
END_TEST

static const struct {
    struct clock_calibration calibration;
    uint64_t ticks, ns;
} conversions[] = {
    { { { 100, 1000 }, 0.5 }, 100, 1000 },
    { { { 100, 1000 }, 0.5 }, 120, 1010 },
    { { { 100, 1000 }, 0.5 }, 80, 990 },
    { { { 100, 1000 }, 1000.0 }, 0, 0 },
    { { { 100, UINT64_MAX - 5 }, 1.0 }, 200, UINT64_MAX },
    { { { 0, 0 }, 1e300 }, 1, INT64_MAX },
    { { { UINT64_MAX, 10 }, 1.0 }, 4, 15 },
};

START_TEST(conversion_goes_both_ways_and_never_wraps)
{
    ck_assert_uint_eq(clock_to_ns(&conversions[_i].calibration, conversions[_i].ticks),
                      conversions[_i].ns);
}
END_TEST

START_TEST(real_pairs_convert_into_each_other)
{
    struct clock_pair first = clock_read_pair(), last;
    do {
        last = clock_read_pair();
    } while (last.monotonic_ns - first.monotonic_ns < 2 * CLOCK_CALIBRATION_MIN_NS);
    struct clock_calibration calibration = clock_calibrate(first, last, 0);
    ck_assert_uint_eq(clock_to_ns(&calibration, first.ticks), first.monotonic_ns);
    int64_t error = (int64_t)(clock_to_ns(&calibration, last.ticks) - last.monotonic_ns);
    ck_assert_int_ge(error, -1);
    ck_assert_int_le(error, 1);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.clock");
    TCase *tests = tcase_create("clock");
    tcase_add_test(tests, ticks_never_go_back_in_one_thread);
    tcase_add_test(tests, a_pair_lies_between_readings_around_it);
    tcase_add_test(tests, initializing_again_changes_nothing);
    tcase_add_test(tests, without_a_tsc_ticks_are_monotonic_nanoseconds);
    tcase_add_loop_test(tests, pairs_tell_the_rate_or_the_fallback_does, 0,
                        sizeof(rates) / sizeof(rates[0]));
    tcase_add_loop_test(tests, conversion_goes_both_ways_and_never_wraps, 0,
                        sizeof(conversions) / sizeof(conversions[0]));
    tcase_add_test(tests, real_pairs_convert_into_each_other);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
