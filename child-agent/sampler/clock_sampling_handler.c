#include <stdatomic.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/borrowed_event.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/perf_clock.h"
#include "child-agent/sampler/process_timer.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

enum { PLACELESS_AT_ONCE_NS = 4 * 1000 * 1000 };

/* What the work in a room needs. */
struct sampled {
    struct thread_registration *self;
    const void *context;
    uint64_t cpu_ns;
};

/* What went into context switches, now and then. */
static void write_placeless(struct sample_room *room, struct thread_registration *self)
{
    struct thread_clock *clock = &self->clock;
    uint64_t placeless_ns = thread_clock_take_placeless(clock, PLACELESS_AT_ONCE_NS);
    if (placeless_ns != 0 &&
        sample_encoder_thread_cpu(room->encoder, self->index, room->snapshot.ticks,
                                  placeless_ns / NS_PER_US) < 0)
        atomic_fetch_add(&clock->placeless_ns, placeless_ns);
}

static void write_sample(struct sample_room *room, const struct sampled *sampled, bool is_complete,
                         size_t depth)
{
    struct thread_clock *clock = &sampled->self->clock;
    uint64_t untold_ns = thread_clock_take_unreported(clock, sampled->cpu_ns);
    /* µs of the running total, so that nothing is lost by rounding. */
    uint64_t cpu_us = sampled->cpu_ns / NS_PER_US - (sampled->cpu_ns - untold_ns) / NS_PER_US;
    int error =
        sample_encoder_timed_sample(room->encoder, sampled->self->index, room->snapshot.ticks,
                                    cpu_us, room->merged, (uint32_t)depth, !is_complete);
    /* What could not be written is told with the next sample; refusals are counted by the writer.
     */
    if (error < 0)
        atomic_fetch_sub(&clock->told_ns, untold_ns);
    write_placeless(room, sampled->self);
}

static void sample_at_work(struct sample_room *room, void *argument)
{
    const struct sampled *sampled = argument;
    struct snapshot *snapshot = &room->snapshot;
    bool is_complete;
    snapshot_look(snapshot, sampled->self, sampled->context, room->foreign_stack);
    size_t depth =
        snapshot_stack(snapshot, sampled->self, room->native, room->merged, &is_complete);
    if (!is_complete)
        snapshot_count_truncated();
    write_sample(room, sampled, is_complete, depth);
}

static bool is_of_borrowed_event(const siginfo_t *info)
{
    return core_local.has_arena && borrowed_event_is_signal(info);
}

bool clock_sampling_is_signal(const siginfo_t *info)
{
    return thread_clock_is_signal(info) || perf_clock_is_signal(info) ||
           is_of_borrowed_event(info) || process_timer_is_signal(info);
}

/* The timer of the process is for threads that have none. */
static bool read_without_timer(const struct thread_clock *clock, uint64_t *cpu_ns)
{
    if (atomic_load(&clock->is_running) || !atomic_load(&clock->is_counting))
        return false;
    *cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return true;
}

static bool read_clock(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns)
{
    if (thread_clock_is_signal(info))
        return thread_clock_read_signal(clock, info, cpu_ns);
    if (process_timer_is_signal(info))
        return read_without_timer(clock, cpu_ns);
    uint64_t interval_ns = is_of_borrowed_event(info) ? borrowed_event_interval_ns()
                                                      : atomic_load(&sampling.event_interval_ns);
    return thread_clock_read_event(clock, interval_ns, cpu_ns);
}

void clock_sampling_take(struct thread_registration *self, const siginfo_t *info, void *context)
{
    struct sampled sampled = { .self = self, .context = context };
    if (!core_local.has_arena || !read_clock(&self->clock, info, &sampled.cpu_ns))
        return;
    /* Without a room it is told with the next sample. */
    if (sample_room_work_in_handler(sample_at_work, &sampled) && !atomic_load(&sampling.is_quiet))
        look_alarm_ring_if_resting();
}

void clock_sampling_skip(struct thread_registration *self, const siginfo_t *info)
{
    uint64_t cpu_ns;
    if (read_clock(&self->clock, info, &cpu_ns))
        (void)thread_clock_take_unreported(&self->clock, cpu_ns);
}

void clock_sampling_wait(struct thread_registration *self, const siginfo_t *info)
{
    uint64_t cpu_ns;
    (void)thread_clock_read_signal(&self->clock, info, &cpu_ns); /* counted, and told later */
}
