#include "child-agent/sampler/clock_sampling.h"

#include <stdatomic.h>

#include "buffer/clock.h"
#include "buffer/perf_event.h"
#include "child-agent/core.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/perf_keeper.h"
#include "child-agent/sampler/process_timer.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"

struct clock_sampling_state sampling;

void clock_sampling_refuse(enum clock_refusal refusal)
{
    if (core_local.has_arena)
        atomic_store(&core.arena.header->sampling_clock_refusal, refusal);
}

static bool is_of_wall_clock(void)
{
    return atomic_load(&core.arena.header->sampling_clock) == SAMPLING_CLOCK_WALL;
}

static void choose_interval(uint64_t interval_ns)
{
    uint64_t tick_ns = thread_clock_tick_ns();
    sampling.interval_ns = interval_ns;
    sampling.timer_interval_ns = thread_clock_timer_interval_ns(interval_ns, tick_ns);
    /* The sampler keeps to the interval, the threads' clocks cannot. */
    if (!is_of_wall_clock() && interval_ns < tick_ns)
        interval_ns = tick_ns;
    atomic_store(&core.arena.header->sampling_interval_ns, interval_ns);
}

static void describe_in_arena(const struct session_settings *settings)
{
    struct arena_header *header = core.arena.header;
    atomic_store(&header->sampling_clock,
                 settings->clock == SAMPLING_CLOCK_WALL ? SAMPLING_CLOCK_WALL : SAMPLING_CLOCK_CPU);
    /* A process may end before the looking thread gets to it. */
    atomic_store(&header->sampling_clock_refusal, settings->clock == SAMPLING_CLOCK_PERF
                                                      ? CLOCK_REFUSAL_NOT_YET
                                                      : CLOCK_REFUSAL_NONE);
}

void clock_sampling_describe_timers(void)
{
    atomic_store(&core.arena.header->sampling_clock, SAMPLING_CLOCK_CPU);
    choose_interval(sampling.interval_ns);
}

static void describe_wall(void)
{
    atomic_store(&core.arena.header->sampling_clock, SAMPLING_CLOCK_WALL);
    choose_interval(sampling.interval_ns);
    clock_sampling_refuse(CLOCK_REFUSAL_NONE);
}

void clock_sampling_note_thread(bool is_there)
{
    bool takes_thread = sampling.is_wall || atomic_load(&sampling.uses_events);
    if (!takes_thread || is_there != sampling.lacks_thread || !core_local.has_arena ||
        atomic_load(&core.is_filtered))
        return;
    sampling.lacks_thread = !is_there;
    if (!is_there) {
        clock_sampling_describe_timers();
        clock_sampling_refuse(CLOCK_REFUSAL_NO_THREAD);
    } else if (sampling.is_wall) {
        describe_wall();
    } else {
        clock_sampling_refuse(CLOCK_REFUSAL_NOT_YET);
    }
}

void clock_sampling_start(const struct session_settings *settings)
{
    sampling.is_wall = settings->clock == SAMPLING_CLOCK_WALL;
    sampling.lacks_thread = false;
    describe_in_arena(settings);
    choose_interval(settings->interval_ns);
    sampling.is_paused = settings->is_paused || settings->is_sampling_paused;
    sampling.session_start_ns = clock_monotonic_ns();
    bool wants_events = settings->clock == SAMPLING_CLOCK_PERF;
    bool may_have_events = perf_event_may_send(sampling_signal_number());
    atomic_store(&sampling.uses_events, wants_events && may_have_events);
    atomic_store(&sampling.is_refused, false);
    if (wants_events && !may_have_events)
        clock_sampling_refuse(CLOCK_REFUSAL_DEADLY_SIGNAL);
    if (atomic_load(&core.is_filtered))
        clock_sampling_refuse(CLOCK_REFUSAL_FILTER);
    else
        atomic_store(&sampling.is_on, true);
}

void clock_sampling_prepare_threads(void)
{
    if (!atomic_load(&core.is_filtered))
        (void)process_timer_make(sampling_signal_number()); /* else there is none, as before 6.4 */
}

void clock_sampling_retry_refused(void)
{
    if (atomic_exchange(&sampling.lacks_timers, false))
        thread_registry_visit(clock_sampling_follow);
}

void clock_sampling_give_up(void)
{
    if (!core_local.has_arena || !atomic_exchange(&sampling.is_on, false))
        return;
    process_timer_delete();
    clock_sampling_refuse(CLOCK_REFUSAL_FILTER);
    thread_registry_visit(clock_sampling_follow);
    if (thread_current != NULL)
        clock_sampling_await_event(thread_current, sampling_signal_number());
}

bool clock_sampling_go_quiet(void)
{
    if (!core_local.has_arena || core_local.recording_generation == 0 ||
        process_timer_make(sampling_signal_number()) < 0 ||
        !process_timer_serve(sampling.timer_interval_ns))
        return false;
    sample_rooms_prepare();
    atomic_store(&sampling.uses_events, false);
    atomic_store(&sampling.is_quiet, true);
    atomic_store(&sampling.is_on, true);
    thread_registry_visit(clock_sampling_begin_count);
    clock_sampling_refuse(CLOCK_REFUSAL_CONFINED);
    return true;
}

void clock_sampling_stop(void)
{
    clock_sampling_return_event();
    atomic_store(&sampling.is_on, false);
    atomic_store(&sampling.lacks_timers, false);
    process_timer_rest();
}

/* A thread that was refused a timer is refused it again, and served as before. */
static void change_interval(struct thread_registration *thread)
{
    if (!atomic_load(&thread->clock.is_running))
        clock_sampling_follow(thread);
    else
        clock_sampling_follow_start(thread,
                                    thread_clock_change_interval(&thread->clock, thread->cpu_clock,
                                                                 sampling.timer_interval_ns));
}

void clock_sampling_resume(void)
{
    thread_registry_visit(change_interval);
}

void clock_sampling_set_interval(uint64_t interval_ns)
{
    if (atomic_load(&sampling.uses_events))
        return;
    choose_interval(interval_ns);
    clock_sampling_resume();
}

void clock_sampling_set_paused(bool is_paused)
{
    sampling.is_paused = is_paused;
}

void clock_sampling_after_fork_child(struct thread_registration *self)
{
    atomic_store(&sampling.is_on, false);
    atomic_store(&sampling.is_quiet, false);
    atomic_store(&sampling.uses_events, false);
    sampling.borrows_event = false;
    perf_keeper_after_fork_child();
    process_timer_after_fork_child();
    if (self != NULL)
        thread_clock_after_fork_child(&self->clock);
}
