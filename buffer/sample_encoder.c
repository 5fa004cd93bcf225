#include "buffer/sample_encoder_inside.h"

#include <errno.h>
#include <string.h>

#include "buffer/frame_codes.h"
#include "buffer/unforked_pages.h"

size_t sample_encoder_bytes(uint32_t capacity)
{
    return sizeof(struct sample_encoder) + (size_t)capacity * sizeof(struct written_stack);
}

int sample_encoder_create(struct chunk_writer *writer, uint32_t capacity,
                          struct sample_encoder **out)
{
    size_t mapped_bytes = sample_encoder_bytes(capacity);
    struct sample_encoder *encoder = unforked_pages_allocate(mapped_bytes);
    if (encoder == NULL)
        return -ENOMEM;
    encoder->writer = writer;
    encoder->capacity = capacity;
    encoder->mapped_bytes = mapped_bytes;
    *out = encoder;
    return 0;
}

void sample_encoder_destroy(struct sample_encoder *encoder)
{
    if (encoder != NULL)
        unforked_pages_free(encoder, encoder->mapped_bytes);
}

static bool is_in_known_chunk(const struct sample_encoder *encoder)
{
    const struct chunk *chunk = encoder->writer->chunk;
    return chunk != NULL && chunk == encoder->chunk && chunk->range_start == encoder->range_start;
}

static void put_tick(struct sample_encoder *encoder)
{
    struct chunk_writer *writer = encoder->writer;
    uint64_t delta = encoder->tick_ticks - writer->last_ticks;
    put_numbers(writer, ENTRY_TICK, &delta, 1);
    writer->last_ticks = encoder->tick_ticks;
}

int sample_encoder_reserve_bytes(struct sample_encoder *encoder, size_t bytes, bool *has_changed)
{
    struct chunk_writer *writer = encoder->writer;
    *has_changed = false;
    if (!chunk_writer_has_room(writer, bytes)) {
        int error = chunk_writer_refill(writer, bytes);
        if (error != 0)
            return error;
    } else if (is_in_known_chunk(encoder)) {
        return 0;
    }
    encoder->chunk = writer->chunk;
    encoder->range_start = writer->chunk->range_start;
    encoder->epoch++;
    if (encoder->has_tick)
        put_tick(encoder);
    *has_changed = true;
    return 0;
}

int sample_encoder_tick(struct sample_encoder *encoder, uint64_t ticks)
{
    bool has_changed;
    encoder->tick_ticks = ticks;
    encoder->has_tick = true;
    int error = sample_encoder_reserve(encoder, 0, &has_changed);
    if (error == 0 && !has_changed)
        put_tick(encoder);
    return error;
}

int sample_encoder_quiet_ticks(struct sample_encoder *encoder, uint32_t count, uint64_t ticks)
{
    struct chunk_writer *writer = encoder->writer;
    bool has_changed;
    if (!encoder->has_tick || count == 0 || count > QUIET_TICKS_MOST)
        return -EINVAL;
    /* A new chunk begins with the latest tick, where these continue. */
    int error = sample_encoder_reserve(encoder, 0, &has_changed);
    if (error == 0) {
        const uint64_t numbers[] = { count, ticks - writer->last_ticks };
        put_numbers(writer, ENTRY_QUIET_TICKS, numbers, 2);
        writer->last_ticks = ticks;
    }
    encoder->tick_ticks = ticks;
    return error;
}

/* Where the thread's stack is remembered: an empty place, if it was another thread's. */
static struct written_stack *stack_of(struct sample_encoder *encoder, uint32_t thread_index)
{
    struct written_stack *written = &encoder->stacks[thread_index % encoder->capacity];
    if (written->thread_index != thread_index) {
        written->thread_index = thread_index;
        written->epoch = 0;
    }
    return written;
}

/* Whether the thread has a stack to remember. */
static bool has_stack(const struct sample_encoder *encoder, uint32_t thread_index)
{
    const struct written_stack *written = &encoder->stacks[thread_index % encoder->capacity];
    return written->thread_index == thread_index && written->epoch != 0;
}

/* A sample but for its stack. */
struct sample_head {
    bool is_timed; /* else of the tick under way */
    uint32_t thread_index;
    uint64_t ticks;
    uint64_t cpu_us;
};

/* The time of a sample as it is written; one of its own becomes the chunk's latest. */
static uint64_t take_time(struct sample_encoder *encoder, const struct sample_head *head)
{
    struct chunk_writer *writer = encoder->writer;
    if (!head->is_timed)
        return head->ticks - encoder->tick_ticks;
    uint64_t delta = head->ticks - writer->last_ticks;
    writer->last_ticks = head->ticks;
    return delta;
}

static enum entry_kind kind_of(const struct sample_head *head, bool is_truncated)
{
    if (head->is_timed)
        return is_truncated ? ENTRY_TIMED_SAMPLE_TRUNCATED : ENTRY_TIMED_SAMPLE;
    return is_truncated ? ENTRY_SAMPLE_TRUNCATED : ENTRY_SAMPLE;
}

static void put_sample(struct sample_encoder *encoder, const struct sample_head *head,
                       const struct written_stack *stack, uint32_t kept)
{
    struct chunk_writer *writer = encoder->writer;
    uint8_t *out = writer->next + SIZE_BYTES;
    *out++ = (uint8_t)kind_of(head, stack->is_truncated);
    out = leb128_write(out, head->thread_index);
    out = leb128_write(out, take_time(encoder, head));
    out = leb128_write(out, head->cpu_us);
    out = leb128_write(out, kept);
    out = leb128_write(out, stack->depth - kept);
    out = frame_codes_write(out, stack->codes, stack->depth, kept);
    chunk_writer_publish(writer, close_block(writer->next, out));
}

/* Remembers the pending stack as what the thread has in the current chunk; the first KEPT codes are
 * there already. */
static void remember_stack(struct sample_encoder *encoder, struct written_stack *written,
                           uint32_t kept)
{
    const struct written_stack *pending = &encoder->pending;
    memcpy(&written->codes[kept], &pending->codes[kept],
           (pending->depth - kept) * sizeof(pending->codes[0]));
    written->depth = pending->depth;
    written->is_truncated = pending->is_truncated;
    written->epoch = encoder->epoch;
}

static void put_same(struct sample_encoder *encoder, const struct sample_head *head)
{
    const uint64_t numbers[] = { head->thread_index, take_time(encoder, head), head->cpu_us };
    put_numbers(encoder->writer, head->is_timed ? ENTRY_TIMED_SAME : ENTRY_SAME, numbers, 3);
}

/* Writes the pending stack as the sample of HEAD. */
static int write_pending(struct sample_encoder *encoder, const struct sample_head *head)
{
    const struct written_stack *pending = &encoder->pending;
    struct written_stack *written = stack_of(encoder, head->thread_index);
    uint32_t shared = written->epoch != 0 ? frame_codes_shared(written->codes, written->depth,
                                                               pending->codes, pending->depth)
                                          : 0;
    bool is_in_chunk = written->epoch == encoder->epoch;
    bool has_changed;
    int error =
        sample_encoder_reserve(encoder, pending->depth - (is_in_chunk ? shared : 0), &has_changed);
    if (error == 0 && has_changed) {
        /* The new chunk has nothing of this thread: all frames must fit, not only the new ones. */
        is_in_chunk = false;
        error = sample_encoder_reserve(encoder, pending->depth, &has_changed);
    }
    if (error != 0)
        return error;

    if (is_in_chunk && shared == written->depth && shared == pending->depth &&
        written->is_truncated == pending->is_truncated) {
        put_same(encoder, head);
        return 0;
    }
    put_sample(encoder, head, pending, is_in_chunk ? shared : 0);
    remember_stack(encoder, written, shared);
    return 0;
}

static int write_sample(struct sample_encoder *encoder, const struct sample_head *head,
                        const struct stack_frame *frames, uint32_t depth, bool is_truncated)
{
    struct written_stack *pending = &encoder->pending;
    if (depth > SAMPLE_MAX_FRAMES || frame_codes_make(frames, depth, pending->codes) < 0)
        return -EINVAL;
    pending->depth = depth;
    pending->is_truncated = is_truncated;
    return write_pending(encoder, head);
}

int sample_encoder_sample(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                          uint64_t cpu_us, const struct stack_frame *frames, uint32_t depth,
                          bool is_truncated)
{
    const struct sample_head head = { .thread_index = thread_index,
                                      .ticks = ticks,
                                      .cpu_us = cpu_us };
    if (!encoder->has_tick)
        return -EINVAL;
    return write_sample(encoder, &head, frames, depth, is_truncated);
}

int sample_encoder_timed_sample(struct sample_encoder *encoder, uint32_t thread_index,
                                uint64_t ticks, uint64_t cpu_us, const struct stack_frame *frames,
                                uint32_t depth, bool is_truncated)
{
    const struct sample_head head = {
        .is_timed = true, .thread_index = thread_index, .ticks = ticks, .cpu_us = cpu_us
    };
    return write_sample(encoder, &head, frames, depth, is_truncated);
}

bool sample_encoder_needs_stack(const struct sample_encoder *encoder, uint32_t thread_index)
{
    if (!encoder->has_tick || !has_stack(encoder, thread_index))
        return false;
    return !is_in_known_chunk(encoder) ||
           encoder->stacks[thread_index % encoder->capacity].epoch != encoder->epoch;
}

int sample_encoder_repeat(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks)
{
    if (!encoder->has_tick)
        return -EINVAL;
    if (!sample_encoder_needs_stack(encoder, thread_index))
        return 0;
    const struct written_stack *written = stack_of(encoder, thread_index);
    struct written_stack *pending = &encoder->pending;
    memcpy(pending->codes, written->codes, written->depth * sizeof(written->codes[0]));
    pending->depth = written->depth;
    pending->is_truncated = written->is_truncated;
    const struct sample_head head = { .thread_index = thread_index, .ticks = ticks };
    return write_pending(encoder, &head);
}

void sample_encoder_forget(struct sample_encoder *encoder, uint32_t thread_index)
{
    if (has_stack(encoder, thread_index))
        encoder->stacks[thread_index % encoder->capacity].epoch = 0;
}

uint64_t sample_encoder_tick_ticks(const struct sample_encoder *encoder)
{
    return encoder->tick_ticks;
}

uint64_t sample_encoder_epoch(const struct sample_encoder *encoder)
{
    return encoder->epoch;
}
