#include "child-agent/sampler/sampler_tick.h"

#include <errno.h>
#include <sys/mman.h>

#include "buffer/clock.h"
#include "buffer/sample_encoder.h"
#include "buffer/unforked_pages.h"
#include "child-agent/core.h"
#include "child-agent/counters/sampler_counters.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/sampler/cpu_clock.h"
#include "child-agent/sampler/sampling_signal.h"
#include "child-agent/sampler/snapshot_stack.h"
#include "child-agent/sampler/thread_look.h"
#include "child-agent/threads/event_delay.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/threads/thread_spy.h"
#include "ipc/messages.h"

enum {
    TICK_MOST_PREPARED_CHUNKS = 16,
    /* After so many ticks without a new chunk, one prepared chunk is enough. */
    TICK_QUIET_TICKS = 256,
    /* More threads than this at once only take more room in the chunks. */
    TICK_REMEMBERED_STACKS = 4096,
};

static const uint64_t NO_CHUNK = UINT64_MAX;

static uint32_t last_run; /* of the sampler in this process; never 0 in practice */

struct sampler_tick {
    uint32_t run; /* tells threads that were met from those that were not */
    bool samples_stacks;
    bool records_event_delay;
    struct thread_spy *spy; /* NULL: unregistered threads are not looked for */
    uint64_t interval_ns;
    bool is_under_way;
    bool is_first;
    uint64_t session_start_ns;
    uint64_t requested_ticks; /* when the tick under way began */
    uint64_t range_start_seen;
    uint32_t ticks_without_chunk;
    struct cpu_activity activity;
    struct chunk_manager *manager; /* borrowed */
    struct chunk_writer writer;
    uint64_t
        chunk_seen; /* range start of the chunk that sleeping threads' stacks are known to be in */
    struct sample_encoder *encoder;
    struct sampler_counters counters;
    bool has_overhead;
    struct sampler_overhead overhead; /* of the tick under way */
    uint64_t cleaning_ticks;          /* of the wake-up under way */
    struct unwind_frame native[SAMPLE_MAX_FRAMES];
    struct stack_frame merged[SAMPLE_MAX_FRAMES];
    struct snapshot_copy sleeping; /* of the thread that is looked at */
};

/* Of how many threads the stacks are remembered: at least of one. */
static uint32_t remembered_stacks(void)
{
    const uint64_t none = sample_encoder_bytes(0), one = sample_encoder_bytes(1) - none;
    uint64_t bytes =
        address_space_within(ADDRESSES_TICK_STACKS, none + TICK_REMEMBERED_STACKS * one);
    return bytes >= none + one ? (uint32_t)((bytes - none) / one) : 1;
}

int sampler_tick_create(const struct session_settings *settings, struct chunk_manager *manager,
                        struct sampler_tick **out)
{
    struct sampler_tick *tick = unforked_pages_allocate(sizeof(*tick));
    if (tick == NULL)
        return -ENOMEM;
    tick->run = ++last_run;
    tick->samples_stacks = settings->features & FEATURE_STACKS;
    tick->interval_ns = settings->interval_ns;
    tick->records_event_delay = settings->features & FEATURE_RESPONSIVENESS;
    tick->is_first = true;
    tick->chunk_seen = NO_CHUNK;
    tick->session_start_ns = clock_monotonic_ns();
    tick->manager = manager;
    sampler_counters_begin(&tick->counters, settings->features);
    chunk_writer_init_in_handler(&tick->writer, manager, CHUNK_WRITER_SAMPLER);
    int err = sample_encoder_create(&tick->writer, remembered_stacks(), &tick->encoder);
    if (err == 0 && (settings->features & FEATURE_UNREGISTERED_THREADS))
        err = thread_spy_create(&tick->spy);
    if (err < 0) {
        sampler_tick_destroy(tick);
        return err;
    }
    *out = tick;
    return 0;
}

void sampler_tick_go_on(struct sampler_tick *tick)
{
    tick->run = --last_run;
}

void sampler_tick_destroy(struct sampler_tick *tick)
{
    chunk_writer_finish(&tick->writer);
    if (tick->encoder != NULL)
        sample_encoder_destroy(tick->encoder);
    if (tick->spy != NULL)
        thread_spy_destroy(tick->spy);
    unforked_pages_free(tick, sizeof(*tick));
}

/* Whoever has the tick is the sampler, its lock held. */
static struct sampler_access access_of(const struct sampler_tick *tick)
{
    return (struct sampler_access){ tick };
}

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

/* First sight of a thread in this session: what it used before is not the session's. */
static void meet_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    bool is_new = thread_began_with(thread, tick->session_start_ns);
    struct thread_sampler_data *sampled = thread_sampled(access_of(tick), thread);
    sampled->run = tick->run;
    sampled->sampled_cpu_ns = is_new ? 0 : clock_read_ns(thread->cpu_clock);
    sampled->requested_cpu_ns = sampled->sampled_cpu_ns;
    thread_sleep_forget_look(&thread->sleep);
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    if (snapshot != NULL)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
}

static bool is_sampled(const struct thread_registration *thread)
{
    return thread->life == REGISTRATION_LIVE && thread->profiled_features != 0;
}

/* A thread that leaves the signal to the program sees the request, or we see that it has. */
static void signal_thread(struct thread_registration *thread, struct snapshot_copy *snapshot)
{
    atomic_store(&snapshot->signal_number, 0);
    atomic_store(&snapshot->state, SNAPSHOT_REQUESTED);
    int number = sampling_signal_number();
    atomic_store(&snapshot->signal_number, number);
    if (atomic_load(&thread->yields_signal) || thread_registry_signal(thread, number) < 0)
        atomic_store(&snapshot->state, SNAPSHOT_EMPTY);
}

static void request_snapshot(struct sampler_tick *tick, struct thread_registration *thread)
{
    if (!thread_sleep_lets_look(&thread->sleep) || atomic_load(&core.has_filter))
        return;
    uint64_t cpu_ns = clock_read_ns(thread->cpu_clock);
    /* At the first tick whatever ran at all is asked, so that short lives leave a sample. */
    uint64_t noise_ns = tick->is_first ? 0 : CPU_NOISE_NS;
    struct thread_sampler_data *sampled = thread_sampled(access_of(tick), thread);
    if (cpu_ns <= sampled->requested_cpu_ns + noise_ns || atomic_load(&thread->is_in_fork))
        return;
    struct snapshot_copy *snapshot = snapshot_of(thread);
    if (snapshot == NULL)
        return;
    sampled->requested_cpu_ns = cpu_ns;
    if (atomic_load(&snapshot->state) != SNAPSHOT_EMPTY)
        return; /* asked before, and the signal is still pending: late */
    signal_thread(thread, snapshot);
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
            event_delays_write(access_of(tick), tick->encoder, (stride - i) * tick->interval_ns);
    }
}

bool sampler_tick_request(struct sampler_tick *tick, uint32_t stride)
{
    uint64_t now = clock_ticks();
    bool has_run = cpu_activity_since_last(&tick->activity) || tick->is_first;
    if (tick->records_event_delay)
        event_delays_read(access_of(tick));
    if (!has_run)
        write_quiet_ticks(tick, now, stride);
    tick->requested_ticks = now;
    tick->is_under_way = true;
    if (!has_run)
        return false;
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (!is_sampled(thread))
            continue;
        if (thread_sampled(access_of(tick), thread)->run != tick->run)
            meet_thread(tick, thread);
        if (tick->samples_stacks)
            request_snapshot(tick, thread);
    }
    tick->is_first = false;
    return true;
}

void sampler_tick_spy(struct sampler_tick *tick, bool has_run)
{
    if (tick->spy != NULL && thread_spy_is_due(tick->spy, clock_monotonic_ns(), has_run))
        thread_spy_look(tick->spy, tick->encoder);
}

void sampler_tick_begin_in_sampler(struct sampler_tick *tick, bool has_own_descriptors)
{
    process_counters_begin_in_sampler(&tick->counters.process, has_own_descriptors);
}

void sampler_tick_record_counters(struct sampler_tick *tick, bool has_run)
{
    if (has_run)
        process_counters_read(&tick->counters.process, tick->activity.others_ns);
    sampler_counters_record(&tick->counters, tick->encoder);
}

void sampler_tick_record_alone(struct sampler_tick *tick)
{
    tick->is_first = false;
    tick->requested_ticks = clock_ticks();
    if (sample_encoder_tick(tick->encoder, tick->requested_ticks) < 0)
        return; /* counted by the writer */
    process_counters_read_alone(&tick->counters.process);
    sampler_counters_record(&tick->counters, tick->encoder);
}

void sampler_tick_read_last_alone(struct sampler_tick *tick)
{
    process_counters_read_last(&tick->counters.process);
}

void sampler_tick_record_last_counters(struct sampler_tick *tick)
{
    process_counters_tell(&tick->counters.process);
    if (tick->is_first)
        (void)sample_encoder_tick(tick->encoder, clock_ticks()); /* counted by the writer */
    sampler_counters_record(&tick->counters, tick->encoder);
}

/* Makes chunks ready for as many as were used since the last tick, and one more. */
static void prepare_chunks(struct sampler_tick *tick)
{
    uint64_t range_start = atomic_load(&core.arena.header->next_range_start);
    uint64_t used = (range_start - tick->range_start_seen) / CHUNK_BUFFER_BYTES;
    tick->range_start_seen = range_start;
    if (used == 0) {
        if (++tick->ticks_without_chunk == TICK_QUIET_TICKS)
            chunk_manager_unprepare(tick->manager, 1);
        return;
    }
    tick->ticks_without_chunk = 0;
    uint64_t wanted = used + 1;
    if (wanted > TICK_MOST_PREPARED_CHUNKS)
        wanted = TICK_MOST_PREPARED_CHUNKS;
    (void)chunk_manager_prepare(tick->manager, (unsigned)wanted);
}

static void write_overhead(struct sampler_tick *tick)
{
    uint8_t entry[OVERHEAD_ENTRY_MAX_BYTES];
    if (!tick->has_overhead)
        return;
    tick->has_overhead = false;
    /* One that finds no chunk is counted by the writer. */
    (void)sample_encoder_put(tick->encoder, entry, overhead_entry_write(entry, &tick->overhead));
}

/* --- Looks, which ask nobody --- */

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
    struct thread_sampler_data *sampled = thread_sampled(access_of(tick), thread);
    uint64_t cpu_ns = clock_read_ns(thread->cpu_clock);
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
        event_delays_read(access_of(tick));
    if (sample_encoder_tick(tick->encoder, tick->requested_ticks) < 0)
        return true; /* counted by the writer */
    write_overhead(tick);
    if (tick->records_event_delay)
        event_delays_write(access_of(tick), tick->encoder, 0);
    uint32_t count = thread_registry_slot_count();
    for (uint32_t slot = 0; tick->samples_stacks && slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (is_sampled(thread))
            look_at_thread(tick, thread);
    }
    prepare_chunks(tick);
    return true;
}

static uint64_t overhead_units(uint64_t ticks)
{
    return (ticks + OVERHEAD_UNIT_TICKS / 2) / OVERHEAD_UNIT_TICKS;
}

void sampler_tick_note_overhead(struct sampler_tick *tick, const struct sampler_tick_times *times)
{
    uint64_t cleaning = tick->cleaning_ticks;
    uint64_t threads = times->counters - times->threads + clock_ticks() - times->rest;
    tick->cleaning_ticks = 0;
    tick->has_overhead = true;
    tick->overhead = (struct sampler_overhead){
        .locking = overhead_units(times->threads - times->locking),
        .cleaning = overhead_units(cleaning),
        .counters = overhead_units(times->rest - times->counters),
        .threads = overhead_units(threads > cleaning ? threads - cleaning : 0),
    };
}

/* CPU use to report with a sample, in whole µs of a running total, so that nothing is lost by
 * rounding. */
static uint64_t take_cpu_us(struct thread_sampler_data *sampled)
{
    uint64_t cpu_us = sampled->requested_cpu_ns / 1000 - sampled->sampled_cpu_ns / 1000;
    sampled->sampled_cpu_ns = sampled->requested_cpu_ns;
    return cpu_us;
}

static void write_sample(struct sampler_tick *tick, struct thread_registration *thread,
                         const struct snapshot *snapshot)
{
    bool is_complete;
    size_t depth = snapshot_stack(snapshot, thread, tick->native, tick->merged, &is_complete);
    bool is_truncated = snapshot->is_truncated && !is_complete;
    uint64_t ticks =
        snapshot->ticks > tick->requested_ticks ? snapshot->ticks : tick->requested_ticks;
    if (is_truncated)
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    /* A sample that finds no chunk is counted by the writer. */
    (void)sample_encoder_sample(tick->encoder, thread->index, ticks,
                                take_cpu_us(thread_sampled(access_of(tick), thread)), tick->merged,
                                (uint32_t)depth, is_truncated);
}

/* A thread that waits for a processor, or to wake up, is as before; one that runs on without taking
 * the signal (it blocks it) is late. */
static bool has_run_since_request(const struct thread_registration *thread,
                                  const struct thread_sampler_data *sampled)
{
    return thread->life == REGISTRATION_LIVE &&
           clock_read_ns(thread->cpu_clock) > sampled->requested_cpu_ns + CPU_NOISE_NS;
}

static void collect_thread(struct sampler_tick *tick, struct thread_registration *thread)
{
    struct snapshot_copy *snapshot = atomic_load(&thread->snapshot);
    const struct thread_sampler_data *sampled = thread_sampled(access_of(tick), thread);
    if (sampled->run != tick->run)
        return;
    enum snapshot_state state = snapshot != NULL
                                    ? atomic_load_explicit(&snapshot->state, memory_order_acquire)
                                    : SNAPSHOT_EMPTY;
    if (state == SNAPSHOT_TAKEN) {
        write_sample(tick, thread, &snapshot->snapshot);
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
    uint64_t range_start = tick->writer.chunk != NULL ? tick->writer.chunk->range_start : NO_CHUNK;
    if (tick->chunk_seen == range_start)
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        struct thread_registration *thread = thread_registry_at(slot);
        if (is_sampled(thread) && sample_encoder_needs_stack(tick->encoder, thread->index))
            (void)sample_encoder_repeat(tick->encoder, thread->index, tick->requested_ticks);
    }
    tick->chunk_seen = range_start;
}

void sampler_tick_collect(struct sampler_tick *tick)
{
    if (!tick->is_under_way)
        return;
    tick->is_under_way = false;
    if (sample_encoder_tick(tick->encoder, tick->requested_ticks) < 0)
        return; /* counted by the writer */
    write_overhead(tick);
    if (tick->records_event_delay)
        event_delays_write(access_of(tick), tick->encoder, 0);
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
    prepare_chunks(tick);
    tick->cleaning_ticks = clock_ticks() - cleaning;
}
