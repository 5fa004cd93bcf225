/* Markers: the fast path from the macros of profd.h to a block in the thread's chunk. */
#include <string.h>

#include "child-agent/core.h"
#include "child-agent/markers/marker_triggers.h"
#include "child-agent/markers/site.h"
#include "child-agent/recording.h"
#include "profd.h"

enum {
    /* kind, time, duration, site */
    MARKER_HEAD_BYTES = 1 + 2 * LEB128_MAX_BYTES + 5,
    MARKER_MAX_TEXT_BYTES = 16 * 1024,
};

/* Ticks since the previous time in the chunk; the clocks of two cores may differ by a hair. */
static inline uint64_t ticks_since_last(struct chunk_writer *writer, uint64_t now)
{
    uint64_t delta = now > writer->last_ticks ? now - writer->last_ticks : 0;
    writer->last_ticks += delta;
    return delta;
}

static inline bool ensure_room(struct chunk_writer *writer, size_t entry_bytes)
{
    return __builtin_expect(chunk_writer_has_room(writer, entry_bytes), 1) ||
           chunk_writer_refill(writer, entry_bytes) == 0;
}

/* A marker without text, straight into the chunk: its size is one byte, known when the rest is
 * written. */
static inline void record_marker(enum entry_kind kind, struct profd_site *site)
{
    struct thread_registration *self = recording_begin();
    if (__builtin_expect(self == NULL, 0))
        return;
    struct chunk_writer *writer = &self->writer;
    uint32_t index = site_index(site);
    if (__builtin_expect(index != 0, 1) && ensure_room(writer, MARKER_HEAD_BYTES)) {
        uint8_t *block = writer->next;
        uint8_t *out = block + 1;
        *out++ = (uint8_t)kind;
        out = leb128_write(out, ticks_since_last(writer, clock_ticks()));
        out = leb128_write(out, index);
        *block = (uint8_t)(out - block - 1);
        chunk_writer_publish(writer, out);
    }
    recording_end(self);
}

/* A start in the future, on whatever clock it was read, makes no duration: counted. */
static uint64_t ticks_between(uint64_t start, uint64_t now)
{
    if (__builtin_expect(start <= now, 1))
        return now - start;
    arena_count_drop(&core.arena, DROP_MARKER_TURNED, 1);
    return 0;
}

/* Any marker: with a duration for intervals, with text or without. */
static void record_full(enum entry_kind kind, struct profd_site *site, uint64_t start_ticks,
                        const char *text)
{
    size_t text_bytes = text != NULL ? strnlen(text, MARKER_MAX_TEXT_BYTES) : 0;
    struct thread_registration *self = recording_begin();
    if (self == NULL)
        return;
    struct chunk_writer *writer = &self->writer;
    uint32_t index = site_index(site);
    if (index != 0 && ensure_room(writer, MARKER_HEAD_BYTES + text_bytes)) {
        uint8_t head[MARKER_HEAD_BYTES];
        uint8_t *end = head;
        *end++ = (uint8_t)(text != NULL ? kind + ENTRY_TEXT_OFFSET : kind);
        uint64_t now = clock_ticks(), ticks = ticks_between(start_ticks, now);
        end = leb128_write(end, ticks_since_last(writer, now));
        if (kind == ENTRY_MARKER_INTERVAL)
            end = leb128_write(end, ticks);
        end = leb128_write(end, index);
        size_t head_bytes = (size_t)(end - head);
        uint8_t *out = leb128_write(writer->next, head_bytes + text_bytes);
        memcpy(out, head, head_bytes);
        if (text_bytes > 0)
            memcpy(out + head_bytes, text, text_bytes);
        chunk_writer_publish(writer, out + head_bytes + text_bytes);
        if (kind == ENTRY_MARKER_INTERVAL &&
            ticks >= atomic_load_explicit(&marker_triggers_least_ticks, memory_order_relaxed))
            marker_triggers_note(site, ticks);
    }
    recording_end(self);
}

uint64_t profd_now(void)
{
    return clock_ticks();
}

void profd_marker(struct profd_site *site)
{
    record_marker(ENTRY_MARKER, site);
}

void profd_marker_text(struct profd_site *site, const char *text)
{
    record_full(ENTRY_MARKER, site, 0, text);
}

void profd_marker_interval(struct profd_site *site, uint64_t start, const char *text)
{
    if (start != 0)
        record_full(ENTRY_MARKER_INTERVAL, site, start, text);
}

void profd_marker_start(struct profd_site *site, const char *text)
{
    if (text == NULL)
        record_marker(ENTRY_MARKER_START, site);
    else
        record_full(ENTRY_MARKER_START, site, 0, text);
}

void profd_marker_end(struct profd_site *site, const char *text)
{
    if (text == NULL)
        record_marker(ENTRY_MARKER_END, site);
    else
        record_full(ENTRY_MARKER_END, site, 0, text);
}
