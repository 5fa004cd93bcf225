/* Reads all that is in an arena, whatever it is. */
#ifndef TESTS_UNIT_ARENA_WALK_H
#define TESTS_UNIT_ARENA_WALK_H

#include <errno.h>

#include "tests/unit/valid_arena.h"

static struct chunk_copy copy;
static struct stack_state states[THREADS];
static volatile uint64_t sink; /* so that every byte that is handed out is read */

static void look_at(const void *bytes, size_t length)
{
    const uint8_t *in = bytes;
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += in[i];
    sink += sum;
}

static void look_at_string(struct arena_string string)
{
    look_at(string.bytes, string.length);
}

static void read_records(struct arena_reader *reader)
{
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1) {
        look_at_string(record.name);
        look_at_string(record.extra);
        look_at_string(record.file);
    }
}

static int read_sample(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct sample_entry sample;
    if (kind == ENTRY_SAME || kind == ENTRY_TIMED_SAME || kind == ENTRY_THREAD_CPU)
        return entry_decode_same(payload, bytes, &sample);
    int result = entry_decode_sample(payload, bytes, &sample);
    if (result != 0)
        return result;
    struct stack_state *state = &states[sample.thread_index % THREADS];
    result = sample_decode_stack(&sample, state);
    if (state->depth > SAMPLE_MAX_FRAMES) /* a claim for each would take longer than all the rest */
        ck_abort_msg("a stack of %zu frames", (size_t)state->depth);
    look_at(state->frames, state->depth * sizeof(state->frames[0]));
    return result;
}

static int read_counters(const uint8_t *payload, size_t bytes)
{
    uint64_t ticks;
    struct counter_cursor cursor;
    struct counter_change change;
    int found = entry_decode_counters(payload, bytes, &ticks, &cursor);
    while (found >= 0 && (found = counter_cursor_next(&cursor, &change)) == 1)
        if (change.index >= COUNTERS_MAX)
            ck_abort_msg("counter %zu", (size_t)change.index);
    return found;
}

static int read_entry(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    uint64_t delta;
    uint32_t thread_index, count;
    struct marker_entry marker;
    int result;
    switch (kind) {
    case ENTRY_TICK:
        return entry_decode_tick(payload, bytes, &delta);
    case ENTRY_QUIET_TICKS:
        return entry_decode_quiet_ticks(payload, bytes, &count, &delta);
    case ENTRY_LATE:
        return entry_decode_late(payload, bytes, &thread_index);
    case ENTRY_COUNTERS:
    case ENTRY_COUNTER_TOTALS:
        return read_counters(payload, bytes);
    case ENTRY_SAMPLE:
    case ENTRY_SAMPLE_TRUNCATED:
    case ENTRY_SAME:
    case ENTRY_TIMED_SAMPLE:
    case ENTRY_TIMED_SAMPLE_TRUNCATED:
    case ENTRY_TIMED_SAME:
    case ENTRY_THREAD_CPU:
        return read_sample(kind, payload, bytes);
    default:
        result = entry_decode_marker(kind, payload, bytes, &marker);
        if (result == 0)
            look_at_string(marker.text);
        return result;
    }
}

/* Returns how many entries were good. */
static uint64_t read_chunk(void)
{
    struct block_cursor cursor;
    uint8_t kind;
    const uint8_t *payload;
    size_t bytes;
    uint64_t good = 0;
    for (int i = 0; i < THREADS; i++)
        states[i].depth = 0;
    sink += clock_to_ns(&copy.calibration, copy.start_ticks);
    block_cursor_init(&cursor, &copy);
    while (block_cursor_next(&cursor, &kind, &payload, &bytes) == 1) {
        int result = read_entry(kind, payload, bytes);
        if (result != 0 && result != -EPROTO)
            ck_abort_msg("an entry was refused with %d", result);
        good += result == 0;
    }
    return good;
}

/* Returns how many entries were good; closes READER. */
static uint64_t read_everything(struct arena_reader *reader)
{
    struct arena_info info;
    uint64_t good = 0;
    read_records(reader);
    for (size_t i = 0; i < arena_reader_chunk_count(reader); i++) {
        int result = arena_reader_copy_chunk(reader, i, &copy);
        if (result == 0)
            good += read_chunk();
        else
            ck_assert_int_eq(result, -EPROTO);
    }
    arena_reader_info(reader, &info);
    ck_assert_uint_le(info.kept_bytes, SLOTS * (uint64_t)CHUNK_BUFFER_BYTES);
    arena_reader_close(reader);
    return good;
}

#endif
