/* How much CPU time the calling thread has used, at the price of reading the cycle counter.
 *
 * Cycles continue while a thread sleeps, so on their own they would charge a sleeper with the time
 * of others. The meter has an anchor: the thread's CPU clock and the cycle counter at one moment.
 * For as long as the thread was never off its processor since then, cycles tell the rest;
 * otherwise, and now and then in any case, the clock is read and becomes the anchor. So each
 * reading is the thread's CPU clock, and the differences between readings add up to it.
 *
 * One meter for each thread; the thread itself. */
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
    uint64_t last_ns;       /* what was told last */
    uint64_t rate;          /* ns in 2^32 ticks; 0: not known yet */
    struct clock_pair first_pair;
    uint64_t clock_readings; /* how often the clock had to be read */
};

/* The thread's CPU time at TICKS, which were read just now. Never less than the last time. */
static inline uint64_t cpu_meter_read(struct cpu_meter *meter, uint64_t ticks);

/* The same after the thread has waited, by guess: that the wait took none. What it did take is told
 * by the next reading of the clock, which guesses put off for a millisecond at most. */
uint64_t cpu_meter_resume(struct cpu_meter *meter, uint64_t ticks);

/* TICKS as a duration; 0 as long as the rate is not known. */
static inline uint64_t cpu_meter_duration_ns(const struct cpu_meter *meter, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * meter->rate >> 32);
}

/* For cpu_meter_read(): the clock is to be read. */
uint64_t cpu_meter_read_slowly(struct cpu_meter *meter);

/* What a virtual machine loses to others counts for cycles, and for the clock maybe not. */
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

/* The other way round. */
static inline uint64_t cpu_meter_ticks(const struct cpu_meter *meter, uint64_t duration_ns)
{
    return meter->rate != 0 ? (uint64_t)(((unsigned __int128)duration_ns << 32) / meter->rate) : 0;
}

#endif
