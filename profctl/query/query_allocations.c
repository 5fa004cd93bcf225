#include "profctl/query/query_allocations.h"

#include "json/gecko/gecko_schema.h"
#include "json/gecko/unique_stacks.h"

enum { AT_A_MOMENT = 0, OTHER_CATEGORY = 0 };

/* A stack within a marker is a thread in small, with one sample. */
static void write_stack(const struct query_allocation *allocation, struct json_writer *writer)
{
    static const char *const columns[] = { "stack", "time", "eventDelay", NULL };

    json_start_object_property(writer, "stack");
    json_string_property(writer, "name", "SyncProfile");
    json_null_property(writer, "registerTime");
    json_null_property(writer, "unregisterTime");
    json_string_property(writer, "processType", "default");
    json_u64_property(writer, "tid", allocation->tid);
    json_u64_property(writer, "pid", allocation->pid);
    json_name(writer, "markers");
    gecko_start_table(writer, gecko_marker_columns);
    gecko_end_table(writer);
    json_name(writer, "samples");
    gecko_start_table(writer, columns);
    json_start_array(writer);
    json_u64(writer, allocation->stack);
    json_double(writer, allocation->time_ms);
    json_u64(writer, 0);
    json_end_array(writer);
    gecko_end_table(writer);
    json_end_object(writer);
}

void query_allocation_write(const struct query_allocation *allocation, struct json_writer *writer)
{
    json_start_array(writer);
    json_u64(writer, allocation->name);
    json_double(writer, allocation->time_ms);
    json_null(writer);
    json_u64(writer, AT_A_MOMENT);
    json_u64(writer, OTHER_CATEGORY);
    json_start_object(writer);
    json_string_property(writer, "type", QUERY_ALLOCATION_NAME);
    json_u64_property(writer, "size", allocation->bytes);
    if (allocation->stack != UNIQUE_NONE)
        write_stack(allocation, writer);
    json_end_object(writer);
    json_end_array(writer);
}
