#include <errno.h>
#include <sys/mman.h>

#include "buffer/clock.h"
#include "child-agent/core.h"
#include "child-agent/guest/cpu_clock.h"
#include "child-agent/sampler/sampler_tick_inside.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/unwinding/process_unwinder.h"

/* The thread's snapshot, made at its first request; NULL when there is no memory. */
static struct snapshot_copy *snapshot_of(struct thread_registration *thread)
{
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    if (snapshot != NULL)
        return snapshot;
    snapshot =
        mmap(NULL, sizeof(*snapshot), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (snapshot == MAP_FAILED)
        return NULL;
    atomic_store(&thread->snapshot, snapshot);
    return snapshot;
}

/* First sight of a thread in this session: one that has been asleep since before it is left
 * alone. */
static void meet_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    bool is_new = thread_began_with(thread, tick->session_start_ns);
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    sampled->run = tick->run;
    sampled->visited_cpu_ns = is_new ? thread_first_ns(thread) : clock_read_ns(thread->cpu_clock);
    sampled->asked_cpu_ns = 0;
    sampled->missed = (struct missed_frame){ 0 };
    thread_sleep_forget_look(&thread->sleep);
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
}

/* A signal of the program could merge with one by which a thread is asked: where both have the same
 * number, it is only looked at. */
static bool can_ask(const struct thread_registration *thread)
{
    return !sampling_signal_is_shared() && !atomic_load(&thread->yields_signal);
}

/* A thread that leaves the signal to the program sees the request, or we see that it has. */
static int signal_thread(struct thread_registration *thread, struct snapshot_copy *snapshot)
{
    atomic_store(&snapshot->signal_number, 0);
    atomic_store(&snapshot->state, SNAPSHOT_REQUESTED);
    int number = sampling_signal_number();
    atomic_store(&snapshot->signal_number, number);
    bool is_yielding = atomic_load(&thread->yields_signal);
    int error = is_yielding ? -ESRCH : thread_registry_signal(thread, number, snapshot);
    if (error < 0)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
    if (error < 0 && error != -ESRCH)
        arena_count_drop(&core.arena, DROP_REFUSED_SIGNAL, 1);
    return error;
}

static int ask_thread(struct thread_registration *thread)
{
    struct snapshot_copy *snapshot = snapshot_of(thread);
    return snapshot != NULL ? signal_thread(thread, snapshot) : -ENOMEM;
}

/* Asked before, and the signal is still pending: late; or the answer is not collected yet. */
static bool is_asked(const struct thread_registration *thread)
{
    const struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    return snapshot != NULL && atomic_load(&snapshot->state) != SNAPSHOT_EMPTY;
}

/* It is looked at at each tick until it waits. */
static void pass_over_running(struct sampler_tick *tick, struct thread_registration *thread,
                              struct thread_sampler_data *sampled)
{
    sampled->visited_cpu_ns = 0;
    tick->must_look_again = true;
    thread_sleep_forget_look(&thread->sleep);
    (void)sample_encoder_late(tick->encoder, thread->index); /* counted by the writer */
}

/* A thread that has only answered, and made its call again, is not asked in the same wait once
 * more: each time a relative timeout begins anew. */
static bool has_run_since_asked(const struct thread_sampler_data *sampled)
{
    enum { MOST_FOR_ANSWER_NS = 50 * 1000 };
    return sampled->asked_cpu_ns == 0 ||
           sampled->visited_cpu_ns > sampled->asked_cpu_ns + MOST_FOR_ANSWER_NS;
}

/* A look disturbs nobody, and costs less than a signal. Where a stack can be followed only in part,
 * and nobody can be asked, the part is written. */
static void look_or_ask(struct sampler_tick *tick, struct thread_registration *thread,
                        struct thread_sampler_data *sampled)
{
    uint64_t cpu_ns = sampled->visited_cpu_ns;
    enum tick_look look = sampler_tick_look_at(tick, thread, cpu_ns, !can_ask(thread));
    if (look == TICK_LOOK_RUNS)
        pass_over_running(tick, thread, sampled);
    if (look != TICK_LOOK_BLIND || is_asked(thread) || !has_run_since_asked(sampled))
        return;
    sampled->asked_cpu_ns = cpu_ns;
    if (ask_thread(thread) < 0)
        (void)sampler_tick_look_at(tick, thread, cpu_ns, true); /* running now: at the next tick */
}

/* Finds out where THREAD waits, if it has run since it was last known. */
static void visit_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    if (atomic_load(&core.has_filter) || !thread_sleep_lets_look(&thread->sleep))
        return;
    uint64_t cpu_ns = sampler_tick_read_clock(thread);
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    if (cpu_ns == 0 || cpu_ns <= sampled->visited_cpu_ns || atomic_load(&thread->is_in_fork))
        return;
    sampled->visited_cpu_ns = cpu_ns;
    look_or_ask(tick, thread, sampled);
}

/* The ticks between the last one and NOW, at which all threads were as before, and each event that
 * was under way had kept its loop for less long. */
static void write_quiet_ticks(struct sampler_tick *tick, uint64_t now, uint32_t stride)
{
    uint64_t distance = now - tick->requested_ticks;
    if (stride > 1 && !(tick->records_event_delay && event_delays_are_used())) {
        (void)sample_encoder_quiet_ticks(tick->encoder, stride - 1,
                                         tick->requested_ticks + distance * (stride - 1) / stride);
        return;
    }
    for (uint32_t i = 1; i < stride; i++) {
        /* One that finds no chunk is counted by the writer. */
        (void)sample_encoder_tick(tick->encoder, tick->requested_ticks + distance * i / stride);
        if (tick->records_event_delay)
            event_delays_write(sampler_tick_access(tick), tick->encoder,
                               (stride - i) * tick->interval_ns);
    }
}

bool sampler_tick_request(struct sampler_tick *tick, uint32_t stride)
{
    uint64_t now = clock_ticks();
    bool has_run =
        cpu_activity_since_last(&tick->activity) || tick->is_first || tick->must_look_again;
    tick->must_look_again = false;
    if (tick->records_event_delay)
        event_delays_read(sampler_tick_access(tick));
    if (!has_run)
        write_quiet_ticks(tick, now, stride);
    tick->requested_ticks = now;
    tick->is_under_way = true;
    if (!sampler_tick_write_head(tick))
        tick->must_look_again = has_run;
    if (!has_run || tick->must_look_again)
        return has_run;
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (!sampler_tick_samples(thread))
            continue;
        if (thread_sampled(sampler_tick_access(tick), thread)->run != tick->run)
            meet_thread(tick, thread);
        if (tick->samples_stacks)
            visit_thread(tick, thread);
    }
    tick->is_first = false;
    return true;
}

/* Where THREAD waited, as a sample of no CPU time. */
static void write_answer(struct sampler_tick *tick, struct thread_registration *thread,
                         const struct snapshot *snapshot)
{
    bool is_complete;
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    size_t count = snapshot_unwind(snapshot, thread, tick->native, &is_complete);
    bool is_truncated = snapshot->is_truncated && !is_complete;
    uint64_t ticks =
        snapshot->ticks > tick->requested_ticks ? snapshot->ticks : tick->requested_ticks;
    if (is_complete)
        known_frames_learn(&tick->known_frames, process_unwinder(), &sampled->missed, snapshot,
                           tick->native, count);
    if (is_truncated)
        snapshot_count_truncated();
    sampler_tick_write_stack(tick, thread, snapshot, count, ticks, is_truncated);
}

/* A thread that waits for a processor, or to wake up, is as before; one that runs on without taking
 * the signal (it blocks it) is late. */
static bool has_run_since_request(const struct thread_registration *thread,
                                  const struct thread_sampler_data *sampled)
{
    enum { NOISE_NS = 20 * 1000 };
    return thread->life == REGISTRATION_LIVE &&
           clock_read_ns(thread->cpu_clock) > sampled->visited_cpu_ns + NOISE_NS;
}

static void collect_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    struct thread_sampler_data *sampled = thread_sampled(sampler_tick_access(tick), thread);
    if (sampled->run != tick->run)
        return;
    enum snapshot_state state = snapshot != NULL
                                    ? atomic_load_explicit(&snapshot->state, memory_order_acquire)
                                    : SNAPSHOT_EMPTY;
    if (state == SNAPSHOT_TAKEN) {
        write_answer(tick, thread, &snapshot->snapshot);
        atomic_store_explicit(&snapshot->state, SNAPSHOT_EMPTY, memory_order_release);
    } else if (state == SNAPSHOT_DECLINED) {
        pass_over_running(tick, thread, sampled);
        atomic_store_explicit(&snapshot->state, SNAPSHOT_EMPTY, memory_order_release);
    } else if (state == SNAPSHOT_REQUESTED && has_run_since_request(thread, sampled)) {
        arena_count_drop(&core.arena, DROP_LATE_SAMPLE, 1);
        (void)sample_encoder_late(tick->encoder, thread->index); /* counted by the writer */
    }
}

/* What a thread that ended left: its last snapshot is taken, then its slot is free. */
static void let_go(struct sampler_tick *tick, struct thread_registration *thread)
{
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    sample_encoder_forget(tick->encoder, thread->index);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
    thread_registry_free(thread);
}

/* A fresh chunk knows no stacks: those of threads that sleep on are written into it again. */
static void repeat_sleeping_stacks(struct sampler_tick *tick, uint32_t count)
{
    /* A recycled chunk is another one at the same place: its range tells them apart. */
    uint64_t range_start =
        tick->writer.chunk != NULL ? tick->writer.chunk->range_start : TICK_NO_CHUNK;
    if (tick->chunk_seen == range_start)
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (sampler_tick_samples(thread) &&
            sample_encoder_needs_stack(tick->encoder, thread->index))
            (void)sample_encoder_repeat(tick->encoder, thread->index, tick->requested_ticks);
    }
    tick->chunk_seen = range_start;
}

void sampler_tick_collect(struct sampler_tick *tick)
{
    if (!tick->is_under_way)
        return;
    tick->is_under_way = false;
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        enum registration_life life = thread->life;
        if (life == REGISTRATION_LIVE || life == REGISTRATION_ENDED)
            collect_thread(tick, thread);
        if (life == REGISTRATION_ENDED)
            let_go(tick, thread);
    }
    repeat_sleeping_stacks(tick, count);
    uint64_t cleaning = clock_ticks();
    sampler_tick_prepare_chunks(tick);
    tick->cleaning_ticks = clock_ticks() - cleaning;
}
