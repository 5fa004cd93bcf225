/* Reading the TSC. Included by buffer/clock.h only. */
#ifndef PROFD_BUFFER_CLOCK_X86_64_H
#define PROFD_BUFFER_CLOCK_X86_64_H

#include <x86intrin.h>

/* 1 when the TSC is invariant, set by clock_initialize(). */
extern int clock_tsc_is_invariant;

static inline uint64_t clock_ticks(void)
{
    return __builtin_expect(clock_tsc_is_invariant, 1) ? __rdtsc() : clock_monotonic_ns();
}

#endif
