#include "json/gecko/gecko_meta.h"

#include <string.h>

#include "json/gecko/gecko_schema.h"

/* Above the largest pid of Linux (4194304); the lower digits stay readable. */
enum { PIDS_PER_IMAGE = 10000000 };

int64_t gecko_unique_pid(int32_t pid, uint32_t later_images)
{
    return pid + (int64_t)later_images * PIDS_PER_IMAGE;
}

int64_t gecko_real_pid(int64_t unique_pid)
{
    return unique_pid % PIDS_PER_IMAGE;
}

struct builtin_field {
    const char *key, *label, *format;
};

static void stream_marker_field(struct json_writer *writer, const struct builtin_field *field)
{
    json_start_object(writer);
    json_string_property(writer, "key", field->key);
    json_string_property(writer, "label", field->label);
    json_string_property(writer, "format", field->format);
    json_bool_property(writer, "searchable", true);
    json_end_object(writer);
}

/* A type whose markers are told by LABEL in table and chart. */
static void stream_marker_schema(struct json_writer *writer, const char *name, const char *label,
                                 const struct builtin_field *fields, size_t field_count)
{
    json_start_object(writer);
    json_string_property(writer, "name", name);
    json_start_array_property(writer, "display");
    json_string(writer, "marker-chart");
    json_string(writer, "marker-table");
    json_end_array(writer);
    json_string_property(writer, "tooltipLabel", "{marker.name}");
    json_string_property(writer, "tableLabel", label);
    json_string_property(writer, "chartLabel", label);
    json_start_array_property(writer, "data");
    for (size_t i = 0; i < field_count; i++)
        stream_marker_field(writer, &fields[i]);
    json_end_array(writer);
    json_end_object(writer);
}

#define STREAM_MARKER_SCHEMA(writer, name, label, fields)                                          \
    stream_marker_schema(writer, name, label, fields, sizeof(fields) / sizeof((fields)[0]))

static void stream_marker_schemas(struct json_writer *writer)
{
    static const struct builtin_field text_fields[] = { { "name", "Details", "string" } };
    static const struct builtin_field unregistered_fields[] = {
        { "threadName", "Thread", "string" },
        { "threadId", "Thread id", "integer" },
        { "cpuTime", "CPU time", "duration" },
        { "cpuUse", "CPU use", "percentage" },
    };
    STREAM_MARKER_SCHEMA(writer, GECKO_TEXT_MARKER, "{marker.data.name}", text_fields);
    STREAM_MARKER_SCHEMA(writer, GECKO_UNREGISTERED_THREAD_MARKER,
                         "{marker.data.threadName} ({marker.data.threadId})", unregistered_fields);
}

bool gecko_has_marker_type(const char *name, size_t length)
{
    static const char *const names[] = { GECKO_TEXT_MARKER, GECKO_UNREGISTERED_THREAD_MARKER,
                                         "JS allocation", "Native allocation" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

void gecko_stream_common_meta(struct json_writer *writer, uint64_t reference_unix_ns,
                              const struct gecko_categories *categories,
                              const struct marker_types *types)
{
    json_u64_property(writer, "version", GECKO_VERSION);
    json_time_ms_property(writer, "startTime", (int64_t)reference_unix_ns);
    json_name(writer, "categories");
    gecko_categories_stream(categories, writer);
    json_start_array_property(writer, "markerSchema");
    stream_marker_schemas(writer);
    if (types != NULL)
        marker_types_stream(types, writer);
    json_end_array(writer);
}

void gecko_stream_sources(struct json_writer *writer)
{
    static const char *const columns[] = { "id",          "filename",     "startLine",
                                           "startColumn", "sourceMapURL", NULL };
    json_name(writer, "sources");
    gecko_start_table(writer, columns);
    gecko_end_table(writer);
}
