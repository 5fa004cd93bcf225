/* CPU use with names that the tests look for. */
#ifndef TESTS_BURN_H
#define TESTS_BURN_H

#include <stdint.h>
#include <time.h>

static volatile uint64_t burn_sink;

static inline uint64_t time_on(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t now_ns(void)
{
    return time_on(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. */
static inline uint64_t thread_cpu_ns(void)
{
    return time_on(CLOCK_THREAD_CPUTIME_ID);
}

static __attribute__((noinline, unused)) void burn_inner(void)
{
    for (unsigned i = 0; i < 100000; i++)
        burn_sink = burn_sink + i * burn_sink;
}

/* How many of ROUNDS that took TOOK_NS fill half of LEFT_NS; at least one. */
static inline uint64_t rounds_for_half(uint64_t rounds, uint64_t took_ns, uint64_t left_ns)
{
    uint64_t wanted =
        took_ns > 0 ? (uint64_t)((double)rounds * (double)left_ns / 2 / (double)took_ns) : 1;
    return wanted > 0 ? wanted : 1;
}

/* Keeps the CPU busy for SECONDS of the calling thread's CPU time.
 *
 * Reads the clock seldom. On a busy processor, the kernel switches away from a thread that reads
 * its CPU clock right there when its slice is over, which is shorter than a tick: such a thread
 * hardly ever meets a tick, and what the kernel does at ticks does not happen to it. */
static __attribute__((noinline, unused)) void burn_outer(double seconds)
{
    uint64_t now = thread_cpu_ns(), end = now + (uint64_t)(seconds * 1e9), rounds = 1;
    while (now < end) {
        uint64_t before = now;
        for (uint64_t i = 0; i < rounds; i++)
            burn_inner();
        now = thread_cpu_ns();
        if (now < end)
            rounds = rounds_for_half(rounds, now - before, end - now);
    }
}

#endif
