#include "child-agent/threads/event_delay.h"

#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/groups/groups.h"
#include "child-agent/groups/stopwatch.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/recording.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "common/time_units.h"
#include "profd.h"

/* Held while idle clocks are called, and changed. */
static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(EVENT_DELAYS);
static _Atomic bool is_used; /* some thread has told of an event */

/* From now on the thread is busy since BUSY_SINCE_NS, on the clock that its idle clock leaves out;
 * 0: it waits. */
static void set_busy_since(struct thread_registration *self, uint64_t busy_since_ns)
{
    if (busy_since_ns != 0 && !atomic_load_explicit(&is_used, memory_order_relaxed)) {
        atomic_store(&is_used, true);
        upcall_ensure_thread(); /* somebody has to look while the thread is busy */
    }
    atomic_store_explicit(&self->busy_since_ns, busy_since_ns, memory_order_relaxed);
}

void profd_event_begin(uint64_t queued_ns)
{
    struct thread_own_data *own = thread_own();
    upcall_end_dormancy();
    if (own == NULL || own->event_depth++ > 0)
        return;
    stopwatch_begin_event();
    if (core_local.recording_generation == 0)
        return;
    set_busy_since(thread_current, queued_ns != 0 ? queued_ns : clock_monotonic_ns());
}

void profd_event_end(void)
{
    struct thread_own_data *own = thread_own();
    if (own == NULL || own->event_depth == 0 || --own->event_depth > 0)
        return;
    set_busy_since(thread_current, 0);
    stopwatch_end_event();
}

static void set_idle_clock(struct thread_registration *self, profd_idle_clock *idle_clock,
                           void *context)
{
    named_mutex_lock(&lock);
    set_busy_since(self, 0);
    self->idle_clock = idle_clock;
    self->idle_context = context;
    named_mutex_unlock(&lock);
}

void profd_event_loop_begin(profd_idle_clock *idle_clock, void *context)
{
    upcall_end_dormancy();
    if (thread_current != NULL)
        set_idle_clock(thread_current, idle_clock, context);
}

void profd_event_loop_turn(void)
{
    struct thread_registration *self = thread_current;
    if (self == NULL || self->idle_clock == NULL)
        return;
    bool is_recorded = core_local.recording_generation != 0;
    uint64_t idle_ns =
        is_recorded || groups_are_wanted() ? self->idle_clock(self->idle_context) : 0;
    set_busy_since(self, is_recorded ? clock_monotonic_ns() - idle_ns : 0);
    stopwatch_turn(idle_ns);
}

void profd_event_loop_end(void)
{
    if (thread_current != NULL)
        set_idle_clock(thread_current, NULL, NULL);
}

void event_delay_end(struct thread_registration *self)
{
    if (self->idle_clock != NULL)
        set_idle_clock(self, NULL, NULL);
    else
        set_busy_since(self, 0);
}

/* The caller holds the lock. */
static uint64_t delay_of(const struct thread_registration *thread)
{
    named_mutex_assert_held(&lock);
    uint64_t busy_since_ns = atomic_load_explicit(&thread->busy_since_ns, memory_order_relaxed);
    if (busy_since_ns == 0 || thread->life != REGISTRATION_LIVE)
        return 0;
    uint64_t idle_ns = thread->idle_clock != NULL ? thread->idle_clock(thread->idle_context) : 0;
    uint64_t busy_ns = clock_monotonic_ns() - idle_ns;
    return busy_ns > busy_since_ns ? busy_ns - busy_since_ns : 0;
}

void event_delays_read(struct sampler_access access)
{
    if (!atomic_load_explicit(&is_used, memory_order_relaxed))
        return;
    uint32_t count = thread_registry_slot_count();
    named_mutex_lock(&lock);
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        thread_sampled(access, thread)->event_delay_ns = delay_of(thread);
    }
    named_mutex_unlock(&lock);
}

bool event_delays_are_used(void)
{
    return atomic_load_explicit(&is_used, memory_order_relaxed);
}

void event_delays_write(struct sampler_access access, struct sample_encoder *encoder,
                        uint64_t before_ns)
{
    if (!event_delays_are_used())
        return;
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        uint64_t delay_ns = thread_sampled(access, thread)->event_delay_ns;
        if (delay_ns < before_ns + EVENT_DELAY_LEAST_NS || thread->profiled_features == 0)
            continue;
        /* One that finds no chunk is counted by the writer. */
        (void)sample_encoder_event_delay(encoder, thread->index,
                                         (delay_ns - before_ns) / NS_PER_US);
    }
}

void event_delay_unlock_in_child(void)
{
    named_mutex_reset(&lock);
    atomic_store(&is_used, false);
}
