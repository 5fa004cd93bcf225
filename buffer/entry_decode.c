#include <errno.h>
#include <string.h>

#include "buffer/arena_reader.h"
#include "buffer/leb128.h"

/* As leb128_read for numbers up to MOST; NULL in, NULL out, so that reads can follow one another.
 */
static const uint8_t *read_at_most(const uint8_t *in, const uint8_t *end, uint64_t most,
                                   uint64_t *value)
{
    if (in == NULL)
        return NULL;
    in = leb128_read(in, end, value);
    return in != NULL && *value <= most ? in : NULL;
}

static const uint8_t *read_u64(const uint8_t *in, const uint8_t *end, uint64_t *value)
{
    return read_at_most(in, end, UINT64_MAX, value);
}

static const uint8_t *read_u32(const uint8_t *in, const uint8_t *end, uint32_t *value)
{
    uint64_t wide = 0;
    in = read_at_most(in, end, UINT32_MAX, &wide);
    *value = (uint32_t)wide;
    return in;
}

/* What SAMPLE and SAME begin with. */
static const uint8_t *read_sample_start(const uint8_t *in, const uint8_t *end,
                                        struct sample_entry *out)
{
    memset(out, 0, sizeof *out);
    in = read_u32(in, end, &out->thread_index);
    in = read_u64(in, end, &out->ticks_after_tick);
    return read_u64(in, end, &out->cpu_us);
}

/* A stack up to END; what is wrong with it in itself is found when it is decoded. */
static int read_stack(const uint8_t *in, const uint8_t *end, struct sample_entry *out)
{
    in = read_u32(in, end, &out->kept);
    in = read_u32(in, end, &out->added);
    if (in == NULL || out->kept > SAMPLE_MAX_FRAMES || out->added > SAMPLE_MAX_FRAMES - out->kept)
        return -EPROTO;
    out->frames = in;
    out->frames_bytes = (size_t)(end - in);
    return 0;
}

int entry_decode_sample(const uint8_t *payload, size_t bytes, struct sample_entry *out)
{
    const uint8_t *end = payload + bytes;
    return read_stack(read_sample_start(payload, end, out), end, out);
}

int entry_decode_allocation(const uint8_t *payload, size_t bytes, struct allocation_entry *out)
{
    const uint8_t *end = payload + bytes;
    uint64_t ticks_after = 0, size = 0;
    memset(out, 0, sizeof *out);
    const uint8_t *in = read_u32(payload, end, &out->owner_index);
    in = read_u32(in, end, &out->actor_index);
    in = read_u64(in, end, &ticks_after);
    in = read_u64(in, end, &size);
    in = read_u64(in, end, &out->address);
    out->ticks_after = zigzag_decode(ticks_after);
    out->size = zigzag_decode(size);
    return read_stack(in, end, &out->stack);
}

/* The address of the innermost native frame of STATE, or 0. */
static uint64_t last_native_address(const struct stack_state *state)
{
    for (uint32_t i = state->depth; i > 0; i--)
        if (!state->frames[i - 1].is_label)
            return state->frames[i - 1].value;
    return 0;
}

/* Appends the frame that CODE stands for; *ADDRESS is the native one before it. */
static int append_frame(struct stack_state *state, uint64_t code, uint64_t *address)
{
    bool is_label = (code & 1) != 0;
    uint64_t value = code >> 1;
    if (is_label && value > UINT32_MAX)
        return -EPROTO;
    if (!is_label)
        value = *address += (uint64_t)zigzag_decode(value);
    state->frames[state->depth++] = (struct stack_frame){ value, is_label };
    return 0;
}

int sample_decode_stack(const struct sample_entry *sample, struct stack_state *state)
{
    if (sample->kept > state->depth || sample->added > SAMPLE_MAX_FRAMES - sample->kept)
        return -EPROTO;
    state->depth = sample->kept;
    uint64_t address = last_native_address(state);
    const uint8_t *in = sample->frames, *end = sample->frames + sample->frames_bytes;
    for (uint32_t i = 0; i < sample->added; i++) {
        uint64_t code;
        in = leb128_read(in, end, &code);
        if (in == NULL || append_frame(state, code, &address) != 0)
            return -EPROTO;
    }
    return in == end ? 0 : -EPROTO;
}

int entry_decode_marker(uint8_t kind, const uint8_t *payload, size_t bytes,
                        struct marker_entry *out)
{
    memset(out, 0, sizeof *out);
    if (kind < ENTRY_MARKER || kind > ENTRY_TEXT_MARKER_INTERVAL)
        return -EPROTO;
    const uint8_t *end = payload + bytes;
    const uint8_t *in = read_u64(payload, end, &out->ticks_delta);
    if (kind == ENTRY_MARKER_INTERVAL || kind == ENTRY_TEXT_MARKER_INTERVAL)
        in = read_u64(in, end, &out->duration_ticks);
    in = read_u32(in, end, &out->site);
    if (in == NULL)
        return -EPROTO;
    if (kind < ENTRY_TEXT_MARKER)
        return in == end ? 0 : -EPROTO;
    out->text = (struct arena_string){ (const char *)in, (size_t)(end - in) };
    return 0;
}

int entry_decode_tick(const uint8_t *payload, size_t bytes, uint64_t *ticks_delta)
{
    return read_u64(payload, payload + bytes, ticks_delta) == payload + bytes ? 0 : -EPROTO;
}

int entry_decode_same(const uint8_t *payload, size_t bytes, struct sample_entry *out)
{
    return read_sample_start(payload, payload + bytes, out) == payload + bytes ? 0 : -EPROTO;
}

int entry_decode_event_delay(const uint8_t *payload, size_t bytes, struct event_delay_entry *out)
{
    const uint8_t *end = payload + bytes;
    const uint8_t *in = read_u32(payload, end, &out->thread_index);
    return read_at_most(in, end, EVENT_DELAY_MOST_US, &out->delay_us) == end ? 0 : -EPROTO;
}

int entry_decode_unregistered(const uint8_t *payload, size_t bytes, struct unregistered_entry *out)
{
    uint64_t state = 0;
    const uint8_t *end = payload + bytes;
    const uint8_t *in = read_at_most(payload, end, UNREGISTERED_GONE, &state);
    in = read_u32(in, end, &out->tid);
    in = read_u64(in, end, &out->ticks_after_tick);
    in = read_u64(in, end, &out->period_ticks);
    in = read_u64(in, end, &out->cpu_us);
    if (in == NULL)
        return -EPROTO;
    out->state = (enum unregistered_state)state;
    out->name = (struct arena_string){ (const char *)in, (size_t)(end - in) };
    return 0;
}

int entry_decode_late(const uint8_t *payload, size_t bytes, uint32_t *thread_index)
{
    return read_u32(payload, payload + bytes, thread_index) == payload + bytes ? 0 : -EPROTO;
}
