/* Measuring: each figure against something measured in the same run, interleaved, medians.
 *
 * A program prints its figures as lines "figure WHAT VALUE UNIT LIMIT" (tabs between), which
 * scripts/bench makes a table of. Lines "value NAME NUMBER" are raw material for the script. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_ROUNDS = 11 };

static inline double bench_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double bench_now_ns(void)
{
    return bench_clock_ns(CLOCK_MONOTONIC);
}

static inline int bench_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts VALUES. */
static inline double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), bench_compare_doubles);
    return values[count / 2];
}

/* The cost of one operation, in ns. */
typedef double bench_measure(void);

struct bench_pair {
    double measured, reference, ratio, difference; /* medians over the rounds */
};

/* Measures the two in turns. The first round warms up and does not count. */
static inline struct bench_pair bench_pair(bench_measure *measured, bench_measure *reference)
{
    double m[BENCH_ROUNDS], r[BENCH_ROUNDS], ratio[BENCH_ROUNDS], difference[BENCH_ROUNDS];
    measured();
    reference();
    for (int i = 0; i < BENCH_ROUNDS; i++) {
        r[i] = reference();
        m[i] = measured();
        ratio[i] = m[i] / r[i];
        difference[i] = m[i] - r[i];
    }
    return (struct bench_pair){ bench_median(m, BENCH_ROUNDS), bench_median(r, BENCH_ROUNDS),
                                bench_median(ratio, BENCH_ROUNDS),
                                bench_median(difference, BENCH_ROUNDS) };
}

static inline void bench_figure(const char *what, double value, const char *unit, double limit)
{
    printf("figure\t%s\t%.3f\t%s\t%g\n", what, value, unit, limit);
    fflush(stdout);
}

static inline void bench_value(const char *name, double value)
{
    printf("value\t%s\t%.6f\n", name, value);
    fflush(stdout);
}

/* The compiler must not know that nothing happens. */
#define BENCH_BARRIER() __asm__ volatile("" ::: "memory")

#endif
