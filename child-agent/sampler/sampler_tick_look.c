#include "buffer/clock.h"
#include "child-agent/sampler/cpu_clock.h"
#include "child-agent/sampler/sampler_tick_inside.h"
#include "child-agent/sampler/thread_look.h"

/* Where THREAD sleeps, as a sample of no CPU time. */
static void write_look(struct sampler_tick *tick, const struct thread_registration *thread,
                       const struct sleeping_place *place)
{
    struct snapshot *snapshot = &tick->sleeping.snapshot;
    bool is_complete;
    thread_look_copy(thread, place, &tick->sleeping);
    size_t depth = snapshot_stack(snapshot, thread, tick->native, tick->merged, &is_complete);
    /* A sample that finds no chunk is counted by the writer. */
    (void)sample_encoder_sample(tick->encoder, thread->index, snapshot->ticks, 0, tick->merged,
                                (uint32_t)depth, !is_complete);
}

/* A thread that has not run since it was found asleep is where it was. */
static void look_at_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    struct sleeping_place place;
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    uint64_t cpu_ns = clock_read_ns(thread->cpu_clock);
    if (cpu_ns == 0) { /* there is no such thread any more */
        thread_registry_end_silent(thread);
        return;
    }
    if (sampled->run == tick->run && sampled->is_asleep && cpu_ns == sampled->sampled_cpu_ns)
        return;
    sampled->run = tick->run;
    sampled->sampled_cpu_ns = cpu_ns;
    sampled->is_asleep = thread_look(thread->id, &place);
    if (sampled->is_asleep)
        write_look(tick, thread, &place);
}

bool sampler_tick_look(struct sampler_tick *tick)
{
    bool has_run = cpu_activity_since_last(&tick->activity) || tick->is_first;
    if (!has_run)
        return false;
    tick->is_first = false;
    tick->requested_ticks = clock_ticks();
    if (tick->records_event_delay)
        event_delays_read(sampler_tick_access(tick));
    if (sample_encoder_tick(tick->encoder, tick->requested_ticks) < 0)
        return true; /* counted by the writer */
    sampler_tick_write_overhead(tick);
    if (tick->records_event_delay)
        event_delays_write(sampler_tick_access(tick), tick->encoder, 0);
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; tick->samples_stacks && slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (sampler_tick_samples(thread))
            look_at_thread(tick, thread);
    }
    sampler_tick_prepare_chunks(tick);
    return true;
}

void sampler_tick_look_at_unasked(struct sampler_tick *tick)
{
    uint32_t count = thread_registry_slot_count();
    if (tick->is_first || !tick->samples_stacks)
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (sampler_tick_samples(thread) && !sampler_tick_can_ask(thread) &&
            thread_sampled(sampler_tick_access(tick), thread)->run == tick->run)
            look_at_thread(tick, thread);
    }
}
