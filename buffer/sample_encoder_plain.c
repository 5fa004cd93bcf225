#include "buffer/sample_encoder_inside.h"

#include <errno.h>

enum { UNREGISTERED_FRAMES = 4 }; /* what one takes, in the room of frames */

int sample_encoder_thread_cpu(struct sample_encoder *encoder, uint32_t thread_index, uint64_t ticks,
                              uint64_t cpu_us)
{
    struct chunk_writer *writer = encoder->writer;
    bool has_changed;
    int error = sample_encoder_reserve(encoder, 0, &has_changed);
    if (error != 0)
        return error;
    const uint64_t numbers[] = { thread_index, ticks - writer->last_ticks, cpu_us };
    writer->last_ticks = ticks;
    put_numbers(writer, ENTRY_THREAD_CPU, numbers, 3);
    return 0;
}

/* An entry without frames, of the tick under way. */
static int write_numbers(struct sample_encoder *encoder, enum entry_kind kind,
                         const uint64_t *numbers, unsigned count)
{
    if (!encoder->has_tick)
        return -EINVAL;
    bool has_changed;
    int error = sample_encoder_reserve(encoder, 0, &has_changed);
    if (error == 0)
        put_numbers(encoder->writer, kind, numbers, count);
    return error;
}

int sample_encoder_late(struct sample_encoder *encoder, uint32_t thread_index)
{
    const uint64_t numbers[] = { thread_index };
    return write_numbers(encoder, ENTRY_LATE, numbers, 1);
}

int sample_encoder_event_delay(struct sample_encoder *encoder, uint32_t thread_index,
                               uint64_t delay_us)
{
    const uint64_t numbers[] = { thread_index, delay_us };
    return write_numbers(encoder, ENTRY_EVENT_DELAY, numbers, 2);
}

int sample_encoder_unregistered(struct sample_encoder *encoder,
                                const struct unregistered_entry *entry, uint64_t ticks)
{
    if (!encoder->has_tick)
        return -EINVAL;
    bool has_changed;
    int error = sample_encoder_reserve(encoder, UNREGISTERED_FRAMES, &has_changed);
    if (error != 0)
        return error;
    size_t name_bytes =
        entry->name.length < UNREGISTERED_NAME_BYTES ? entry->name.length : UNREGISTERED_NAME_BYTES;
    uint8_t *start = encoder->writer->next, *out = start + SIZE_BYTES;
    *out++ = ENTRY_UNREGISTERED_THREAD;
    out = leb128_write(out, entry->state);
    out = leb128_write(out, entry->tid);
    out = leb128_write(out, ticks - encoder->tick_ticks);
    out = leb128_write(out, entry->period_ticks);
    out = leb128_write(out, entry->cpu_us);
    memcpy(out, entry->name.bytes, name_bytes);
    chunk_writer_publish(encoder->writer, close_block(start, out + name_bytes));
    return 0;
}

int sample_encoder_make_room(struct sample_encoder *encoder, size_t entry_bytes)
{
    bool has_changed;
    if (!encoder->has_tick)
        return -EINVAL;
    return sample_encoder_reserve_bytes(encoder, NUMBERS_MAX_BYTES + entry_bytes, &has_changed);
}

int sample_encoder_put(struct sample_encoder *encoder, const uint8_t *entry, size_t entry_bytes)
{
    int error = sample_encoder_make_room(encoder, entry_bytes);
    if (error == 0)
        error = chunk_writer_put(encoder->writer, entry, entry_bytes);
    return error;
}
