#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "child-agent/allocations/allocation_draw.h"
#include "tests/unit/run_suite.h"

enum { INTERVAL = 512 * 1024, DRAWS = 200000 };

START_TEST(distances_have_the_interval_as_their_mean)
{
    uint64_t random = 1;
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t distance = allocation_draw_distance(&random, INTERVAL);
        ck_assert_int_ge(distance, 1);
        sum += (double)distance;
        squares += (double)distance * (double)distance;
    }
    double mean = sum / DRAWS;
    ck_assert_double_eq_tol(mean / INTERVAL, 1, 0.01);
    /* Of an exponential distribution the deviation is the mean. */
    ck_assert_double_eq_tol(sqrt(squares / DRAWS - mean * mean) / INTERVAL, 1, 0.02);
}
END_TEST

START_TEST(distances_are_distributed_exponentially)
{
    uint64_t random = 7;
    int beyond[4] = { 0 };
    for (int i = 0; i < DRAWS; i++) {
        int64_t distance = allocation_draw_distance(&random, INTERVAL);
        for (int k = 0; k < 4; k++)
            beyond[k] += distance > (int64_t)(k + 1) * INTERVAL;
    }
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq_tol((double)beyond[k] / DRAWS, exp(-(k + 1)), 0.005);
}
END_TEST

START_TEST(weights_are_sizes_by_their_probability)
{
    for (double size = 1; size < 1e10; size *= 1.7) {
        uint64_t bytes = (uint64_t)size;
        double expected = (double)bytes / -expm1(-(double)bytes / INTERVAL);
        double weight = (double)allocation_weight(bytes, INTERVAL);
        ck_assert_double_eq_tol(weight / expected, 1, 1e-5);
    }
    ck_assert_int_eq(allocation_weight(0, INTERVAL), 0);
    ck_assert_int_eq(allocation_weight(UINT64_C(1) << 40, INTERVAL), INT64_C(1) << 40);
    ck_assert_int_eq(allocation_weight(100, 1), 100);
}
END_TEST

/* What a thread does, over sizes that are mixed: the sum of the weights is what was allocated. */
START_TEST(sums_of_samples_are_unbiased)
{
    static const uint64_t sizes[] = { 16, 40, 4096, 100, 2000000, 300000, 24 };
    uint64_t random = 99;
    int64_t countdown = allocation_draw_distance(&random, INTERVAL);
    double real[7] = { 0 }, estimated[7] = { 0 };
    for (int i = 0; i < 7 * 3000000; i++) {
        /* Small ones are the most. */
        int kind = i % 1000 == 0 ? 4 + (i / 1000) % 2 : (i * 7) % 4;
        real[kind] += (double)sizes[kind];
        countdown -= (int64_t)sizes[kind];
        if (countdown <= 0) {
            estimated[kind] += (double)allocation_weight(sizes[kind], INTERVAL);
            countdown = allocation_draw_distance(&random, INTERVAL);
        }
    }
    for (int kind = 0; kind < 6; kind++)
        ck_assert_double_eq_tol(estimated[kind] / real[kind], 1, kind == 0 ? 0.3 : 0.15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.allocation_draw");
    TCase *tcase = tcase_create("draw");
    tcase_add_test(tcase, distances_have_the_interval_as_their_mean);
    tcase_add_test(tcase, distances_are_distributed_exponentially);
    tcase_add_test(tcase, weights_are_sizes_by_their_probability);
    tcase_add_test(tcase, sums_of_samples_are_unbiased);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
