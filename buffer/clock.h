/* The clock of recorded times: raw ticks, and what turns them into nanoseconds.
 *
 * Recording stores ticks; only JSON generation converts. On x86-64 with an invariant TSC a tick is
 * a TSC cycle, elsewhere CLOCK_MONOTONIC nanoseconds. Two readings of both clocks, some time apart,
 * calibrate one by the other. All processes share CLOCK_MONOTONIC, so their times line up. */
#ifndef PROFD_BUFFER_CLOCK_H
#define PROFD_BUFFER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* One moment on both clocks. */
struct clock_pair {
    uint64_t ticks;
    uint64_t monotonic_ns;
};

/* Pairs closer than this do not tell the rate: a pair is exact to some tens of nanoseconds. */
#define CLOCK_CALIBRATION_MIN_NS 1000000u

/* Rates outside are no clock's, but damaged pairs: 100 GHz to 1 MHz. */
#define CLOCK_MIN_NS_PER_TICK 0.01
#define CLOCK_MAX_NS_PER_TICK 1000.0

/* The conversion from ticks to nanoseconds, through one pair, at one rate. */
struct clock_calibration {
    struct clock_pair base;
    double ns_per_tick;
};

/* Decides once per process what a tick is. Call before clock_ticks(); any thread, idempotent. */
void clock_initialize(void);

/* What is known of the machine's TSC, for other processes. */
enum tsc_knowledge { TSC_UNKNOWN = 0, TSC_IS_CLOCK = 1, TSC_IS_NO_CLOCK = 2 };

/* After clock_initialize(), what it found out. */
enum tsc_knowledge clock_tsc_knowledge(void);

/* Before clock_initialize(), which then asks neither the processor nor the kernel about the machine
 * again: TOLD is what another process knows. */
void clock_adopt(enum tsc_knowledge told);

/* After this call nothing reads the TSC, which some thread is about to lose (PR_SET_TSC): neither
 * the agent nor, on its behalf, the C library, whose clock_gettime() reads it, too. Ticks continue
 * as before, but come from the kernel. Takes some milliseconds if they were TSC cycles. Any thread;
 * idempotent. */
void clock_forbid_tsc(void);

/* True when ticks are TSC cycles. */
bool clock_is_tsc(void);

/* Now, in ticks. No system call with a TSC; safe in a signal handler. */
static inline uint64_t clock_ticks(void);

/* Now, on CLOCK_MONOTONIC. Safe in a signal handler. */
uint64_t clock_monotonic_ns(void);

/* Now, on any clock of the kernel's; 0 when it is not there, as that of a thread that has ended.
 * Safe in a signal handler. */
uint64_t clock_read_ns(clockid_t clock);

/* A time or a duration as system calls take it. */
struct timespec clock_timespec(uint64_t ns);

/* Reads both clocks as close together as possible (best of three). Safe in a signal handler. */
struct clock_pair clock_read_pair(void);

/* The conversion through EARLY and LATE. Pairs that are too close, out of order, or of no possible
 * rate give a conversion through EARLY at FALLBACK_NS_PER_TICK. */
struct clock_calibration clock_calibrate(struct clock_pair early, struct clock_pair late,
                                         double fallback_ns_per_tick);

/* TICKS as nanoseconds on CLOCK_MONOTONIC; times before the base are fine. Never wraps: what would
 * be below 0 or above the largest number is that. */
uint64_t clock_to_ns(const struct clock_calibration *calibration, uint64_t ticks);

#include "buffer/clock_x86_64.h"

#endif
