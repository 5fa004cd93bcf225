/* A limit that forbids timers, put back before a test ends: Check makes a timer to choose the clock
 * that it takes the time of a test by, and without one takes the end by another clock than the
 * beginning. */
#ifndef TESTS_UNIT_TIMERS_LIMIT_H
#define TESTS_UNIT_TIMERS_LIMIT_H

#include <check.h>
#include <sys/resource.h>

struct timers_limit {
    struct rlimit before;
};

static inline void forbid_timers(struct timers_limit *limit)
{
    ck_assert_int_eq(getrlimit(RLIMIT_SIGPENDING, &limit->before), 0);
    const struct rlimit none = { 0, limit->before.rlim_max };
    ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &none), 0);
}

static inline void allow_timers(const struct timers_limit *limit)
{
    ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &limit->before), 0);
}

#endif
