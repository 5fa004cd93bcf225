#include "buffer/sampler_entry.h"

#include <errno.h>

/* The counters from *NEXT_INDEX on are told by their distances. */
static uint8_t *write_counter(uint8_t *out, uint32_t index, uint32_t *next_index, int64_t count,
                              uint64_t number)
{
    out = leb128_write(out, index - *next_index);
    out = leb128_write(out, zigzag_encode(count));
    *next_index = index + 1;
    return leb128_write(out, number);
}

static uint8_t *write_start(uint8_t *out, enum entry_kind kind, uint64_t ticks_after_tick)
{
    *out++ = (uint8_t)kind;
    return leb128_write(out, ticks_after_tick);
}

size_t counters_entry_write(uint8_t *out, uint64_t ticks_after_tick,
                            const struct counter_total *before, const struct counter_total *now,
                            uint32_t count)
{
    uint8_t *start = out;
    uint32_t next_index = 0;
    out = write_start(out, ENTRY_COUNTERS, ticks_after_tick);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t change = (uint64_t)now[i].count - (uint64_t)before[i].count;
        uint64_t number = now[i].number - before[i].number;
        if (change != 0 || number != 0)
            out = write_counter(out, i, &next_index, (int64_t)change, number);
    }
    return next_index == 0 ? 0 : (size_t)(out - start);
}

size_t counter_totals_entry_write(uint8_t *out, uint64_t ticks_after_tick,
                                  const struct counter_total *now, uint32_t count)
{
    uint8_t *start = out;
    uint32_t next_index = 0;
    out = write_start(out, ENTRY_COUNTER_TOTALS, ticks_after_tick);
    for (uint32_t i = 0; i < count; i++)
        out = write_counter(out, i, &next_index, now[i].count, now[i].number);
    return count == 0 ? 0 : (size_t)(out - start);
}

/* NULL in, NULL out, so that reads can follow one another. */
static const uint8_t *read_number(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
    return in == NULL ? NULL : leb128_read(in, end, value);
}

int entry_decode_counters(const uint8_t *payload, size_t bytes, uint64_t *ticks_after_tick,
                          struct counter_cursor *cursor)
{
    const uint8_t *end = payload + bytes;
    const uint8_t *in = leb128_read(payload, end, ticks_after_tick);
    *cursor = (struct counter_cursor){ .next = in, .end = end };
    return in == NULL ? -EPROTO : 0;
}

int counter_cursor_next(struct counter_cursor *cursor, struct counter_change *out)
{
    uint64_t distance = 0, count = 0, number = 0;
    if (cursor->next == cursor->end)
        return 0;
    const uint8_t *in = read_number(cursor->next, cursor->end, &distance);
    in = read_number(in, cursor->end, &count);
    in = read_number(in, cursor->end, &number);
    if (in == NULL || distance >= COUNTERS_MAX - cursor->next_index)
        return -EPROTO;
    cursor->next = in;
    out->index = cursor->next_index + (uint32_t)distance;
    out->by = (struct counter_total){ zigzag_decode(count), number };
    cursor->next_index = out->index + 1;
    return 1;
}

size_t overhead_entry_write(uint8_t *out, const struct sampler_overhead *overhead)
{
    uint8_t *start = out;
    *out++ = ENTRY_OVERHEAD;
    out = leb128_write(out, overhead->locking);
    out = leb128_write(out, overhead->cleaning);
    out = leb128_write(out, overhead->counters);
    out = leb128_write(out, overhead->threads);
    return (size_t)(out - start);
}

int entry_decode_overhead(const uint8_t *payload, size_t bytes, struct sampler_overhead *out)
{
    const uint8_t *end = payload + bytes;
    const uint8_t *in = read_number(payload, end, &out->locking);
    in = read_number(in, end, &out->cleaning);
    in = read_number(in, end, &out->counters);
    in = read_number(in, end, &out->threads);
    return in == end ? 0 : -EPROTO;
}
