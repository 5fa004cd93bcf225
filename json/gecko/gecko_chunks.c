/* The one pass over the buffer: every entry goes to the context of its thread. */
#include <errno.h>

#include "json/gecko/gecko_context.h"
#include "json/spare_pages.h"

/* The times of one chunk while its blocks are read. */
struct chunk_walk {
    struct process_context *process;
    const struct chunk_copy *chunk;
    struct thread_context *thread; /* the writer; NULL in the sampler's chunks */
    uint64_t ticks;                /* the last time written */
    uint64_t tick_ticks;           /* of the last tick */
};

static uint64_t duration_ns(const struct chunk_walk *walk, uint64_t ticks)
{
    double nanoseconds = (double)ticks * walk->chunk->calibration.ns_per_tick;
    /* Longer than a century is damage; the limit keeps the conversion defined. */
    return nanoseconds >= 0 && nanoseconds < 4e18 ? (uint64_t)nanoseconds : 0;
}

static uint64_t now_ns(const struct chunk_walk *walk)
{
    return clock_to_ns(&walk->chunk->calibration, walk->ticks);
}

/* The time of an entry whose frames come next, which was written at TICKS. */
static uint64_t come_to(const struct chunk_walk *walk, uint64_t ticks)
{
    uint64_t time_ns = clock_to_ns(&walk->chunk->calibration, ticks);
    library_changes_come_to(walk->process, time_ns);
    return time_ns;
}

static int take_tick(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    uint64_t delta;
    int error = entry_decode_tick(payload, bytes, &delta);
    if (error < 0)
        return error;
    walk->ticks += delta;
    walk->tick_ticks = walk->ticks;
    samples_take_tick(walk->process, walk->ticks, come_to(walk, walk->ticks));
    return 0;
}

static int take_quiet_ticks(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    uint32_t count;
    uint64_t delta, start = walk->ticks;
    int error = entry_decode_quiet_ticks(payload, bytes, &count, &delta);
    if (error < 0)
        return error;
    walk->ticks = walk->tick_ticks = start + delta;
    if (!bounds_allow(walk->process))
        return 0;
    for (uint32_t i = 1; i <= count; i++) {
        walk->ticks = start + (uint64_t)((unsigned __int128)delta * i / count);
        samples_take_tick(walk->process, walk->ticks, now_ns(walk));
    }
    walk->process->held_bytes += count * sizeof(uint64_t);
    return 0;
}

static int take_sample(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct sample_entry sample;
    int error = entry_decode_sample(payload, bytes, &sample);
    if (error == 0)
        samples_take_sample(walk->process, &sample, duration_ns(walk, sample.ticks_after_tick),
                            kind == ENTRY_SAMPLE_TRUNCATED);
    return error;
}

static int take_same(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    struct sample_entry sample;
    int error = entry_decode_same(payload, bytes, &sample);
    if (error == 0)
        samples_take_same(walk->process, &sample, duration_ns(walk, sample.ticks_after_tick));
    return error;
}

static int take_late(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    uint32_t thread_index;
    int error = entry_decode_late(payload, bytes, &thread_index);
    if (error == 0)
        samples_take_late(walk->process, thread_index);
    return error;
}

/* The time of a sample that its thread took of itself becomes the chunk's latest. */
static uint64_t take_own_time(struct chunk_walk *walk, const struct sample_entry *sample)
{
    walk->ticks += sample->ticks_after_tick;
    return come_to(walk, walk->ticks);
}

static int take_timed_sample(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload,
                             size_t bytes)
{
    struct sample_entry sample;
    int error = entry_decode_sample(payload, bytes, &sample);
    if (error == 0)
        samples_take_timed_sample(walk->process, &sample, take_own_time(walk, &sample),
                                  kind == ENTRY_TIMED_SAMPLE_TRUNCATED);
    return error;
}

static int take_timed_numbers(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload,
                              size_t bytes)
{
    struct sample_entry sample;
    int error = entry_decode_same(payload, bytes, &sample);
    if (error < 0)
        return error;
    uint64_t time_ns = take_own_time(walk, &sample);
    if (kind == ENTRY_TIMED_SAME)
        samples_take_timed_same(walk->process, &sample, time_ns);
    else
        samples_take_thread_cpu(walk->process, &sample, time_ns);
    return 0;
}

static int take_event_delay(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    struct event_delay_entry entry;
    int error = entry_decode_event_delay(payload, bytes, &entry);
    if (error == 0)
        event_delays_take(walk->process, &entry);
    return error;
}

static int take_unregistered(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    struct unregistered_entry entry;
    int error = entry_decode_unregistered(payload, bytes, &entry);
    if (error == 0)
        unregistered_take(walk->process, &entry, duration_ns(walk, entry.ticks_after_tick),
                          duration_ns(walk, entry.period_ticks));
    return error;
}

static int take_counters(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload,
                         size_t bytes)
{
    struct counter_cursor cursor;
    uint64_t ticks_after_tick;
    int error = entry_decode_counters(payload, bytes, &ticks_after_tick, &cursor);
    if (error == 0)
        error = counters_take(walk->process, &cursor, kind == ENTRY_COUNTER_TOTALS,
                              clock_to_ns(&walk->chunk->calibration, walk->tick_ticks) +
                                  duration_ns(walk, ticks_after_tick));
    return error;
}

static uint64_t overhead_ns(const struct chunk_walk *walk, uint64_t units)
{
    return duration_ns(walk, units < UINT32_MAX ? units * OVERHEAD_UNIT_TICKS : 0);
}

static int take_overhead(struct chunk_walk *walk, const uint8_t *payload, size_t bytes)
{
    struct sampler_overhead overhead;
    int error = entry_decode_overhead(payload, bytes, &overhead);
    if (error < 0)
        return error;
    struct overhead_row row = {
        .locking_ns = overhead_ns(walk, overhead.locking),
        .cleaning_ns = overhead_ns(walk, overhead.cleaning),
        .counters_ns = overhead_ns(walk, overhead.counters),
        .threads_ns = overhead_ns(walk, overhead.threads),
    };
    overhead_take(walk->process, &row);
    return 0;
}

static int take_marker(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct marker_entry marker;
    int error = entry_decode_marker(kind, payload, bytes, &marker);
    if (error < 0)
        return error;
    walk->ticks += marker.ticks_delta;
    uint64_t time_ns = come_to(walk, walk->ticks);
    struct thread_context *thread = walk->thread;
    if (marker.thread_index_plus_1 != 0)
        thread = process_thread_at(walk->process, marker.thread_index_plus_1 - 1, time_ns);
    if (thread == NULL)
        return -EPROTO;
    markers_take(walk->process, thread, &marker, walk->ticks, &walk->chunk->calibration);
    return 0;
}

static int take_allocation(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload,
                           size_t bytes)
{
    struct allocation_entry allocation;
    int error = entry_decode_allocation(payload, bytes, &allocation);
    if (error < 0)
        return error;
    uint64_t ticks = walk->ticks + (uint64_t)allocation.ticks_after;
    allocations_take(walk->process, &allocation, come_to(walk, ticks),
                     kind == ENTRY_ALLOCATION_TRUNCATED);
    return 0;
}

static int take_entry(struct chunk_walk *walk, uint8_t kind, const uint8_t *payload, size_t bytes)
{
    if (entry_is_marker(kind))
        return walk->thread == NULL ? -EPROTO : take_marker(walk, kind, payload, bytes);
    if (walk->thread != NULL)
        return -EPROTO;
    switch (kind) {
    case ENTRY_TICK:
        return take_tick(walk, payload, bytes);
    case ENTRY_QUIET_TICKS:
        return take_quiet_ticks(walk, payload, bytes);
    case ENTRY_SAMPLE:
    case ENTRY_SAMPLE_TRUNCATED:
        return take_sample(walk, kind, payload, bytes);
    case ENTRY_SAME:
        return take_same(walk, payload, bytes);
    case ENTRY_LATE:
        return take_late(walk, payload, bytes);
    case ENTRY_TIMED_SAMPLE:
    case ENTRY_TIMED_SAMPLE_TRUNCATED:
        return take_timed_sample(walk, kind, payload, bytes);
    case ENTRY_TIMED_SAME:
    case ENTRY_THREAD_CPU:
        return take_timed_numbers(walk, kind, payload, bytes);
    case ENTRY_UNREGISTERED_THREAD:
        return take_unregistered(walk, payload, bytes);
    case ENTRY_EVENT_DELAY:
        return take_event_delay(walk, payload, bytes);
    case ENTRY_COUNTERS:
    case ENTRY_COUNTER_TOTALS:
        return take_counters(walk, kind, payload, bytes);
    case ENTRY_OVERHEAD:
        return take_overhead(walk, payload, bytes);
    case ENTRY_ALLOCATION:
    case ENTRY_ALLOCATION_TRUNCATED:
        return take_allocation(walk, kind, payload, bytes);
    default:
        return -EPROTO;
    }
}

static void read_blocks(struct chunk_walk *walk)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t bytes;
    int found;
    block_cursor_init(&cursor, walk->chunk);
    while ((found = block_cursor_next(&cursor, &kind, &payload, &bytes)) == 1 &&
           !failure_latch_failed(walk->process->latch)) {
        if (take_entry(walk, kind, payload, bytes) < 0)
            walk->process->bad_entries++;
    }
    walk->process->bad_entries += found < 0;
}

static void read_chunk(struct process_context *process, const struct chunk_copy *chunk)
{
    struct chunk_walk walk = { .process = process,
                               .chunk = chunk,
                               .ticks = chunk->start_ticks,
                               .tick_ticks = chunk->start_ticks };
    process->chunk_number++;
    process->chunk_bytes += chunk->used_bytes;
    if (chunk->writer_index != CHUNK_WRITER_SAMPLER) {
        walk.thread = process_thread_at(process, chunk->writer_index, now_ns(&walk));
        if (walk.thread == NULL) {
            process->bad_entries += chunk->block_count;
            return;
        }
    }
    read_blocks(&walk);
}

void process_read_chunks(struct process_context *process, const struct progress *progress)
{
    size_t count = arena_reader_chunk_count(process->reader);
    struct chunk_copy *chunk = spare_pages_take(sizeof(*chunk));
    if (chunk == NULL) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    for (size_t i = 0; i < count && !failure_latch_failed(process->latch); i++) {
        /* Recycled and damaged chunks are counted by the reader. */
        if (arena_reader_copy_chunk(process->reader, i, chunk) == 0)
            read_chunk(process, chunk);
        progress_report_of(progress, i + 1, count);
    }
    allocations_finish(process);
    spare_pages_give(chunk, sizeof(*chunk));
}
