#include "json/gecko/gecko_schema.h"

const char *const gecko_frame_columns[] = {
    "location", "relevantForJS", "innerWindowID", "implementation", "line", "column",
    "category", "subcategory",   "file",          "inlined",        NULL
};
const char *const gecko_stack_columns[] = { "prefix", "frame", NULL };
const char *const gecko_sample_columns[] = { "stack", "time", "eventDelay", "threadCPUDelta",
                                             NULL };
const char *const gecko_marker_columns[] = { "name",     "startTime", "endTime", "phase",
                                             "category", "data",      NULL };

void gecko_start_table(struct json_writer *writer, const char *const *columns)
{
    json_start_object(writer);
    json_start_object_property(writer, "schema");
    for (uint64_t i = 0; columns[i] != NULL; i++)
        json_u64_property(writer, columns[i], i);
    json_end_object(writer);
    json_start_array_property(writer, "data");
}

void gecko_end_table(struct json_writer *writer)
{
    json_end_array(writer);
    json_end_object(writer);
}
