/* Waits in a function whose frame is aligned to a page, called by one of two functions in turn:
 * where the stack pointer ends is the same, how long the frames are is not. Prints for how much of
 * the time it waited below wait_long, in percent. */
#include <poll.h>
#include <stdalign.h>
#include <stdio.h>
#include <time.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 20, PAGE_BYTES = 4096, PAD_BYTES = 600, LONG_MS = 50, SHORT_MS = 10 };

static double waited_seconds(struct timespec since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - since.tv_sec) + (double)(now.tv_nsec - since.tv_nsec) / 1e9;
}

static __attribute__((noinline)) double wait_aligned(int wait_ms)
{
    alignas(PAGE_BYTES) char buffer[PAGE_BYTES];
    struct timespec begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    (void)poll(NULL, 0, wait_ms);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    return waited_seconds(begin);
}

static __attribute__((noinline)) double wait_short(void)
{
    char pad[PAD_BYTES];
    double waited = wait_aligned(SHORT_MS);
    __asm__ volatile("" : : "r"(pad) : "memory");
    return waited;
}

static __attribute__((noinline)) double wait_long(void)
{
    double waited = wait_aligned(LONG_MS);
    __asm__ volatile("" : : : "memory");
    return waited;
}

int main(void)
{
    double below_short = 0, below_long = 0;
    for (int i = 0; i < ROUNDS; i++) {
        below_short += wait_short();
        burn_outer(0.001);
        below_long += wait_long();
        burn_outer(0.001);
    }
    printf("%.0f\n", 100 * below_long / (below_short + below_long));
    return 0;
}
