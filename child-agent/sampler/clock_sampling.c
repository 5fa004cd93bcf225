#include "child-agent/sampler/clock_sampling.h"

#include <errno.h>
#include <stdatomic.h>

#include "buffer/clock.h"
#include "buffer/perf_event.h"
#include "child-agent/core.h"
#include "child-agent/sampler/borrowed_event.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/perf_clock.h"
#include "child-agent/sampler/perf_keeper.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

enum {
    PLACELESS_AT_ONCE_NS = 4 * 1000 * 1000,
    /* Until the thread that looks has seen to an event. */
    EVENT_POLLS = 1000,
    EVENT_POLL_NS = 100 * 1000,
};

static struct {
    _Atomic bool is_on;
    bool is_paused;
    uint64_t interval_ns; /* between samples, as asked for */
    uint64_t timer_interval_ns;
    uint64_t session_start_ns;
    _Atomic bool uses_events;           /* perf's */
    bool borrows_event;                 /* of profd, for the only thread */
    _Atomic bool is_refused;            /* an event, by the kernel: no more are asked for */
    _Atomic uint64_t event_interval_ns; /* as the kernel grants it */
} sampling;

/* --- In the handler --- */

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
    uint64_t untold_ns = thread_clock_take_untold(clock, sampled->cpu_ns);
    /* µs of the running total, so that nothing is lost by rounding. */
    uint64_t cpu_us = sampled->cpu_ns / NS_PER_US - (sampled->cpu_ns - untold_ns) / NS_PER_US;
    int err = sample_encoder_timed_sample(room->encoder, sampled->self->index, room->snapshot.ticks,
                                          cpu_us, room->merged, (uint32_t)depth, !is_complete);
    /* What could not be written is told with the next sample; refusals are counted by the writer.
     */
    if (err < 0)
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
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    write_sample(room, sampled, is_complete, depth);
}

static bool is_of_borrowed_event(const siginfo_t *info)
{
    return core_own.has_arena && borrowed_event_is_signal(info);
}

bool clock_sampling_is_signal(const siginfo_t *info)
{
    return thread_clock_is_signal(info) || perf_clock_is_signal(info) || is_of_borrowed_event(info);
}

static bool read_clock(struct thread_clock *clock, const siginfo_t *info, uint64_t *cpu_ns)
{
    if (thread_clock_is_signal(info))
        return thread_clock_read_signal(clock, info, cpu_ns);
    uint64_t interval_ns = is_of_borrowed_event(info) ? borrowed_event_interval_ns()
                                                      : atomic_load(&sampling.event_interval_ns);
    return thread_clock_read_event(clock, interval_ns, cpu_ns);
}

void clock_sampling_take(struct thread_registration *self, const siginfo_t *info, void *context)
{
    struct sampled sampled = { .self = self, .context = context };
    if (!core_own.has_arena || !read_clock(&self->clock, info, &sampled.cpu_ns))
        return;
    /* Without a room it is told with the next sample. */
    if (sample_room_work_in_handler(sample_at_work, &sampled))
        look_alarm_ring_if_resting();
}

void clock_sampling_skip(struct thread_registration *self, const siginfo_t *info)
{
    uint64_t cpu_ns;
    if (read_clock(&self->clock, info, &cpu_ns))
        (void)thread_clock_take_untold(&self->clock, cpu_ns);
}

void clock_sampling_wait(struct thread_registration *self, const siginfo_t *info)
{
    uint64_t cpu_ns;
    (void)thread_clock_read_signal(&self->clock, info, &cpu_ns); /* counted, and told later */
}

/* --- Threads --- */

static bool is_wanted(const struct thread_registration *thread)
{
    /* In a child that was made past the C library there is no arena, whatever else is said. */
    return core_own.has_arena && atomic_load(&sampling.is_on) && !sampling.is_paused &&
           !atomic_load(&thread->yields_signal) &&
           (atomic_load(&thread->profiled_features) & PROFD_THREAD_SAMPLING);
}

/* What the only thread is to have, of profd. */
static void want_event_of(const struct thread_registration *thread)
{
    bool is_wanted = atomic_load(&thread->clock.is_running) && !atomic_load(&sampling.is_refused);
    borrowed_event_want(sampling.interval_ns,
                        is_wanted ? atomic_load(&thread->clock.signal_number) : 0);
}

/* Has the event of THREAD follow its clock. Returns whether the thread that looks is to do that. */
static bool follow_with_event(const struct thread_registration *thread)
{
    if (!atomic_load(&sampling.uses_events))
        return false;
    if (sampling.borrows_event)
        want_event_of(thread);
    else
        perf_keeper_mark(thread->slot);
    return !sampling.borrows_event;
}

void clock_sampling_leave(struct thread_registration *thread)
{
    if (!atomic_load(&thread->clock.is_running))
        return;
    thread_clock_stop(&thread->clock);
    if (follow_with_event(thread))
        look_alarm_ring_if_resting();
}

static void refuse(enum clock_refusal refusal)
{
    if (core_own.has_arena)
        atomic_store(&core.arena.header->sampling_clock_refusal, refusal);
}

/* The clock of THREAD was started, or not: ERR. */
static void follow_start(const struct thread_registration *thread, int err)
{
    if (err == -EAGAIN)
        refuse(CLOCK_REFUSAL_LIMIT);
    else if (err < 0 && err != -ESRCH)
        refuse(CLOCK_REFUSAL_OTHER);
    if (err == 0 && !atomic_load(&sampling.is_refused) && follow_with_event(thread))
        look_alarm_ring();
}

static void start_clock(struct thread_registration *thread)
{
    /* After a pause, what it used before was told before. */
    bool is_new = !thread_clock_has_run(&thread->clock) &&
                  thread_began_with(thread, sampling.session_start_ns);
    follow_start(thread,
                 thread_clock_start(&thread->clock, thread->id, thread->cpu_clock,
                                    sampling_signal_number(), sampling.timer_interval_ns, is_new));
}

static void tell_at_work(struct sample_room *room, void *argument)
{
    struct thread_registration *thread = argument;
    uint64_t cpu_ns = clock_read_ns(thread->cpu_clock);
    uint64_t cpu_us = thread_clock_take_rest(&thread->clock, cpu_ns) / NS_PER_US;
    if (cpu_us != 0) /* refusals are counted by the writer */
        (void)sample_encoder_thread_cpu(room->encoder, thread->index, clock_ticks(), cpu_us);
}

void clock_sampling_tell_rest(struct thread_registration *thread)
{
    /* Without a room the next one to ask tells. */
    if (core_own.has_arena && atomic_load(&thread->clock.is_running))
        (void)sample_room_work(tell_at_work, thread);
}

void clock_sampling_refuse(enum clock_refusal refusal)
{
    refuse(refusal);
}

void clock_sampling_follow(struct thread_registration *thread)
{
    if (core_own.is_resting && atomic_load(&thread->yields_signal))
        thread_clock_stop(&thread->clock); /* its waits look for sessions */
    if (core_own.is_dormant || core_own.is_resting)
        return; /* there is nothing to follow, and its clock is to wake it */
    if (!is_wanted(thread)) {
        clock_sampling_tell_rest(thread);
        clock_sampling_leave(thread);
    } else if (!atomic_load(&thread->clock.is_running)) {
        start_clock(thread);
    }
}

/* A thread that yields for longer says so again with its next mask. */
static void end_refusal(uint32_t refusal)
{
    if (core_own.has_arena)
        (void)atomic_compare_exchange_strong(&core.arena.header->sampling_clock_refusal, &refusal,
                                             CLOCK_REFUSAL_NONE);
}

static int event_signal_of(const struct thread_registration *self)
{
    return sampling.borrows_event ? borrowed_event_signal() : perf_keeper_signal_of(self->slot);
}

/* Its event is in the hands of the thread that looks, or of profd. */
static void await_event_of(const struct thread_registration *self, int unwanted_signal)
{
    static const struct timespec pause = { .tv_nsec = EVENT_POLL_NS };
    if (!atomic_load(&sampling.uses_events))
        return;
    if (follow_with_event(self))
        look_alarm_ring();
    for (int i = 0; i < EVENT_POLLS; i++) {
        if (event_signal_of(self) != unwanted_signal)
            return;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
    }
}

void clock_sampling_follow_yield(struct thread_registration *self)
{
    clock_sampling_follow(self);
    if (!atomic_load(&self->yields_signal)) {
        end_refusal(CLOCK_REFUSAL_SIGNAL);
        return;
    }
    refuse(CLOCK_REFUSAL_SIGNAL);
    await_event_of(self, sampling_signal_number());
}

void clock_sampling_change_signal(struct thread_registration *self)
{
    int before = atomic_load(&self->clock.signal_number);
    int number = sampling_signal_number();
    if ((!core_own.has_arena && !core_own.is_resting) || !atomic_load(&self->clock.is_running) ||
        before == number)
        return;
    if (thread_clock_change_signal(&self->clock, self->id, self->cpu_clock, number) < 0)
        refuse(CLOCK_REFUSAL_LIMIT);
    await_event_of(self, before);
}

/* --- Events --- */

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
    if (outcome->refusal == CLOCK_REFUSAL_KERNEL)
        atomic_store(&sampling.is_refused, true);
}

void clock_sampling_begin_events(bool has_own_descriptors)
{
    if (!atomic_load(&sampling.uses_events))
        return;
    if (!has_own_descriptors) {
        refuse(CLOCK_REFUSAL_FILTER);
        atomic_store(&sampling.is_refused, true);
        return;
    }
    sampling.event_interval_ns =
        perf_event_granted_interval_ns(sampling.interval_ns, perf_event_most_per_second());
}

bool clock_sampling_keep_events(void)
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
    borrowed_event_want(sampling.interval_ns, 0);
    sampling.borrows_event = false;
    if (thread_current != NULL) /* else it has gone, and its clock with it */
        (void)follow_with_event(thread_current);
}

/* --- The session --- */

static void choose_interval(uint64_t interval_ns)
{
    uint64_t tick_ns = thread_clock_tick_ns();
    sampling.interval_ns = interval_ns;
    sampling.timer_interval_ns = thread_clock_timer_interval_ns(interval_ns, tick_ns);
    atomic_store(&core.arena.header->sampling_interval_ns,
                 interval_ns > tick_ns ? interval_ns : tick_ns);
}

static void describe_in_arena(const struct session_settings *settings)
{
    struct arena_header *header = core.arena.header;
    atomic_store(&header->sampling_clock, SAMPLING_CLOCK_CPU);
    /* A process may end before the looking thread gets to it. */
    atomic_store(&header->sampling_clock_refusal, settings->clock == SAMPLING_CLOCK_PERF
                                                      ? CLOCK_REFUSAL_NOT_YET
                                                      : CLOCK_REFUSAL_NONE);
}

int clock_sampling_start(const struct session_settings *settings)
{
    choose_interval(settings->interval_ns);
    sampling.is_paused = settings->is_paused || settings->is_sampling_paused;
    sampling.session_start_ns = clock_monotonic_ns();
    bool wants_events = settings->clock == SAMPLING_CLOCK_PERF;
    bool may_have_events = perf_event_may_send(sampling_signal_number());
    atomic_store(&sampling.uses_events, wants_events && may_have_events);
    atomic_store(&sampling.is_refused, false);
    describe_in_arena(settings);
    if (wants_events && !may_have_events)
        refuse(CLOCK_REFUSAL_DEADLY_SIGNAL);
    if (atomic_load(&core.is_filtered))
        refuse(CLOCK_REFUSAL_FILTER);
    else
        atomic_store(&sampling.is_on, true);
    return 0;
}

void clock_sampling_give_up(void)
{
    if (!core_own.has_arena || !atomic_exchange(&sampling.is_on, false))
        return;
    refuse(CLOCK_REFUSAL_FILTER);
    thread_registry_visit(clock_sampling_follow);
    if (thread_current != NULL)
        await_event_of(thread_current, sampling_signal_number());
}

void clock_sampling_stop(void)
{
    clock_sampling_return_event();
    atomic_store(&sampling.is_on, false);
}

static void change_interval(struct thread_registration *thread)
{
    if (atomic_load(&thread->clock.is_running))
        follow_start(thread,
                     thread_clock_change_interval(&thread->clock, thread->id, thread->cpu_clock,
                                                  sampling.timer_interval_ns));
}

void clock_sampling_go_on(void)
{
    thread_registry_visit(change_interval);
}

void clock_sampling_set_interval(uint64_t interval_ns)
{
    if (atomic_load(&sampling.uses_events))
        return;
    choose_interval(interval_ns);
    clock_sampling_go_on();
}

void clock_sampling_set_paused(bool is_paused)
{
    sampling.is_paused = is_paused;
}

void clock_sampling_after_fork_child(struct thread_registration *self)
{
    atomic_store(&sampling.is_on, false);
    atomic_store(&sampling.uses_events, false);
    sampling.borrows_event = false;
    perf_keeper_after_fork_child();
    if (self != NULL)
        thread_clock_after_fork_child(&self->clock);
}
