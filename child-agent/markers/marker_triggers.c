#include "child-agent/markers/marker_triggers.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "common/apart.h"
#include "common/trigger.h"

/* A rate that is measured again differs by less. */
#define LEAST_MARGIN 0.99

_Atomic uint64_t marker_triggers_least_ticks = UINT64_MAX;

_Static_assert((int)TRIGGERS_MAX == (int)ARENA_MARKER_TRIGGERS, "an arena counts them all");

static struct {
    _Atomic size_t count; /* stored last */
    struct {
        struct trigger trigger;
        uint32_t told;
    } items[TRIGGERS_MAX];
} markers LARGE_APART;

static int read_lines(const char *lines)
{
    size_t count = 0, length = strlen(lines);
    struct trigger trigger;
    int got;

    while ((got = trigger_next_line(&lines, &length, &trigger)) > 0) {
        if (count == TRIGGERS_MAX)
            return -EPROTO;
        markers.items[count].trigger = trigger;
        atomic_store(&core.arena.header->marker_hits[count], 0);
        markers.items[count].told = 0;
        count++;
    }
    if (got == 0)
        markers.count = count;
    return got;
}

/* The rate of ticks since the arena was made; -EAGAIN while that is too short a time to tell. */
static int rate_of_clock(struct clock_calibration *out)
{
    const struct clock_pair now = clock_read_pair();
    const struct clock_pair first = core.arena.header->first_pair;

    if (now.monotonic_ns - first.monotonic_ns < CLOCK_CALIBRATION_MIN_NS)
        return -EAGAIN;
    *out = clock_calibrate(first, now, 1.0);
    return 0;
}

int marker_triggers_set(const char *lines)
{
    markers.count = 0;
    int error = read_lines(lines);
    /* How many ticks that are is known when a clock has run for a while. */
    atomic_store(&marker_triggers_least_ticks, markers.count > 0 ? 0 : UINT64_MAX);
    return error;
}

/* From now on most intervals cost no more than a comparison. */
static void learn_least(const struct clock_calibration *rate)
{
    uint64_t least_ns = UINT64_MAX;

    for (size_t i = 0; i < markers.count; i++) {
        uint64_t ns = markers.items[i].trigger.duration_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    double ticks = (double)least_ns / rate->ns_per_tick * LEAST_MARGIN;
    if (markers.count > 0 && ticks < (double)(UINT64_MAX / 2))
        atomic_store_explicit(&marker_triggers_least_ticks, (uint64_t)ticks, memory_order_relaxed);
}

bool marker_triggers_are_set(void)
{
    return markers.count > 0;
}

void marker_triggers_note(const struct profd_site *site, uint64_t ticks)
{
    struct clock_calibration rate;

    if (rate_of_clock(&rate) < 0)
        return; /* the process is younger than any interval worth a capture */
    uint64_t duration_ns = (uint64_t)((double)ticks * rate.ns_per_tick);
    for (size_t i = 0; i < markers.count; i++) {
        const struct trigger *trigger = &markers.items[i].trigger;
        if (duration_ns > trigger->duration_ns && strcmp(trigger->name, site->name) == 0)
            atomic_fetch_add(&core.arena.header->marker_hits[i], 1);
    }
    learn_least(&rate);
}

bool marker_triggers_take(size_t *index, uint32_t *hits)
{
    for (; *index < markers.count; ++*index) {
        *hits = atomic_load(&core.arena.header->marker_hits[*index]);
        if (*hits == markers.items[*index].told)
            continue;
        markers.items[*index].told = *hits;
        return true;
    }
    return false;
}
