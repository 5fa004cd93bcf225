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
    memset(out, 0, sizeof(*out));
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
    memset(out, 0, sizeof(*out));
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

/* The frame that CODE stands for; *ADDRESS is the native one before it. */
static int decode_frame(uint64_t code, uint64_t *address, struct stack_frame *out)
{
    bool is_label = (code & 1) != 0;
    uint64_t value = code >> 1;
    if (is_label && value > UINT32_MAX)
        return -EPROTO;
    if (!is_label)
        value = *address += (uint64_t)zigzag_decode(value);
    *out = (struct stack_frame){ value, is_label };
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
        if (in == NULL || decode_frame(code, &address, &state->frames[state->depth]) != 0)
            return -EPROTO;
        state->depth++;
    }
    return in == end ? 0 : -EPROTO;
}

static const uint8_t *read_zigzag(const uint8_t *in, const uint8_t *end, int64_t *value)
{
    uint64_t code = 0;
    in = read_u64(in, end, &code);
    *value = zigzag_decode(code);
    return in;
}

/* Passes over the frames of a marker's stack. */
static const uint8_t *read_frames(const uint8_t *in, const uint8_t *end, struct marker_entry *out)
{
    uint64_t code;
    out->frames = in;
    for (uint32_t i = 0; i < out->frame_count && in != NULL; i++)
        in = leb128_read(in, end, &code);
    if (in != NULL)
        out->frames_bytes = (size_t)(in - out->frames);
    return in;
}

static const uint8_t *read_full_marker(const uint8_t *in, const uint8_t *end,
                                       struct marker_entry *out)
{
    uint32_t phase;
    in = read_u32(in, end, &phase);
    in = read_zigzag(in, end, &out->ticks_ago);
    in = read_u64(in, end, &out->duration_ticks);
    in = read_u32(in, end, &out->site);
    in = read_u32(in, end, &out->thread_index_plus_1);
    in = read_u32(in, end, &out->frame_count);
    if (in == NULL || phase > PHASE_INTERVAL_END || out->frame_count > MARKER_MAX_FRAMES)
        return NULL;
    out->phase = (enum marker_phase)phase;
    out->content = MARKER_WITH_EITHER;
    if (out->frame_count == 0)
        return in;
    in = read_zigzag(in, end, &out->stack_ticks_ago);
    return in == NULL ? NULL : read_frames(in, end, out);
}

static const uint8_t *read_plain_marker(uint8_t kind, const uint8_t *in, const uint8_t *end,
                                        struct marker_entry *out)
{
    static const enum marker_phase phases[] = { PHASE_INSTANT, PHASE_INTERVAL_START,
                                                PHASE_INTERVAL_END, PHASE_INTERVAL };
    unsigned from_first = kind - (unsigned)ENTRY_MARKER;
    out->phase = phases[from_first % ENTRY_TEXT_OFFSET];
    out->content = (enum marker_content)(from_first / ENTRY_TEXT_OFFSET);
    if (out->phase == PHASE_INTERVAL)
        in = read_u64(in, end, &out->duration_ticks);
    return read_u32(in, end, &out->site);
}

int entry_decode_marker(uint8_t kind, const uint8_t *payload, size_t bytes,
                        struct marker_entry *out)
{
    memset(out, 0, sizeof(*out));
    if (!entry_is_marker(kind))
        return -EPROTO;
    const uint8_t *end = payload + bytes;
    const uint8_t *in = read_u64(payload, end, &out->ticks_delta);
    in = kind == ENTRY_FULL_MARKER ? read_full_marker(in, end, out)
                                   : read_plain_marker(kind, in, end, out);
    if (in == NULL)
        return -EPROTO;
    if (out->content == MARKER_BARE)
        return in == end ? 0 : -EPROTO;
    out->text = (struct arena_string){ (const char *)in, (size_t)(end - in) };
    return 0;
}

int marker_decode_stack(const struct marker_entry *marker, struct stack_frame *frames)
{
    const uint8_t *in = marker->frames, *end = marker->frames + marker->frames_bytes;
    uint64_t address = 0;
    for (uint32_t i = 0; i < marker->frame_count; i++) {
        uint64_t code;
        in = leb128_read(in, end, &code);
        if (in == NULL || decode_frame(code, &address, &frames[i]) != 0)
            return -EPROTO;
    }
    return 0;
}

int entry_decode_tick(const uint8_t *payload, size_t bytes, uint64_t *ticks_delta)
{
    return read_u64(payload, payload + bytes, ticks_delta) == payload + bytes ? 0 : -EPROTO;
}

int entry_decode_quiet_ticks(const uint8_t *payload, size_t bytes, uint32_t *count,
                             uint64_t *ticks_delta)
{
    const uint8_t *end = payload + bytes;
    uint64_t number = 0;
    const uint8_t *in = read_at_most(payload, end, QUIET_TICKS_MOST, &number);
    if (read_u64(in, end, ticks_delta) != end || number == 0)
        return -EPROTO;
    *count = (uint32_t)number;
    return 0;
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
