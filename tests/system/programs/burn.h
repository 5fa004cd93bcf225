/* CPU use with names that the tests look for. */
#ifndef TESTS_BURN_H
#define TESTS_BURN_H

#include <stdint.h>
#include <time.h>

static volatile uint64_t burn_sink;

/* CPU time of the calling thread. */
static inline uint64_t thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline, unused)) void burn_inner(void)
{
    for (unsigned i = 0; i < 100000; i++)
        burn_sink = burn_sink + i * burn_sink;
}

/* Keeps the CPU busy for SECONDS of the calling thread's CPU time. */
static __attribute__((noinline, unused)) void burn_outer(double seconds)
{
    uint64_t end = thread_cpu_ns() + (uint64_t)(seconds * 1e9);
    while (thread_cpu_ns() < end)
        burn_inner();
}

#endif
