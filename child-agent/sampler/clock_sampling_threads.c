#include <errno.h>
#include <stdatomic.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

static bool is_wanted(const struct thread_registration *thread)
{
    /* In a child that was made past the C library there is no arena, whatever else is said. */
    return core_own.has_arena && atomic_load(&sampling.is_on) && !sampling.is_paused &&
           !atomic_load(&thread->yields_signal) &&
           (atomic_load(&thread->profiled_features) & PROFD_THREAD_SAMPLING);
}

void clock_sampling_leave(struct thread_registration *thread)
{
    if (!atomic_load(&thread->clock.is_running))
        return;
    thread_clock_stop(&thread->clock);
    if (clock_sampling_follow_with_event(thread))
        look_alarm_ring_if_resting();
}

void clock_sampling_follow_start(const struct thread_registration *thread, int err)
{
    if (err == -EAGAIN)
        clock_sampling_refuse(CLOCK_REFUSAL_LIMIT);
    else if (err < 0 && err != -ESRCH)
        clock_sampling_refuse(CLOCK_REFUSAL_OTHER);
    if (err == 0 && !atomic_load(&sampling.is_refused) && clock_sampling_follow_with_event(thread))
        look_alarm_ring();
}

static void start_clock(struct thread_registration *thread)
{
    /* After a pause, what it used before was told before. */
    bool is_new = !thread_clock_has_run(&thread->clock) &&
                  thread_began_with(thread, sampling.session_start_ns);
    clock_sampling_follow_start(
        thread, thread_clock_start(&thread->clock, thread->id, thread->cpu_clock,
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

void clock_sampling_follow_yield(struct thread_registration *self)
{
    clock_sampling_follow(self);
    if (!atomic_load(&self->yields_signal)) {
        end_refusal(CLOCK_REFUSAL_SIGNAL);
        return;
    }
    clock_sampling_refuse(CLOCK_REFUSAL_SIGNAL);
    clock_sampling_await_event(self, sampling_signal_number());
}

void clock_sampling_change_signal(struct thread_registration *self)
{
    int before = atomic_load(&self->clock.signal_number);
    int number = sampling_signal_number();
    if ((!core_own.has_arena && !core_own.is_resting) || !atomic_load(&self->clock.is_running) ||
        before == number)
        return;
    if (thread_clock_change_signal(&self->clock, self->id, self->cpu_clock, number) < 0)
        clock_sampling_refuse(CLOCK_REFUSAL_LIMIT);
    clock_sampling_await_event(self, before);
}
