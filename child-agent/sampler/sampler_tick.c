#include "child-agent/sampler/sampler_tick.h"

#include <errno.h>

#include "buffer/clock.h"
#include "buffer/unforked_pages.h"
#include "child-agent/core.h"
#include "child-agent/guest/address_space.h"
#include "child-agent/sampler/sampler_tick_inside.h"
#include "ipc/messages.h"

enum {
    TICK_MOST_PREPARED_CHUNKS = 16,
    /* After so many ticks without a new chunk, one prepared chunk is enough. */
    TICK_QUIET_TICKS = 256,
    /* More threads than this at once only take more room in the chunks. */
    TICK_REMEMBERED_STACKS = 4096,
};

static uint32_t last_run; /* of the sampler in this process; never 0 in practice */

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
    tick->chunk_seen = TICK_NO_CHUNK;
    tick->session_start_ns = clock_monotonic_ns();
    tick->manager = manager;
    sampler_counters_begin(&tick->counters, settings->features);
    chunk_writer_init_in_handler(&tick->writer, manager, CHUNK_WRITER_SAMPLER);
    int error = sample_encoder_create(&tick->writer, remembered_stacks(), &tick->encoder);
    if (error == 0 && (settings->features & FEATURE_UNREGISTERED_THREADS))
        error = thread_spy_create(&tick->spy);
    if (error < 0) {
        sampler_tick_destroy(tick);
        return error;
    }
    *out = tick;
    return 0;
}

void sampler_tick_resume(struct sampler_tick *tick)
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

void sampler_tick_spy(struct sampler_tick *tick, bool has_run)
{
    if (tick->spy != NULL && thread_spy_is_due(tick->spy, clock_monotonic_ns(), has_run))
        thread_spy_look(tick->spy, tick->encoder);
}

void sampler_tick_begin_in_sampler(struct sampler_tick *tick, bool has_own_descriptors)
{
    process_counters_begin_in_sampler(&tick->counters.process, has_own_descriptors);
}

void sampler_tick_keep_files(struct sampler_tick *tick)
{
    look_files_keep(&tick->look_files);
    process_counters_keep_file(&tick->counters.process);
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
    process_counters_log_missing(&tick->counters.process);
    if (tick->is_first)
        (void)sample_encoder_tick(tick->encoder, clock_ticks()); /* counted by the writer */
    sampler_counters_record(&tick->counters, tick->encoder);
}

void sampler_tick_prepare_chunks(struct sampler_tick *tick)
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

/* How long the last wake-up took. */
static void write_overhead(struct sampler_tick *tick)
{
    uint8_t entry[OVERHEAD_ENTRY_MAX_BYTES];
    if (!tick->has_overhead)
        return;
    tick->has_overhead = false;
    /* One that finds no chunk is counted by the writer. */
    (void)sample_encoder_put(tick->encoder, entry, overhead_entry_write(entry, &tick->overhead));
}

uint64_t sampler_tick_read_clock(struct thread_registration *thread)
{
    uint64_t cpu_ns = clock_read_ns(thread->cpu_clock);
    if (cpu_ns == 0)
        thread_registry_end_silent(thread);
    return cpu_ns;
}

bool sampler_tick_write_head(struct sampler_tick *tick)
{
    if (sample_encoder_tick(tick->encoder, tick->requested_ticks) < 0)
        return false;
    write_overhead(tick);
    if (tick->records_event_delay)
        event_delays_write(sampler_tick_access(tick), tick->encoder, 0);
    return true;
}

void sampler_tick_write_stack(struct sampler_tick *tick, const struct thread_registration *thread,
                              const struct snapshot *snapshot, size_t count, uint64_t ticks,
                              bool is_truncated)
{
    size_t depth = stack_merge(tick->native, count, snapshot->labels, snapshot->label_count,
                               tick->merged, SAMPLE_MAX_FRAMES);
    /* A sample that finds no chunk is counted by the writer. */
    (void)sample_encoder_sample(tick->encoder, thread->index, ticks, 0, tick->merged,
                                (uint32_t)depth, is_truncated);
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
