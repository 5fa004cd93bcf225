#include "json/gecko/allocation_marker.h"

#include "buffer/dictionary.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

enum { AT_A_MOMENT = 0 }; /* a phase of markers */

static const char type_name[] = "Native allocation";

uint32_t allocation_marker_name(struct unique_strings *strings)
{
    return unique_strings_add(strings, type_name, sizeof(type_name) - 1);
}

/* A stack within a marker is a thread in small, with one sample. */
static void stream_stack(const struct allocation_marker *marker, struct json_writer *writer)
{
    static const char *const columns[] = { "stack", "time", "eventDelay", NULL };

    json_start_object_property(writer, "stack");
    json_string_property(writer, "name", "SyncProfile");
    json_null_property(writer, "registerTime");
    json_null_property(writer, "unregisterTime");
    json_string_property(writer, "processType", "default");
    json_i64_property(writer, "tid", marker->tid);
    json_i64_property(writer, "pid", marker->pid);
    json_name(writer, "markers");
    gecko_start_table(writer, gecko_marker_columns);
    gecko_end_table(writer);
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    json_start_array(writer);
    json_u64(writer, marker->stack);
    json_time_ms(writer, marker->time_ns);
    json_u64(writer, 0);
    json_end_array(writer);
    gecko_end_table(writer);
    json_end_object(writer);
}

void allocation_marker_stream(const struct allocation_marker *marker, struct json_writer *writer)
{
    json_start_array(writer);
    json_u64(writer, marker->name);
    json_time_ms(writer, marker->time_ns);
    json_null(writer);
    json_u64(writer, AT_A_MOMENT);
    json_u64(writer, CATEGORY_OTHER);
    json_start_object(writer);
    json_string_property(writer, "type", type_name);
    json_i64_property(writer, "size", marker->size);
    if (marker->has_address) {
        json_u64_property(writer, "memoryAddress", marker->address);
        json_i64_property(writer, "threadId", marker->tid);
    }
    if (marker->stack != UNIQUE_NONE)
        stream_stack(marker, writer);
    json_end_object(writer);
    json_end_array(writer);
}
