#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/sampler/clock_sampling_inside.h"
#include "child-agent/sampler/look_alarm.h"
#include "child-agent/sampler/process_timer.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/threads/thread_registry.h"
#include "common/time_units.h"

/* A thread that ends has its last word, unless all rooms are taken for so long. */
enum {
    LAST_TELL_POLLS = 50,
    LAST_TELL_POLL_NS = 100 * 1000,
};

/* Whether what THREAD uses is to be told. */
static bool is_counted(const struct thread_registration *thread)
{
    /* In a child that was made past the C library there is no arena, whatever else is said. */
    return core_local.has_arena && atomic_load(&sampling.is_on) && !sampling.is_paused &&
           (atomic_load(&thread->profiled_features) & PROFD_THREAD_SAMPLING);
}

static void stop_clock(struct thread_registration *thread)
{
    if (!atomic_load(&thread->clock.is_running))
        return;
    thread_clock_stop(&thread->clock);
    if (clock_sampling_follow_with_event(thread))
        look_alarm_ring_if_resting();
}

void clock_sampling_leave(struct thread_registration *thread)
{
    stop_clock(thread);
    thread_clock_forget_count(&thread->clock);
}

static void follow_limit(void)
{
    bool is_served = process_timer_serve(sampling.timer_interval_ns);
    atomic_store(&sampling.lacks_timers, !is_served);
    clock_sampling_refuse(is_served ? CLOCK_REFUSAL_SHARED : CLOCK_REFUSAL_LIMIT);
}

void clock_sampling_follow_start(const struct thread_registration *thread, int error)
{
    if (error == -EAGAIN)
        follow_limit();
    else if (error < 0 && error != -ESRCH)
        clock_sampling_refuse(CLOCK_REFUSAL_OTHER);
    if (error == 0 && !atomic_load(&sampling.is_refused) &&
        clock_sampling_follow_with_event(thread))
        look_alarm_ring();
}

/* Behind a filter, of the calling thread: that is the one number that filters let through. */
static uint64_t read_clock_of(const struct thread_registration *thread)
{
    return clock_read_ns(atomic_load(&sampling.is_quiet) && thread == thread_current
                             ? CLOCK_THREAD_CPUTIME_ID
                             : thread->cpu_clock);
}

void clock_sampling_begin_count(struct thread_registration *thread)
{
    uint64_t cpu_ns = read_clock_of(thread);
    /* After a pause, what it used before was told before. */
    bool is_new = !thread_clock_has_counted(&thread->clock) &&
                  thread_began_with(thread, sampling.session_start_ns);
    thread_clock_count(&thread->clock, is_new ? thread_first_ns(thread) : cpu_ns, cpu_ns);
}

static void start_clock(struct thread_registration *thread)
{
    clock_sampling_follow_start(
        thread, thread_clock_start(&thread->clock, thread->id, thread->cpu_clock,
                                   sampling_signal_number(), sampling.timer_interval_ns));
}

/* What a thread has used since its last sample. */
struct rest {
    struct thread_registration *thread;
    int error;
};

static void tell_at_work(struct sample_room *room, void *argument)
{
    struct rest *rest = argument;
    struct thread_registration *thread = rest->thread;
    uint64_t rest_ns = thread_clock_take_rest(&thread->clock, read_clock_of(thread));
    /* Refusals are counted by the writer. */
    rest->error = rest_ns < NS_PER_US
                      ? 0
                      : sample_encoder_thread_cpu(room->encoder, thread->index, clock_ticks(),
                                                  rest_ns / NS_PER_US);
    if (rest->error < 0)
        thread_clock_put_back(&thread->clock, rest_ns);
}

/* -EAGAIN without a room, or where the chunks are in other hands for a moment. */
static int tell_rest(struct thread_registration *thread)
{
    struct rest rest = { .thread = thread };
    if (atomic_load(&sampling.is_quiet) && thread != thread_current)
        return 0; /* it tells by itself */
    if (!core_local.has_arena || !atomic_load(&thread->clock.is_counting))
        return 0;
    return sample_room_work(tell_at_work, &rest) ? rest.error : -EAGAIN;
}

void clock_sampling_record_rest(struct thread_registration *thread)
{
    (void)tell_rest(thread); /* else the next one to ask tells */
}

void clock_sampling_record_last(struct thread_registration *self)
{
    static const struct timespec pause = { .tv_nsec = LAST_TELL_POLL_NS };
    for (int i = 0; i < LAST_TELL_POLLS && tell_rest(self) == -EAGAIN; i++)
        if (!atomic_load(&sampling.is_quiet))
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

void clock_sampling_follow(struct thread_registration *thread)
{
    if (core_local.is_resting && atomic_load(&thread->yields_signal))
        thread_clock_stop(&thread->clock); /* its waits look for sessions */
    if (core_local.is_dormant || core_local.is_resting)
        return; /* there is nothing to follow, and its clock is to wake it */
    if (!is_counted(thread)) {
        clock_sampling_record_rest(thread);
        thread_clock_end_count(&thread->clock);
        stop_clock(thread);
        return;
    }
    clock_sampling_begin_count(thread);
    if (atomic_load(&sampling.is_quiet))
        return; /* the timer of the process is all there is */
    if (atomic_load(&thread->yields_signal))
        stop_clock(thread);
    else if (!atomic_load(&thread->clock.is_running))
        start_clock(thread);
}

/* A thread that yields for longer says so again with its next mask. */
static void end_refusal(uint32_t refusal)
{
    if (core_local.has_arena)
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
}

void clock_sampling_change_signal(struct thread_registration *self)
{
    int before = atomic_load(&self->clock.signal_number);
    int number = sampling_signal_number();
    process_timer_change_signal(number);
    if ((!core_local.has_arena && !core_local.is_resting) ||
        !atomic_load(&self->clock.is_running) || before == number)
        return;
    if (thread_clock_change_signal(&self->clock, self->id, self->cpu_clock, number) < 0)
        follow_limit();
    if (clock_sampling_follow_with_event(self))
        look_alarm_ring();
}
