/* The clock that decides when a thread is sampled, and why a process may have a clock other than
 * the one requested.
 *
 * The numbers are part of arenas and of the protocol: append, never reuse. Pure; any thread. */
#ifndef PROFD_COMMON_SAMPLING_CLOCK_H
#define PROFD_COMMON_SAMPLING_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SAMPLING_CLOCKS(X)                                                                         \
    X(AUTO, 0, "auto") /* asked for: whichever is best; of a process: it has none yet */           \
    X(CPU, 1, "cpu")   /* a timer on each thread's CPU clock, as fine as the kernel's tick */      \
    X(PERF, 2, "perf") /* a perf event for each thread, as fine as the interval */                 \
    X(WALL, 3, "wall") /* as CPU; also where threads wait, at each interval of real time */

enum sampling_clock {
#define X(name, number, text) SAMPLING_CLOCK_##name = number,
    SAMPLING_CLOCKS(X)
#undef X
        SAMPLING_CLOCK_COUNT
};

/* The texts complete a sentence for people, and are part of captures. */
#define CLOCK_REFUSALS(X)                                                                          \
    X(NONE, 0, "")                                                                                 \
    X(KERNEL, 1, "the kernel refuses perf events (sysctl kernel.perf_event_paranoid)")             \
    X(LIMIT, 2, "no timers are left for more threads (ulimit -i)")                                 \
    X(FILTER, 3, "a seccomp filter is in place")                                                   \
    X(SIGNAL, 4, "the program uses the signal that takes samples")                                 \
    X(OTHER, 5, "its clock could not be set up")                                                   \
    X(DESCRIPTORS, 6, "perf events are for 1,000 threads at most, and fewer by ulimit -n")         \
    X(NOT_YET, 7, "none of its threads has a perf event yet")                                      \
    X(ALONE, 8, "it has one thread and joined a session that was already active")                  \
    X(DEADLY_SIGNAL, 9, "PROFD_SIGNAL would kill the program if it arrived right after an exec")   \
    X(SHARED, 10, "no timers are left for more threads (ulimit -i), which share one")              \
    X(CONFINED, 11, "a seccomp filter is in place, behind which threads share a timer")            \
    X(NO_THREAD, 12, "there is no place for a thread of the agent's (ulimit -u)")

enum clock_refusal {
#define X(name, number, text) CLOCK_REFUSAL_##name = number,
    CLOCK_REFUSALS(X)
#undef X
        CLOCK_REFUSAL_COUNT
};

/* An interval in an arena is at most an hour; more is damage. */
#define SAMPLING_INTERVAL_MAX_NS UINT64_C(3600000000000)

/* Whether CLOCK needs a thread of the agent even in a program of one thread under profd. */
bool sampling_clock_needs_thread(enum sampling_clock clock);

/* "cpu" and so on; CLOCK is below SAMPLING_CLOCK_COUNT. */
const char *sampling_clock_name(enum sampling_clock clock);

/* "" for none; REFUSAL is below CLOCK_REFUSAL_COUNT. */
const char *clock_refusal_text(enum clock_refusal refusal);

/* The refusal with TEXT; OTHER if it is not known here. */
enum clock_refusal clock_refusal_named(const char *text);

/* Check numbers from an arena, which may be anything: an unknown clock becomes AUTO, an unknown
 * refusal OTHER, and an interval out of bounds 0. */
enum sampling_clock sampling_clock_checked(uint32_t number);
enum clock_refusal clock_refusal_checked(uint32_t number);
uint64_t sampling_interval_checked(uint64_t interval_ns);

#endif
