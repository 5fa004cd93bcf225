#include "json/json_writer.h"

#include <string.h>

#include "json/json_format.h"
#include "json/json_writer_room.h"

void json_start_object(struct json_writer *writer)
{
    char *out = json_value_room(writer);
    *out++ = '{';
    json_wrote(writer, out);
    writer->needs_comma = false;
}

void json_start_array(struct json_writer *writer)
{
    char *out = json_value_room(writer);
    *out++ = '[';
    json_wrote(writer, out);
    writer->needs_comma = false;
}

static void end_collection(struct json_writer *writer, char bracket)
{
    char *out = json_room(writer);
    *out++ = bracket;
    json_wrote(writer, out);
    writer->needs_comma = true;
}

void json_end_object(struct json_writer *writer)
{
    end_collection(writer, '}');
}

void json_end_array(struct json_writer *writer)
{
    end_collection(writer, ']');
}

void json_name(struct json_writer *writer, const char *name)
{
    json_name_bytes(writer, name, strlen(name));
}

void json_name_bytes(struct json_writer *writer, const char *name, size_t length)
{
    json_string_bytes(writer, name, length);
    char *out = json_room(writer);
    *out++ = ':';
    json_wrote(writer, out);
    writer->needs_comma = false;
}

void json_start_object_property(struct json_writer *writer, const char *name)
{
    json_name(writer, name);
    json_start_object(writer);
}

void json_start_array_property(struct json_writer *writer, const char *name)
{
    json_name(writer, name);
    json_start_array(writer);
}

static void write_word(struct json_writer *writer, const char *word, size_t length)
{
    char *out = json_value_room(writer);
    memcpy(out, word, length);
    json_wrote(writer, out + length);
}

void json_null(struct json_writer *writer)
{
    write_word(writer, "null", 4);
}

void json_nulls(struct json_writer *writer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_null(writer);
}

void json_bool(struct json_writer *writer, bool value)
{
    if (value)
        write_word(writer, "true", 4);
    else
        write_word(writer, "false", 5);
}

void json_u64(struct json_writer *writer, uint64_t value)
{
    json_wrote(writer, json_format_u64(json_value_room(writer), value));
}

void json_i64(struct json_writer *writer, int64_t value)
{
    char *out = json_value_room(writer);
    uint64_t magnitude = (uint64_t)value;
    if (value < 0) {
        *out++ = '-';
        magnitude = 0 - magnitude;
    }
    json_wrote(writer, json_format_u64(out, magnitude));
}

void json_time_ms(struct json_writer *writer, int64_t nanoseconds)
{
    json_wrote(writer, json_format_time_ms(json_value_room(writer), nanoseconds));
}

void json_double(struct json_writer *writer, double value)
{
    json_wrote(writer, json_format_double(json_value_room(writer), value));
}

void json_address(struct json_writer *writer, uint64_t address)
{
    char *out = json_value_room(writer);
    *out++ = '"';
    out = json_format_address(out, address);
    *out++ = '"';
    json_wrote(writer, out);
}

void json_bool_property(struct json_writer *writer, const char *name, bool value)
{
    json_name(writer, name);
    json_bool(writer, value);
}

void json_null_property(struct json_writer *writer, const char *name)
{
    json_name(writer, name);
    json_null(writer);
}

void json_u64_property(struct json_writer *writer, const char *name, uint64_t value)
{
    json_name(writer, name);
    json_u64(writer, value);
}

void json_i64_property(struct json_writer *writer, const char *name, int64_t value)
{
    json_name(writer, name);
    json_i64(writer, value);
}

void json_time_ms_property(struct json_writer *writer, const char *name, int64_t nanoseconds)
{
    json_name(writer, name);
    json_time_ms(writer, nanoseconds);
}

void json_double_property(struct json_writer *writer, const char *name, double value)
{
    json_name(writer, name);
    json_double(writer, value);
}

void json_string_property(struct json_writer *writer, const char *name, const char *text)
{
    json_name(writer, name);
    json_string(writer, text);
}
