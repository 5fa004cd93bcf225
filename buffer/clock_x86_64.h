/* Reading the TSC. Included by buffer/clock.h only. */
#ifndef PROFD_BUFFER_CLOCK_X86_64_H
#define PROFD_BUFFER_CLOCK_X86_64_H

/* 1 if the TSC is invariant and may be read. Set by clock_initialize(). */
extern int clock_tsc_is_invariant;

/* Returns the current time in the same ticks without executing the instruction. */
uint64_t clock_ticks_without_tsc(void);

static inline uint64_t clock_ticks(void)
{
    return __builtin_expect(clock_tsc_is_invariant, 1) ? __builtin_ia32_rdtsc()
                                                       : clock_ticks_without_tsc();
}

#endif
