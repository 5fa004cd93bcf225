/* Measures the CPU time of the calling thread at the cost of reading the cycle counter.
 *
 * Cycles go on while a thread sleeps, so by themselves they would charge a sleeping thread with the
 * time of others. The meter has an anchor: the values of the thread's CPU clock and the cycle
 * counter at one moment. As long as the thread has not been off its processor since then, cycles
 * are enough. Otherwise, and from time to time in any case, the clock is read and becomes the new
 * anchor. So each reading is a value of the thread's CPU clock, and the differences between
 * readings add up to it.
 *
 * One meter for each thread, used by that thread only. */
#ifndef PROFD_AGENT_CPU_METER_H
#define PROFD_AGENT_CPU_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/clock.h"
#include "child-agent/groups/off_processor.h"
#include "common/time_units.h"

/* Zeroed memory has no anchor. */
struct cpu_meter {
    bool is_anchored;
    uint64_t ticks, cpu_ns; /* the anchor */
    uint64_t read_ticks;    /* when the clock was read */
    uint64_t last_ns;       /* the value that was returned last */
    uint64_t rate;          /* ns in 2^32 ticks; 0: not known yet */
    struct clock_pair first_pair;
    uint64_t clock_readings; /* how often the clock had to be read */
};

/* Returns the thread's CPU time at TICKS, which must have been read just before. Never less than
 * the previous value. */
static inline uint64_t cpu_meter_read(struct cpu_meter *meter, uint64_t ticks);

/* Like cpu_meter_read(), after the thread has waited. Assumes that the wait took no CPU time. The
 * next reading of the clock, which is at most a millisecond away, corrects that. */
uint64_t cpu_meter_resume(struct cpu_meter *meter, uint64_t ticks);

/* Converts TICKS to a duration in ns; 0 as long as the rate is not known. */
static inline uint64_t cpu_meter_duration_ns(const struct cpu_meter *meter, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * meter->rate >> 32);
}

/* For cpu_meter_read(), when the clock must be read. */
uint64_t cpu_meter_read_slowly(struct cpu_meter *meter);

/* The time that a virtual machine loses to others counts for cycles, but possibly not for the
 * clock. */
enum { CPU_METER_ANCHOR_HOLDS_NS = 5 * NS_PER_MS };

static inline uint64_t cpu_meter_read(struct cpu_meter *meter, uint64_t ticks)
{
    uint64_t since_ns =
        ticks > meter->ticks ? cpu_meter_duration_ns(meter, ticks - meter->ticks) : 0;
    if (!meter->is_anchored || since_ns > CPU_METER_ANCHOR_HOLDS_NS || off_processor_was())
        return cpu_meter_read_slowly(meter);
    if (meter->cpu_ns + since_ns > meter->last_ns)
        meter->last_ns = meter->cpu_ns + since_ns;
    return meter->last_ns;
}

/* Converts a duration to ticks; 0 as long as the rate is not known. */
static inline uint64_t cpu_meter_ticks(const struct cpu_meter *meter, uint64_t duration_ns)
{
    return meter->rate != 0 ? (uint64_t)(((unsigned __int128)duration_ns << 32) / meter->rate) : 0;
}

#endif
