#include <check.h>
#include <errno.h>
#include <stdlib.h>

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

static int try_timed_sample(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    const struct test_stack *stack = &stacks[thread_index];
    int error = sample_encoder_timed_sample(encoder, thread_index, ticks, cpu_us, stack->frames,
                                            stack->depth, stack->is_truncated);
    struct event event = { .kind = (uint8_t)sample_kind(true, stack->is_truncated),
                           .thread_index = thread_index,
                           .ticks = ticks,
                           .cpu_us = cpu_us,
                           .depth = stack->depth,
                           .frames_sum = sum_of(stack->frames, stack->depth) };
    if (error == 0)
        add_event(written, &written_count, event);
    return error;
}

static void write_timed_sample(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    ck_assert_int_eq(try_timed_sample(thread_index, ticks, cpu_us), 0);
}

static void write_thread_cpu(uint32_t thread_index, uint64_t ticks, uint64_t cpu_us)
{
    struct event event = {
        .kind = ENTRY_THREAD_CPU, .thread_index = thread_index, .ticks = ticks, .cpu_us = cpu_us
    };
    ck_assert_int_eq(sample_encoder_thread_cpu(encoder, thread_index, ticks, cpu_us), 0);
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

START_TEST(random_stacks_of_many_threads_survive)
{
    static const uint32_t depths[] = { 3, 40, 300, SAMPLE_MAX_FRAMES };
    written_count = 0;
    seed += (uint64_t)_i;
    memset(stacks, 0, sizeof(stacks));
    while (writer.chunk == NULL || writer.chunk->range_start < 8 * CHUNK_BUFFER_BYTES) {
        if (written_count + THREADS > MAX_EVENTS)
            break;
        encode_tick();
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            struct test_stack *stack = &stacks[thread];
            uint64_t choice = random_below(10);
            if (choice == 0)
                continue;
            if (choice == 1) {
                ck_assert_int_eq(sample_encoder_late(encoder, thread), 0);
                add_event(written, &written_count,
                          (struct event){ .kind = ENTRY_LATE,
                                          .thread_index = thread,
                                          .tick_ticks = tick_ticks });
                continue;
            }
            if (choice == 2)
                sample_encoder_forget(encoder, thread);
            if (choice == 3)
                stack->is_truncated = !stack->is_truncated;
            if (choice > 4)
                change_stack(stack, depths[_i]);
            write_sample(thread, random_below(3) == 0 ? 0 : random_below(100000));
        }
    }
    chunk_writer_finish(&writer);
    ck_assert_uint_ge(read_all(), 2);
    ck_assert_uint_gt(same_count, 0);
    assert_read_as_written();
    ck_assert_uint_eq(arena.header->drops[DROP_BLOCK_TOO_LARGE], 0);
}
END_TEST

START_TEST(a_stack_that_did_not_change_costs_a_few_bytes)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1000);
    const uint8_t *end = writer.next;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 8);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(quiet_ticks_cost_a_byte_each_and_none_is_lost_between_chunks)
{
    enum { ENTRIES = 20000, TICKS_OF_EACH = 7, TICKS_APART = 3000000 };
    uint64_t last = clock_ticks();
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, 1, last), -EINVAL);
    ck_assert_int_eq(sample_encoder_tick(encoder, last), 0);
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, 0, last), -EINVAL);
    ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, QUIET_TICKS_MOST + 1, last), -EINVAL);
    const uint8_t *end = writer.next;
    for (int i = 0; i < ENTRIES; i++) {
        last += TICKS_OF_EACH * TICKS_APART;
        ck_assert_int_eq(sample_encoder_quiet_ticks(encoder, TICKS_OF_EACH, last), 0);
        if (i == 0)
            ck_assert_uint_le(bytes_written_since(end), TICKS_OF_EACH);
    }
    chunk_writer_finish(&writer);
    size_t chunks = read_all();
    /* Each chunk begins with the tick that the one before ended with. */
    ck_assert_uint_gt(chunks, 2);
    ck_assert_uint_eq(tick_count, ENTRIES * TICKS_OF_EACH + chunks);
    ck_assert_uint_eq(decoding.tick_ticks, last);
}
END_TEST

START_TEST(only_what_is_new_of_a_stack_is_written)
{
    make_stack(&stacks[0], 1000);
    written_count = 0;
    encode_tick();
    write_sample(0, 1000);
    const uint8_t *end = writer.next;
    stacks[0].frames[999].value ^= 16;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 24);
    end = writer.next;
    stacks[0].depth = 998;
    write_sample(0, 1000);
    ck_assert_uint_le(bytes_written_since(end), 14);
    read_all();
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(truncation_alone_is_a_change)
{
    make_stack(&stacks[0], 5);
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    stacks[0].is_truncated = true;
    write_sample(0, 0);
    write_sample(0, 0);
    stacks[0].is_truncated = false;
    write_sample(0, 0);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(an_empty_stack_is_a_stack)
{
    stacks[0] = (struct test_stack){ .depth = 0 };
    written_count = 0;
    encode_tick();
    write_sample(0, 5);
    write_sample(0, 6);
    ck_assert(!sample_encoder_needs_stack(encoder, 0));
    chunk_writer_finish(&writer);
    ck_assert(sample_encoder_needs_stack(encoder, 0));
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_new_chunk_in_the_middle_of_a_tick_starts_with_that_tick)
{
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    chunk_writer_finish(&writer);
    write_sample(1, 2);
    write_sample(0, 3);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(tick_count, 2);
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_chunk_that_another_took_for_the_writer_gets_the_tick_too)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    ck_assert_int_eq(chunk_writer_refill(&writer, 1), 0);
    write_sample(0, 2);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(tick_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(the_same_chunk_recycled_is_a_new_one)
{
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 1);
    struct chunk *chunk = writer.chunk;
    chunk_writer_finish(&writer);
    written_count = 0;
    write_sample(0, 2);
    ck_assert_ptr_eq(writer.chunk, chunk);
    read_all();
    ck_assert_uint_eq(tick_count, 1);
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_sleeping_thread_is_repeated_in_a_new_chunk)
{
    make_stack(&stacks[3], 40);
    stacks[3].is_truncated = true;
    written_count = 0;
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    encode_tick();
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    write_sample(3, 1);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    ck_assert_int_eq(sample_encoder_repeat(encoder, 3, now_ticks), 0);
    chunk_writer_finish(&writer);
    encode_tick();
    ck_assert(sample_encoder_needs_stack(encoder, 3));
    ck_assert(!sample_encoder_needs_stack(encoder, 4));
    ck_assert_int_eq(sample_encoder_repeat(encoder, 3, tick_ticks + 7), 0);
    struct event repeated = written[0];
    repeated.tick_ticks = tick_ticks;
    repeated.ticks = tick_ticks + 7;
    repeated.cpu_us = 0;
    add_event(written, &written_count, repeated);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    write_sample(3, 2);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_forgotten_thread_starts_anew)
{
    make_stack(&stacks[3], 40);
    written_count = 0;
    encode_tick();
    write_sample(3, 1);
    sample_encoder_forget(encoder, 3);
    write_sample(3, 1);
    sample_encoder_forget(encoder, 3);
    chunk_writer_finish(&writer);
    ck_assert(!sample_encoder_needs_stack(encoder, 3));
    sample_encoder_forget(encoder, UINT32_MAX);
    read_all();
    ck_assert_uint_eq(same_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(more_threads_than_are_remembered_are_written_whole)
{
    make_stack(&stacks[0], 20);
    stacks[THREADS] = stacks[0];
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    write_sample(THREADS, 0);
    ck_assert(!sample_encoder_needs_stack(encoder, 0));
    sample_encoder_forget(encoder, 0);
    write_sample(THREADS, 1);
    write_sample(0, 1);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    struct stack_frame address = { UINT64_C(1) << 62, false };
    struct stack_frame label = { UINT64_C(1) << 32, true };
    make_stack(&stacks[0], 1);
    const struct stack_frame *frames = stacks[0].frames;
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, frames, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -EINVAL);
    ck_assert_int_eq(sample_encoder_event_delay(encoder, 0, 1), -EINVAL);
    ck_assert_int_eq(sample_encoder_repeat(encoder, 0, 1), -EINVAL);
    encode_tick();
    const uint8_t *end = writer.next;
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, frames, SAMPLE_MAX_FRAMES + 1, false),
                     -EINVAL);
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, &address, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_sample(encoder, 0, 1, 0, &label, 1, false), -EINVAL);
    ck_assert_uint_eq(bytes_written_since(end), 0);
}
END_TEST

START_TEST(after_the_memory_limit_samples_go_on_with_their_tick)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    chunk_manager_set_limit(manager, 0);
    tick_ticks = now_ticks = clock_ticks();
    ck_assert_int_eq(sample_encoder_tick(encoder, tick_ticks), -ENOBUFS);
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -ENOBUFS);
    ck_assert_uint_eq(arena.header->drops[DROP_MEMORY_LIMIT], 2);
    chunk_manager_set_limit(manager, CHUNK_BYTES);
    write_sample(0, 1);
    read_all();
    ck_assert_uint_eq(tick_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(times_before_the_chunk_or_the_tick_are_exact)
{
    make_stack(&stacks[0], 2);
    written_count = 0;
    tick_ticks = clock_ticks() - 1000000;
    ck_assert_int_eq(sample_encoder_tick(encoder, tick_ticks), 0);
    now_ticks = tick_ticks - 50000;
    write_sample(0, 1);
    read_all();
    assert_read_as_written();
}
END_TEST

/* --- What threads write of themselves --- */

START_TEST(a_timed_sample_needs_no_tick)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 4000);
    write_thread_cpu(0, now + 5, 30);
    read_all();
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
    /* What is of a tick does. */
    ck_assert_int_eq(sample_encoder_late(encoder, 0), -EINVAL);
    ck_assert_int_eq(sample_encoder_repeat(encoder, 0, now), -EINVAL);
}
END_TEST

START_TEST(timed_samples_of_many_threads_survive)
{
    static const uint32_t depths[] = { 3, 40, 300, SAMPLE_MAX_FRAMES };
    uint64_t now = clock_ticks();
    written_count = 0;
    seed += (uint64_t)_i;
    memset(stacks, 0, sizeof(stacks));
    while (writer.chunk == NULL || writer.chunk->range_start < 8 * CHUNK_BUFFER_BYTES) {
        if (written_count == MAX_EVENTS)
            break;
        uint32_t thread = (uint32_t)random_below(INDICES);
        struct test_stack *stack = &stacks[thread];
        uint64_t choice = random_below(12), cpu_us = random_below(3) == 0 ? 0 : random_below(5000);
        now += random_below(100000);
        if (choice == 0)
            sample_encoder_forget(encoder, thread);
        if (choice == 1)
            stack->is_truncated = !stack->is_truncated;
        if (choice > 4)
            change_stack(stack, depths[_i]);
        /* A thread may be interrupted between its look at the clock and its entry. */
        if (choice == 2)
            write_thread_cpu(thread, now - random_below(1000000), cpu_us);
        else
            write_timed_sample(thread, choice == 3 ? now - random_below(1000000) : now, cpu_us);
    }
    chunk_writer_finish(&writer);
    ck_assert_uint_ge(read_all(), 2);
    ck_assert_uint_gt(same_count, 0);
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_timed_sample_with_the_stack_of_before_costs_a_few_bytes)
{
    enum { A_FEW_MS_IN_TICKS = 12000000 };
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 4000);
    write_timed_sample(1, now += A_FEW_MS_IN_TICKS, 4000);
    const uint8_t *end = writer.next;
    write_timed_sample(0, now += A_FEW_MS_IN_TICKS, 4000);
    write_timed_sample(1, now += A_FEW_MS_IN_TICKS, 4000);
    ck_assert_uint_le(bytes_written_since(end), 2 * 9);
    end = writer.next;
    stacks[0].frames[39].value ^= 16;
    write_timed_sample(0, now + A_FEW_MS_IN_TICKS, 4000);
    ck_assert_uint_le(bytes_written_since(end), 21);
    read_all();
    ck_assert_uint_eq(same_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(cpu_use_without_a_sample_changes_no_stack)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_thread_cpu(0, now, 7);
    write_timed_sample(0, now + 1, 4000);
    write_thread_cpu(0, now + 2, UINT64_MAX);
    write_thread_cpu(THREADS, now + 3, 0); /* whose place is that of the other */
    write_timed_sample(0, now + 4, 4000);
    read_all();
    ck_assert_uint_eq(same_count, 1);
    assert_read_as_written();
}
END_TEST

START_TEST(a_new_chunk_has_the_stack_of_a_timed_sample_whole)
{
    make_stack(&stacks[0], 40);
    make_stack(&stacks[1], 40);
    written_count = 0;
    uint64_t now = clock_ticks();
    write_timed_sample(0, now, 1);
    write_timed_sample(1, now + 1, 1);
    chunk_writer_finish(&writer);
    write_timed_sample(1, now + 2, 2);
    write_timed_sample(0, now + 3, 3);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_eq(same_count, 0);
    ck_assert_uint_eq(tick_count, 0);
    assert_read_as_written();
}
END_TEST

START_TEST(a_timed_sample_and_one_of_a_tick_share_their_stack)
{
    make_stack(&stacks[0], 40);
    written_count = 0;
    encode_tick();
    write_sample(0, 0);
    write_timed_sample(0, now_ticks + 1000, 4000);
    now_ticks += 2000;
    write_sample(0, 0);
    encode_tick();
    write_sample(0, 0);
    read_all();
    ck_assert_uint_eq(same_count, 3);
    assert_read_as_written();
}
END_TEST

START_TEST(a_time_before_the_latest_is_exact_and_costs_ten_bytes)
{
    make_stack(&stacks[0], 2);
    written_count = 0;
    uint64_t now = clock_ticks() - 1000000; /* before the chunk's start, too */
    write_timed_sample(0, now, 1);
    const uint8_t *end = writer.next;
    write_timed_sample(0, now - 1, 1);
    /* Size, kind, thread and CPU use take a byte each. */
    ck_assert_uint_eq(bytes_written_since(end), 4 + LEB128_MAX_BYTES);
    write_thread_cpu(0, now - 50000, 1);
    write_timed_sample(0, now, 1);
    read_all();
    ck_assert_uint_eq(same_count, 2);
    assert_read_as_written();
}
END_TEST

START_TEST(timed_samples_that_make_no_sense_are_refused)
{
    struct stack_frame address = { UINT64_C(1) << 62, false };
    struct stack_frame label = { UINT64_C(1) << 32, true };
    make_stack(&stacks[0], 1);
    const struct stack_frame *frames = stacks[0].frames;
    ck_assert_int_eq(
        sample_encoder_timed_sample(encoder, 0, 1, 0, frames, SAMPLE_MAX_FRAMES + 1, false),
        -EINVAL);
    ck_assert_int_eq(sample_encoder_timed_sample(encoder, 0, 1, 0, &address, 1, false), -EINVAL);
    ck_assert_int_eq(sample_encoder_timed_sample(encoder, 0, 1, 0, &label, 1, false), -EINVAL);
    ck_assert_ptr_null(writer.chunk);
}
END_TEST

static int error_when_held;

/* As a handler would that interrupts whoever tells this: the manager is held. */
static void sample_while_held(const struct chunk_update *update, void *context)
{
    (void)update;
    error_when_held = try_timed_sample(1, *(const uint64_t *)context, 4000);
}

START_TEST(a_sample_that_finds_no_chunk_in_time_changes_nothing)
{
    uint64_t now = clock_ticks();
    written_count = 0;
    chunk_writer_init_in_handler(&writer, manager, CHUNK_WRITER_SAMPLER);
    make_stack(&stacks[0], 20);
    make_stack(&stacks[1], SAMPLE_MAX_FRAMES);
    write_timed_sample(1, now, 4000);
    while (chunk_writer_has_room(&writer, SAMPLE_MAX_FRAMES * LEB128_MAX_BYTES)) {
        stacks[0].frames[19] = random_frame();
        write_timed_sample(0, ++now, 4000);
    }
    struct chunk *nearly_full = writer.chunk;
    make_stack(&stacks[1], SAMPLE_MAX_FRAMES);
    chunk_manager_set_update_callback(manager, sample_while_held, &now);
    chunk_manager_set_update_callback(manager, NULL, NULL);
    ck_assert_int_eq(error_when_held, -EAGAIN);
    ck_assert_ptr_eq(writer.chunk, nearly_full);
    /* What fits is written, relative to what was before; then what did not fit. */
    write_timed_sample(0, ++now, 4000);
    ck_assert_ptr_eq(writer.chunk, nearly_full);
    write_timed_sample(1, ++now, 8000);
    ck_assert_ptr_ne(writer.chunk, nearly_full);
    ck_assert_uint_eq(read_all(), 2);
    ck_assert_uint_ge(same_count, 1);
    assert_read_as_written();
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++)
        ck_assert_uint_eq(arena.header->drops[cause], 0);
}
END_TEST

int main(void)
{
    clock_initialize();
    Suite *suite = suite_create("buffer.sample_encoder");
    TCase *tests = tcase_create("encoder");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, random_stacks_of_many_threads_survive, 0, 4);
    tcase_add_test(tests, a_stack_that_did_not_change_costs_a_few_bytes);
    tcase_add_test(tests, quiet_ticks_cost_a_byte_each_and_none_is_lost_between_chunks);
    tcase_add_test(tests, only_what_is_new_of_a_stack_is_written);
    tcase_add_test(tests, truncation_alone_is_a_change);
    tcase_add_test(tests, an_empty_stack_is_a_stack);
    tcase_add_test(tests, a_new_chunk_in_the_middle_of_a_tick_starts_with_that_tick);
    tcase_add_test(tests, a_chunk_that_another_took_for_the_writer_gets_the_tick_too);
    tcase_add_test(tests, the_same_chunk_recycled_is_a_new_one);
    tcase_add_test(tests, a_sleeping_thread_is_repeated_in_a_new_chunk);
    tcase_add_test(tests, a_forgotten_thread_starts_anew);
    tcase_add_test(tests, what_makes_no_sense_is_refused);
    tcase_add_test(tests, more_threads_than_are_remembered_are_written_whole);
    tcase_add_test(tests, after_the_memory_limit_samples_go_on_with_their_tick);
    tcase_add_test(tests, times_before_the_chunk_or_the_tick_are_exact);
    suite_add_tcase(suite, tests);

    TCase *timed = tcase_create("timed");
    tcase_add_checked_fixture(timed, set_up, tear_down);
    tcase_add_test(timed, a_timed_sample_needs_no_tick);
    tcase_add_loop_test(timed, timed_samples_of_many_threads_survive, 0, 4);
    tcase_add_test(timed, a_timed_sample_with_the_stack_of_before_costs_a_few_bytes);
    tcase_add_test(timed, cpu_use_without_a_sample_changes_no_stack);
    tcase_add_test(timed, a_new_chunk_has_the_stack_of_a_timed_sample_whole);
    tcase_add_test(timed, a_timed_sample_and_one_of_a_tick_share_their_stack);
    tcase_add_test(timed, a_time_before_the_latest_is_exact_and_costs_ten_bytes);
    tcase_add_test(timed, timed_samples_that_make_no_sense_are_refused);
    tcase_add_test(timed, a_sample_that_finds_no_chunk_in_time_changes_nothing);
    suite_add_tcase(suite, timed);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
