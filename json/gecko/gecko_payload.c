/* Payloads: the values of a marker, under the names that the schema of its type gives them. */
#include <string.h>

#include "json/gecko/gecko_context.h"
#include "json/hash.h"

enum { FLOW_DIGITS = 16 };

/* A flow's id as the string that viewers compare. */
static uint32_t add_flow(struct thread_context *thread, uint64_t flow)
{
    static const char digits[] = "0123456789abcdef";
    char text[FLOW_DIGITS];
    for (int i = 0; i < FLOW_DIGITS; i++)
        text[i] = digits[flow >> (4 * (FLOW_DIGITS - 1 - i)) & 15];
    return unique_strings_add(&thread->strings, text, sizeof(text));
}

/* Not what was left out, numbers that JSON has no word for, and parts that are no part of a whole.
 */
static bool can_be_shown(enum marker_format format, const struct marker_value *value)
{
    switch (marker_representation(format)) {
    case MARKER_TEXT:
        return value->text.bytes != NULL;
    case MARKER_TICKS:
        return value->number != 0;
    case MARKER_REAL:
        if (format == MARKER_FORMAT_PERCENTAGE)
            return value->real >= 0 && value->real <= 1;
        return __builtin_isfinite(value->real);
    default:
        return true;
    }
}

static void stream_text(struct thread_context *thread, enum marker_format format,
                        struct arena_string text, struct json_writer *writer)
{
    if (format == MARKER_FORMAT_UNIQUE_STRING)
        json_u64(writer, unique_strings_add(&thread->strings, text.bytes, text.length));
    else
        json_string_bytes(writer, text.bytes, text.length);
}

static void stream_value(const struct payload_source *source, enum marker_format format,
                         const struct marker_value *value)
{
    struct json_writer *writer = source->writer;
    switch (marker_representation(format)) {
    case MARKER_TEXT:
        stream_text(source->thread, format, value->text, writer);
        break;
    case MARKER_FLOW:
        json_u64(writer, add_flow(source->thread, value->number));
        break;
    case MARKER_SIGNED:
        json_i64(writer, value->signed_number);
        break;
    case MARKER_UNSIGNED:
        json_u64(writer, value->number);
        break;
    case MARKER_REAL:
        json_double(writer, value->real);
        break;
    case MARKER_NANOSECONDS:
        json_time_ms(writer, value->signed_number);
        break;
    case MARKER_TICKS:
        json_time_ms(writer, process_relative_ns(source->process,
                                                 clock_to_ns(source->clock, value->number)));
        break;
    }
}

void payload_stream(const struct payload_source *source, const struct marker_schema *schema,
                    struct arena_string payload)
{
    const uint8_t *in = (const uint8_t *)payload.bytes, *end = in + payload.length;
    struct marker_value value;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct marker_field *field = &schema->fields[i];
        if (marker_value_read(field->format, &in, end, &value) < 0) {
            source->process->bad_entries++;
            return;
        }
        if (can_be_shown(field->format, &value)) {
            json_name_bytes(source->writer, field->key.bytes, field->key.length);
            stream_value(source, field->format, &value);
        } else if (marker_representation(field->format) == MARKER_REAL) {
            source->process->bad_values++;
        }
    }
    source->process->bad_entries += in != end;
}
