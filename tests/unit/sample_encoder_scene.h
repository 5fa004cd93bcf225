/* Samples that an encoder writes into an arena, and what is read back of them. */
#ifndef TESTS_UNIT_SAMPLE_ENCODER_SCENE_H
#define TESTS_UNIT_SAMPLE_ENCODER_SCENE_H

#include <check.h>

#include "buffer/arena_reader.h"
#include "buffer/sample_encoder.h"

/* Indices from THREADS on share their places in the encoder with the first ones. */
enum { SLOTS = 64, THREADS = 8, INDICES = 2 * THREADS, MAX_EVENTS = 20000 };

static struct arena arena;
static struct chunk_manager *manager;
static struct chunk_writer writer;
static struct sample_encoder *encoder;
static struct chunk_copy copy;
static uint64_t seed;

static void set_up(void)
{
    ck_assert_int_eq(arena_create(SLOTS * CHUNK_BYTES, &arena), 0);
    ck_assert_int_eq(chunk_manager_create(&arena, 1, SLOTS * CHUNK_BYTES, &manager), 0);
    chunk_writer_init(&writer, manager, CHUNK_WRITER_SAMPLER);
    ck_assert_int_eq(sample_encoder_create(&writer, THREADS, &encoder), 0);
    seed = 12345;
}

static void tear_down(void)
{
    sample_encoder_destroy(encoder);
    chunk_manager_destroy(manager);
    arena_destroy(&arena);
}

static uint64_t random_below(uint64_t bound)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % bound;
}

/* --- What was written, and what is read back --- */

/* One sample, late entry or CPU use, with its tick if it is of one. A stack is told by its depth
 * and a sum over its frames. */
struct event {
    uint8_t kind; /* SAME and TIMED_SAME read back as the sample that they repeat the stack of */
    uint32_t thread_index;
    uint64_t tick_ticks, ticks, cpu_us;
    uint32_t depth;
    uint64_t frames_sum;
};

static struct event written[MAX_EVENTS], read_back[MAX_EVENTS];
static size_t written_count, read_count;
static unsigned same_count, tick_count; /* as read */

static uint64_t sum_of(const struct stack_frame *frames, uint32_t depth)
{
    uint64_t sum = 14695981039346656037u;
    for (uint32_t i = 0; i < depth; i++)
        sum = ((sum ^ frames[i].value) * 1099511628211u) ^ frames[i].is_label;
    return sum;
}

static void add_event(struct event *events, size_t *count, struct event event)
{
    ck_assert_uint_lt(*count, MAX_EVENTS);
    events[(*count)++] = event;
}

struct decoding {
    uint64_t tick_ticks, last_ticks;
    bool has_stack[INDICES], is_truncated[INDICES];
    struct stack_state stacks[INDICES];
};
static struct decoding decoding;

static bool is_timed(uint8_t kind)
{
    return kind >= ENTRY_TIMED_SAMPLE && kind <= ENTRY_THREAD_CPU;
}

static enum entry_kind sample_kind(bool has_own_time, bool is_truncated)
{
    if (has_own_time)
        return is_truncated ? ENTRY_TIMED_SAMPLE_TRUNCATED : ENTRY_TIMED_SAMPLE;
    return is_truncated ? ENTRY_SAMPLE_TRUNCATED : ENTRY_SAMPLE;
}

/* What SAMPLE tells but for its stack; a time of its own becomes the chunk's latest. */
static struct event event_of(uint8_t kind, const struct sample_entry *sample)
{
    struct event event = { .kind = kind,
                           .thread_index = sample->thread_index,
                           .cpu_us = sample->cpu_us };
    if (is_timed(kind)) {
        decoding.last_ticks += sample->ticks_after_tick;
        event.ticks = decoding.last_ticks;
    } else {
        event.tick_ticks = decoding.tick_ticks;
        event.ticks = decoding.tick_ticks + sample->ticks_after_tick;
    }
    return event;
}

static void read_sample(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    struct sample_entry sample;
    bool is_same = kind == ENTRY_SAME || kind == ENTRY_TIMED_SAME;
    int result = is_same ? entry_decode_same(payload, bytes, &sample)
                         : entry_decode_sample(payload, bytes, &sample);
    ck_assert_int_eq(result, 0);
    uint32_t thread = sample.thread_index;
    ck_assert_uint_lt(thread, INDICES);
    struct stack_state *state = &decoding.stacks[thread];
    if (is_same) {
        ck_assert(decoding.has_stack[thread]);
        same_count++;
    } else {
        ck_assert_int_eq(sample_decode_stack(&sample, state), 0);
        decoding.has_stack[thread] = true;
        decoding.is_truncated[thread] =
            kind == ENTRY_SAMPLE_TRUNCATED || kind == ENTRY_TIMED_SAMPLE_TRUNCATED;
    }
    struct event event = event_of(kind, &sample);
    event.kind = (uint8_t)sample_kind(is_timed(kind), decoding.is_truncated[thread]);
    event.depth = state->depth;
    event.frames_sum = sum_of(state->frames, state->depth);
    add_event(read_back, &read_count, event);
}

static void read_thread_cpu(const uint8_t *payload, size_t bytes)
{
    struct sample_entry cpu;
    ck_assert_int_eq(entry_decode_same(payload, bytes, &cpu), 0);
    add_event(read_back, &read_count, event_of(ENTRY_THREAD_CPU, &cpu));
}

static void read_entry(uint8_t kind, const uint8_t *payload, size_t bytes)
{
    uint64_t delta;
    uint32_t thread_index, count;
    switch (kind) {
    case ENTRY_QUIET_TICKS:
        ck_assert_int_eq(entry_decode_quiet_ticks(payload, bytes, &count, &delta), 0);
        decoding.last_ticks += delta;
        decoding.tick_ticks = decoding.last_ticks;
        tick_count += count;
        break;
    case ENTRY_TICK:
        ck_assert_int_eq(entry_decode_tick(payload, bytes, &delta), 0);
        decoding.last_ticks += delta;
        decoding.tick_ticks = decoding.last_ticks;
        tick_count++;
        break;
    case ENTRY_LATE:
        ck_assert_int_eq(entry_decode_late(payload, bytes, &thread_index), 0);
        add_event(read_back, &read_count,
                  (struct event){ .kind = ENTRY_LATE,
                                  .thread_index = thread_index,
                                  .tick_ticks = decoding.tick_ticks });
        break;
    case ENTRY_THREAD_CPU:
        read_thread_cpu(payload, bytes);
        break;
    default:
        read_sample(kind, payload, bytes);
    }
}

static size_t read_all(void)
{
    struct arena_reader *reader;
    read_count = same_count = tick_count = 0;
    ck_assert_int_eq(arena_reader_open(arena.fd, &reader), 0);
    size_t chunks = arena_reader_chunk_count(reader);
    for (size_t i = 0; i < chunks; i++) {
        struct block_cursor cursor;
        uint8_t kind;
        const uint8_t *payload;
        size_t bytes;
        int result;
        ck_assert_int_eq(arena_reader_copy_chunk(reader, i, &copy), 0);
        memset(&decoding, 0, sizeof(decoding));
        decoding.last_ticks = copy.start_ticks;
        block_cursor_init(&cursor, &copy);
        while ((result = block_cursor_next(&cursor, &kind, &payload, &bytes)) == 1)
            read_entry(kind, payload, bytes);
        ck_assert_int_eq(result, 0);
    }
    arena_reader_close(reader);
    return chunks;
}

static void assert_read_as_written(void)
{
    ck_assert_uint_eq(read_count, written_count);
    for (size_t i = 0; i < written_count; i++) {
        const struct event *a = &written[i], *b = &read_back[i];
        bool is_equal = a->kind == b->kind && a->thread_index == b->thread_index &&
                        a->tick_ticks == b->tick_ticks && a->ticks == b->ticks &&
                        a->cpu_us == b->cpu_us && a->depth == b->depth &&
                        a->frames_sum == b->frames_sum;
        ck_assert_msg(is_equal, "event %zu: kind %d and %d, thread %u and %u, depth %u and %u", i,
                      a->kind, b->kind, a->thread_index, b->thread_index, a->depth, b->depth);
    }
}

/* --- Writing --- */

struct test_stack {
    uint32_t depth;
    bool is_truncated;
    struct stack_frame frames[SAMPLE_MAX_FRAMES];
};
static struct test_stack stacks[INDICES];
static uint64_t now_ticks, tick_ticks;

static void encode_tick(void)
{
    now_ticks = tick_ticks = clock_ticks();
    ck_assert_int_eq(sample_encoder_tick(encoder, tick_ticks), 0);
}

static void write_sample(uint32_t thread_index, uint64_t cpu_us)
{
    const struct test_stack *stack = &stacks[thread_index];
    now_ticks += random_below(10000);
    ck_assert_int_eq(sample_encoder_sample(encoder, thread_index, now_ticks, cpu_us, stack->frames,
                                           stack->depth, stack->is_truncated),
                     0);
    struct event event = { (uint8_t)sample_kind(false, stack->is_truncated),
                           thread_index,
                           tick_ticks,
                           now_ticks,
                           cpu_us,
                           stack->depth,
                           sum_of(stack->frames, stack->depth) };
    add_event(written, &written_count, event);
}

static struct stack_frame random_frame(void)
{
    switch (random_below(8)) {
    case 0:
        return (struct stack_frame){ random_below(UINT64_C(1) << 32), true };
    case 1:
        return (struct stack_frame){ random_below(UINT64_C(1) << 62), false };
    case 2:
        return (struct stack_frame){ 0, false };
    default:
        return (struct stack_frame){ 0x555500000000u + random_below(1 << 20), false };
    }
}

/* Cuts some inner frames of the stack off and puts others there. */
static void change_stack(struct test_stack *stack, uint32_t most_depth)
{
    uint32_t kept = (uint32_t)random_below(stack->depth + 1u);
    stack->depth = kept + (uint32_t)random_below(most_depth - kept + 1u);
    for (uint32_t i = kept; i < stack->depth; i++)
        stack->frames[i] = random_frame();
}

static void make_stack(struct test_stack *stack, uint32_t depth)
{
    stack->depth = depth;
    stack->is_truncated = false;
    for (uint32_t i = 0; i < depth; i++)
        stack->frames[i] = random_frame();
}

/* What was written since the writer was at END_BEFORE. */
static size_t bytes_written_since(const uint8_t *end_before)
{
    return (size_t)(writer.next - end_before);
}

#endif
