#include "child-agent/groups/cpu_meter.h"

#include <stddef.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/groups/off_processor.h"
#include "common/time_units.h"

#define RATE_ONE (UINT64_C(1) << 32)

enum {
    /* Pairs so far apart tell the rate to 1 in 10,000. */
    RATE_LEAST_NS = NS_PER_MS,
    GUESS_HOLDS_NS = NS_PER_MS,
};

/* 0: not known yet. */
static uint64_t known_rate(struct cpu_meter *meter)
{
    struct clock_pair now = clock_read_pair();
    if (!clock_is_tsc())
        return RATE_ONE;
    if (meter->first_pair.ticks == 0)
        meter->first_pair = now;
    if (now.monotonic_ns < meter->first_pair.monotonic_ns + RATE_LEAST_NS)
        return 0;
    return (uint64_t)(clock_calibrate(meter->first_pair, now, 1).ns_per_tick * (double)RATE_ONE);
}

static uint64_t read_anchor(struct cpu_meter *meter)
{
    meter->clock_readings++;
    meter->is_anchored = off_processor_is_known() && meter->rate != 0;
    if (off_processor_is_known())
        off_processor_watch(); /* first: off while the clock is read is off */
    meter->cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    meter->ticks = meter->read_ticks = clock_ticks();
    return meter->cpu_ns;
}

uint64_t cpu_meter_read_slowly(struct cpu_meter *meter)
{
    if (meter->rate == 0)
        meter->rate = known_rate(meter);
    uint64_t cpu_ns = read_anchor(meter);
    if (cpu_ns > meter->last_ns)
        meter->last_ns = cpu_ns;
    return meter->last_ns;
}

uint64_t cpu_meter_resume(struct cpu_meter *meter, uint64_t ticks)
{
    uint64_t since_read_ns =
        ticks > meter->read_ticks ? cpu_meter_duration_ns(meter, ticks - meter->read_ticks) : 0;
    if (!meter->is_anchored || since_read_ns > GUESS_HOLDS_NS) {
        meter->is_anchored = false;
        return cpu_meter_read(meter, ticks);
    }
    off_processor_watch();
    meter->ticks = ticks;
    meter->cpu_ns = meter->last_ns;
    return meter->last_ns;
}
