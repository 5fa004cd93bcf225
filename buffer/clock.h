/* The clock of recorded times: raw ticks, and their conversion to nanoseconds.
 *
 * Recording stores ticks; only JSON generation converts them. On x86-64 with an invariant TSC a
 * tick is a TSC cycle, elsewhere a nanosecond of CLOCK_MONOTONIC. Two readings of both clocks, some
 * time apart, calibrate one against the other. All processes share CLOCK_MONOTONIC, so their times
 * line up. */
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

/* Pairs closer together than this do not give a rate, since a pair is exact only to some tens of
 * nanoseconds. */
#define CLOCK_CALIBRATION_MIN_NS 1000000u

/* A rate outside this range (100 GHz to 1 MHz) is not that of a clock; the pairs are damaged. */
#define CLOCK_MIN_NS_PER_TICK 0.01
#define CLOCK_MAX_NS_PER_TICK 1000.0

/* The conversion from ticks to nanoseconds: one pair and a rate. */
struct clock_calibration {
    struct clock_pair base;
    double ns_per_tick;
};

/* Decides once per process what a tick is. Must be called before clock_ticks(). Any thread;
 * idempotent. */
void clock_initialize(void);

/* What is known about the machine's TSC, to be passed to other processes. */
enum tsc_knowledge { TSC_UNKNOWN = 0, TSC_IS_CLOCK = 1, TSC_IS_NO_CLOCK = 2 };

/* Returns what clock_initialize() found out. */
enum tsc_knowledge clock_tsc_knowledge(void);

/* Adopts TOLD, what another process found out. Called before clock_initialize(), which then asks
 * neither the processor nor the kernel about the machine. */
void clock_adopt(enum tsc_knowledge told);

/* Stops the reading of the TSC, because some thread is about to lose access to it (PR_SET_TSC).
 * Afterwards neither the agent nor, on its behalf, the C library reads it (clock_gettime() does,
 * too). Ticks continue as before, but come from the kernel. Takes some milliseconds if ticks were
 * TSC cycles. Any thread; idempotent. */
void clock_forbid_tsc(void);

/* Returns whether ticks are TSC cycles. */
bool clock_is_tsc(void);

/* Returns the current time in ticks. Makes no system call if ticks are TSC cycles.
 * Async-signal-safe. */
static inline uint64_t clock_ticks(void);

/* Returns the current time on CLOCK_MONOTONIC. Async-signal-safe. */
uint64_t clock_monotonic_ns(void);

/* Returns the time on CLOCK_MONOTONIC in MS from now. Async-signal-safe. */
uint64_t clock_monotonic_in_ms(uint64_t ms);

/* Finds out whether that takes a system call, by measuring it. Any thread. */
void clock_look_for_calls(void);

/* Returns the current time on CLOCK_MONOTONIC, or 0 if reading it takes a system call, or nobody
 * has looked for that. Async-signal-safe. */
uint64_t clock_monotonic_without_call_ns(void);

/* Returns the current time on any clock of the kernel; 0 if the clock does not exist, for example
 * that of a thread that has ended. Async-signal-safe. */
uint64_t clock_read_ns(clockid_t clock);

/* Converts a time or a duration to the form that system calls take. */
struct timespec clock_timespec(uint64_t ns);

/* Reads both clocks as close together as possible (best of three). Async-signal-safe. */
struct clock_pair clock_read_pair(void);

/* Returns the conversion through EARLY and LATE. If the pairs are too close together, out of order,
 * or give an impossible rate, returns the conversion through EARLY at FALLBACK_NS_PER_TICK. */
struct clock_calibration clock_calibrate(struct clock_pair early, struct clock_pair late,
                                         double fallback_ns_per_tick);

/* Converts TICKS to nanoseconds on CLOCK_MONOTONIC. Times before the base are valid. The result
 * never wraps; it is clamped to the range of the type. */
uint64_t clock_to_ns(const struct clock_calibration *calibration, uint64_t ticks);

#include "buffer/clock_x86_64.h"

#endif
