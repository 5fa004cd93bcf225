/* Markers with payloads and options: the way from the macros of profd_marker_types.h into the
 * thread's chunk. What is between open and close is inlined into the program: it only copies. */
#include <stdatomic.h>
#include <string.h>

#include "buffer/arena_reader.h"
#include "child-agent/core.h"
#include "child-agent/markers/marker_stack.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/markers/site.h"
#include "child-agent/recording.h"

enum {
    ONE_BYTE_SIZE_MAX = 127,
    LONG_SIZE_BYTES = 3, /* of a block with more, filled up with bits that count for nothing */
    /* kind, time, duration, site */
    PLAIN_HEAD_BYTES = 1 + 2 * LEB128_MAX_BYTES + 5,
    /* kind, time, phase, end, duration, site, thread, number of frames, time of the stack */
    FULL_HEAD_BYTES = 1 + 9 * LEB128_MAX_BYTES,
};

_Static_assert(CHUNK_BUFFER_BYTES < 1 << 21, "the size of any block fits three bytes");
_Static_assert((int)PROFD_STACK_FRAMES <= (int)MARKER_MAX_FRAMES, "a reader takes every stack");

/* Ticks since the previous time in the chunk; the clocks of two cores may differ by a hair. */
static inline uint64_t ticks_since_last(struct chunk_writer *writer, uint64_t now)
{
    uint64_t delta = now > writer->last_ticks ? now - writer->last_ticks : 0;
    writer->last_ticks += delta;
    return delta;
}

/* Begins an entry of at most ENTRY_BYTES: where its kind goes, or NULL when there is no room. The
 * first byte of the block remembers how wide its size will be. */
static inline uint8_t *begin_entry(struct chunk_writer *writer, size_t entry_bytes)
{
    if (__builtin_expect(!chunk_writer_has_room(writer, entry_bytes), 0) &&
        chunk_writer_refill(writer, entry_bytes) < 0)
        return NULL;
    bool is_long = entry_bytes > ONE_BYTE_SIZE_MAX;
    *writer->next = is_long;
    return writer->next + (is_long ? LONG_SIZE_BYTES : 1);
}

static void write_long_size(uint8_t *block, size_t bytes)
{
    block[0] = (uint8_t)(bytes | 0x80);
    block[1] = (uint8_t)(bytes >> 7 | 0x80);
    block[2] = (uint8_t)(bytes >> 14);
}

void profd_marker_close_(unsigned char *end)
{
    struct thread_registration *self = thread_current;
    uint8_t *block = self->writer.next;
    if (__builtin_expect(*block == 0, 1))
        *block = (uint8_t)(end - block - 1);
    else
        write_long_size(block, (size_t)(end - block - LONG_SIZE_BYTES));
    chunk_writer_publish(&self->writer, end);
    recording_end(self);
}

static inline void note_long_interval(const struct profd_site *site, uint64_t ticks)
{
    if (__builtin_expect(
            ticks >= atomic_load_explicit(&marker_triggers_least_ticks, memory_order_relaxed), 0))
        marker_triggers_note(site, ticks);
}

static uint64_t count_turned(void)
{
    arena_count_drop(&core.arena, DROP_MARKER_TURNED, 1);
    return 0;
}

static inline uint64_t ticks_between(uint64_t start, uint64_t end)
{
    return __builtin_expect(end >= start, 1) ? end - start : count_turned();
}

unsigned char *profd_marker_open_plain_(struct profd_site *site, uint32_t phase, uint64_t start,
                                        size_t payload_bytes)
{
    static const uint8_t kinds[] = { ENTRY_TYPED_MARKER, ENTRY_TYPED_MARKER_INTERVAL,
                                     ENTRY_TYPED_MARKER_START, ENTRY_TYPED_MARKER_END };
    if (phase == PHASE_INTERVAL && start == 0)
        return NULL;
    struct thread_registration *self = recording_begin();
    if (__builtin_expect(self == NULL, 0))
        return NULL;
    uint32_t index = site_index(site);
    uint8_t *out = index != 0 ? begin_entry(&self->writer, PLAIN_HEAD_BYTES + payload_bytes) : NULL;
    if (__builtin_expect(out == NULL, 0)) {
        recording_end(self);
        return NULL;
    }
    uint64_t now = clock_ticks();
    *out++ = kinds[phase];
    out = leb128_write(out, ticks_since_last(&self->writer, now));
    if (phase == PHASE_INTERVAL) {
        uint64_t ticks = ticks_between(start, now);
        out = leb128_write(out, ticks);
        note_long_interval(site, ticks);
    }
    return leb128_write(out, index);
}

static uint8_t *write_stack(uint8_t *out, const struct profd_stack *stack, uint64_t now)
{
    uint64_t address = 0;
    out = leb128_write(out, stack->depth);
    if (stack->depth == 0)
        return out;
    out = leb128_write(out, zigzag_encode((int64_t)(now - stack->ticks)));
    for (uint32_t i = 0; i < stack->depth; i++) {
        uint64_t code = stack->frames[i];
        if ((code & 1) == 0) {
            uint64_t previous = address;
            address = code >> 1;
            code = zigzag_encode((int64_t)(address - previous)) << 1;
        }
        out = leb128_write(out, code);
    }
    return out;
}

static uint8_t *write_full_head(uint8_t *out, struct chunk_writer *writer, uint32_t site_index,
                                const struct profd_marker_options *options,
                                const struct profd_stack *stack, uint64_t ticks)
{
    uint64_t now = clock_ticks();
    uint64_t end = options->end != 0 ? options->end : now;
    if (options->phase == PHASE_INTERVAL && options->end == 0)
        ticks = ticks_between(options->start, now);
    bool has_owner = options->thread.image == core_epoch;
    *out++ = ENTRY_FULL_MARKER;
    out = leb128_write(out, ticks_since_last(writer, now));
    out = leb128_write(out, options->phase);
    out = leb128_write(out, zigzag_encode((int64_t)(now - end)));
    out = leb128_write(out, ticks);
    out = leb128_write(out, site_index);
    out = leb128_write(out, has_owner ? (uint64_t)options->thread.index + 1 : 0);
    return write_stack(out, stack, now);
}

unsigned char *profd_marker_open_full_(struct profd_site *site,
                                       const struct profd_marker_options *options,
                                       size_t payload_bytes)
{
    static const struct profd_stack none = { 0, 0, 0, { 0 } };
    struct profd_stack own;
    const struct profd_stack *stack = options->stack;
    bool is_interval = options->phase == PHASE_INTERVAL;
    if (is_interval && options->start == 0)
        return NULL;
    if (stack != NULL && marker_stack_is_now(stack)) {
        marker_stack_capture(&own, MARKER_STACK_HERE);
        stack = &own;
    }
    /* Labels have other numbers in another image, and what was never captured may be anything. */
    if (stack == NULL || stack->image != core_epoch || stack->depth > PROFD_STACK_FRAMES)
        stack = &none;
    struct thread_registration *self = recording_begin();
    if (self == NULL)
        return NULL;
    uint32_t index = site_index(site);
    size_t entry_bytes = FULL_HEAD_BYTES + (size_t)stack->depth * LEB128_MAX_BYTES + payload_bytes;
    uint8_t *out = index != 0 ? begin_entry(&self->writer, entry_bytes) : NULL;
    if (out == NULL) {
        recording_end(self);
        return NULL;
    }
    uint64_t ticks =
        is_interval && options->end != 0 ? ticks_between(options->start, options->end) : 0;
    if (is_interval)
        note_long_interval(site, ticks);
    return write_full_head(out, &self->writer, index, options, stack, ticks);
}

void profd_marker_with(struct profd_site *site, struct profd_marker_options options,
                       const char *text)
{
    size_t length = text != NULL ? strnlen(text, PROFD_TEXT_BYTES_) : 0;
    unsigned char *out = profd_marker_open_full_(site, &options, length);
    if (out == NULL)
        return;
    if (length > 0)
        memcpy(out, text, length);
    profd_marker_close_(out + length);
}

size_t profd_text_cut_(void)
{
    /* Outside of a recording; a session that ended meanwhile has nothing to count for. */
    struct thread_registration *self = recording_begin();
    if (self != NULL) {
        arena_count_drop(&core.arena, DROP_TEXT_CUT, 1);
        recording_end(self);
    }
    return PROFD_TEXT_BYTES_;
}

struct profd_thread profd_current_thread(void)
{
    struct profd_thread nobody = { 0, 0 };
    struct thread_registration *self = recording_begin();
    if (self == NULL)
        return nobody;
    struct profd_thread thread = { self->index, core_epoch };
    recording_end(self);
    return thread;
}
