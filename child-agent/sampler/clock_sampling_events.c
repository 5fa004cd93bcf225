#include <stdatomic.h>
#include <time.h>

#include "buffer/perf_event.h"
#include "child-agent/core.h"
#include "child-agent/sampler/borrowed_event.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/perf_keeper.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"

/* Until the thread that looks has seen to an event. */
enum {
    EVENT_POLLS = 1000,
    EVENT_POLL_NS = 100 * 1000,
};

/* What the only thread is to have, of profd. */
static void want_event_of(const struct thread_registration *thread)
{
    bool is_wanted = atomic_load(&thread->clock.is_running) && !atomic_load(&sampling.is_refused);
    borrowed_event_request(sampling.interval_ns,
                           is_wanted ? atomic_load(&thread->clock.signal_number) : 0);
}

bool clock_sampling_follow_with_event(const struct thread_registration *thread)
{
    if (!atomic_load(&sampling.uses_events))
        return false;
    if (sampling.borrows_event)
        want_event_of(thread);
    else
        perf_keeper_mark(thread->slot);
    return !sampling.borrows_event;
}

static int event_signal_of(const struct thread_registration *self)
{
    return sampling.borrows_event ? borrowed_event_signal() : perf_keeper_signal_of(self->slot);
}

/* Its event is in the hands of the thread that looks, or of profd. */
void clock_sampling_await_event(const struct thread_registration *self, int unwanted_signal)
{
    static const struct timespec pause = { .tv_nsec = EVENT_POLL_NS };
    if (!atomic_load(&sampling.uses_events))
        return;
    if (clock_sampling_follow_with_event(self))
        look_alarm_ring();
    for (int i = 0; i < EVENT_POLLS; i++) {
        if (event_signal_of(self) != unwanted_signal)
            return;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
}

static struct perf_wish wish_of(uint32_t slot)
{
    const struct thread_registration *thread = thread_registry_at(slot);
    return (struct perf_wish){
        .wants_event = !atomic_load(&sampling.is_refused) && thread->life == REGISTRATION_LIVE &&
                       atomic_load(&thread->clock.is_running),
        .thread_index = thread->index,
        .thread = thread->id,
    };
}

/* For those who look at the arena from outside. */
static void describe_outcome(const struct perf_outcome *outcome)
{
    struct arena_header *header = core.arena.header;
    uint32_t not_yet = CLOCK_REFUSAL_NOT_YET;
    if (outcome->has_opened) {
        (void)atomic_compare_exchange_strong(&header->sampling_clock_refusal, &not_yet,
                                             CLOCK_REFUSAL_NONE);
        atomic_store(&header->sampling_interval_ns, sampling.event_interval_ns);
        atomic_store(&header->sampling_clock, SAMPLING_CLOCK_PERF);
    }
    if (outcome->refusal != CLOCK_REFUSAL_NONE)
        atomic_store(&header->sampling_clock_refusal, outcome->refusal);
    if (outcome->refusal == CLOCK_REFUSAL_KERNEL) {
        atomic_store(&sampling.is_refused, true); /* those that there are close at the next look */
        clock_sampling_describe_timers();
    }
}

void clock_sampling_begin_events(bool has_own_descriptors)
{
    if (!atomic_load(&sampling.uses_events))
        return;
    if (!has_own_descriptors) {
        clock_sampling_refuse(CLOCK_REFUSAL_FILTER);
        atomic_store(&sampling.is_refused, true);
        return;
    }
    sampling.event_interval_ns =
        perf_event_granted_interval_ns(sampling.interval_ns, perf_event_most_per_second());
}

bool clock_sampling_update_events(void)
{
    if (!atomic_load(&sampling.uses_events))
        return false;
    struct perf_outcome outcome =
        perf_keeper_follow(wish_of, sampling.event_interval_ns, sampling_signal_number());
    describe_outcome(&outcome);
    return outcome.has_changes;
}

void clock_sampling_end_events(void)
{
    perf_keeper_close();
}

void clock_sampling_borrow_event(void)
{
    if (!atomic_load(&sampling.uses_events) || thread_current == NULL)
        return;
    sampling.borrows_event = true;
    want_event_of(thread_current);
}

void clock_sampling_return_event(void)
{
    if (!sampling.borrows_event)
        return;
    borrowed_event_request(sampling.interval_ns, 0);
    sampling.borrows_event = false;
    if (thread_current != NULL) /* else it has gone, and its clock with it */
        (void)clock_sampling_follow_with_event(thread_current);
}
