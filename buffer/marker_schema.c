#include "buffer/marker_schema.h"

#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"

static const struct {
    const char *name;
    enum marker_representation representation;
} formats[] = {
#define X(name, number, text, representation)                                                      \
    [MARKER_FORMAT_##name] = { text, MARKER_##representation },
    MARKER_FORMATS(X)
#undef X
};

enum marker_representation marker_representation(enum marker_format format)
{
    return formats[format].representation;
}

const char *marker_format_name(enum marker_format format)
{
    return formats[format].name;
}

/* --- The schema --- */

/* Where to write, or to read; NULL in, NULL out, so that one can follow another. */
static uint8_t *put_number(uint8_t *out, const uint8_t *end, uint64_t value)
{
    if (out == NULL || (size_t)(end - out) < leb128_size(value))
        return NULL;
    return leb128_write(out, value);
}

static uint8_t *put_string(uint8_t *out, const uint8_t *end, struct arena_string string)
{
    out = put_number(out, end, string.length);
    if (out == NULL || (size_t)(end - out) < string.length)
        return NULL;
    if (string.length > 0)
        memcpy(out, string.bytes, string.length);
    return out + string.length;
}

/* As profd_marker_types.h numbers them. */
enum { NESTING_CALLS = 1, NESTING_TASKS = 2 };

static uint32_t nesting_of(const struct marker_schema *schema)
{
    return (schema->is_stack_based ? NESTING_CALLS : 0) | (schema->is_task ? NESTING_TASKS : 0);
}

int marker_schema_encode(const struct marker_schema *schema, uint8_t *out, size_t capacity,
                         size_t *bytes)
{
    const uint8_t *end = out + capacity;
    uint8_t *next = put_string(out, end, schema->name);
    next = put_string(next, end, schema->chart_label);
    next = put_string(next, end, schema->table_label);
    next = put_string(next, end, schema->tooltip_label);
    next = put_string(next, end, schema->colour_field);
    next = put_number(next, end, schema->places);
    next = put_number(next, end, nesting_of(schema));
    next = put_number(next, end, schema->field_count);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        next = put_number(next, end, schema->fields[i].format);
        next = put_number(next, end, schema->fields[i].flags);
        next = put_string(next, end, schema->fields[i].key);
        next = put_string(next, end, schema->fields[i].label);
    }
    if (next == NULL)
        return -EMSGSIZE;
    *bytes = (size_t)(next - out);
    return 0;
}

static const uint8_t *take_number(const uint8_t *in, const uint8_t *end, uint32_t *out)
{
    uint64_t value = 0;
    if (in != NULL)
        in = leb128_read(in, end, &value);
    *out = (uint32_t)value;
    return value <= UINT32_MAX ? in : NULL;
}

static const uint8_t *take_string(const uint8_t *in, const uint8_t *end, struct arena_string *out)
{
    uint32_t length;
    in = take_number(in, end, &length);
    if (in == NULL || length > (size_t)(end - in))
        return NULL;
    *out = (struct arena_string){ (const char *)in, length };
    return in + length;
}

static const uint8_t *take_field(const uint8_t *in, const uint8_t *end, struct marker_field *out)
{
    uint32_t format;
    in = take_number(in, end, &format);
    in = take_number(in, end, &out->flags);
    in = take_string(in, end, &out->key);
    in = take_string(in, end, &out->label);
    out->format = (enum marker_format)format;
    bool is_good = format > 0 && format < MARKER_FORMAT_END && out->key.length > 0;
    return is_good ? in : NULL;
}

int marker_schema_decode(struct arena_string bytes, struct marker_schema *out)
{
    const uint8_t *in = (const uint8_t *)bytes.bytes, *end = in + bytes.length;
    uint32_t nesting;
    memset(out, 0, sizeof(*out));
    in = take_string(in, end, &out->name);
    in = take_string(in, end, &out->chart_label);
    in = take_string(in, end, &out->table_label);
    in = take_string(in, end, &out->tooltip_label);
    in = take_string(in, end, &out->colour_field);
    in = take_number(in, end, &out->places);
    in = take_number(in, end, &nesting);
    in = take_number(in, end, &out->field_count);
    out->is_stack_based = (nesting & NESTING_CALLS) != 0;
    out->is_task = (nesting & NESTING_TASKS) != 0;
    if (in == NULL || out->name.length == 0 || out->field_count > MARKER_MAX_FIELDS)
        return -EPROTO;
    for (uint32_t i = 0; i < out->field_count && in != NULL; i++)
        in = take_field(in, end, &out->fields[i]);
    return in == end ? 0 : -EPROTO;
}

/* --- Values --- */

static const uint8_t *read_text(const uint8_t *in, const uint8_t *end, struct arena_string *out)
{
    uint64_t length_and_one = 0;
    in = leb128_read(in, end, &length_and_one);
    if (in == NULL || length_and_one == 0)
        return in;
    if (length_and_one - 1 > (size_t)(end - in))
        return NULL;
    *out = (struct arena_string){ (const char *)in, (size_t)length_and_one - 1 };
    return in + out->length;
}

static const uint8_t *read_word(const uint8_t *in, const uint8_t *end, void *out)
{
    if ((size_t)(end - in) < sizeof(uint64_t))
        return NULL;
    memcpy(out, in, sizeof(uint64_t));
    return in + sizeof(uint64_t);
}

int marker_value_read(enum marker_format format, const uint8_t **in, const uint8_t *end,
                      struct marker_value *out)
{
    const uint8_t *next = NULL;
    memset(out, 0, sizeof(*out));
    switch (marker_representation(format)) {
    case MARKER_TEXT:
        next = read_text(*in, end, &out->text);
        break;
    case MARKER_FLOW:
        next = read_word(*in, end, &out->number);
        break;
    case MARKER_REAL:
        next = read_word(*in, end, &out->real);
        break;
    case MARKER_UNSIGNED:
    case MARKER_TICKS:
        next = leb128_read(*in, end, &out->number);
        break;
    case MARKER_SIGNED:
    case MARKER_NANOSECONDS:
        next = leb128_read(*in, end, &out->number);
        out->signed_number = zigzag_decode(out->number);
        break;
    }
    if (next == NULL)
        return -EPROTO;
    *in = next;
    return 0;
}
