#include "profctl/raw/raw_root.h"

#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_root.h"

void raw_root_begin(struct json_writer *writer)
{
    static const char *const empty[] = { "libs", "pages", "pausedRanges", "threads" };

    json_start_object(writer);
    for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
        json_start_array_property(writer, empty[i]);
        json_end_array(writer);
    }
    json_start_array_property(writer, "processes");
}

static void put_units(struct json_writer *writer)
{
    json_start_object_property(writer, "sampleUnits");
    json_string_property(writer, "time", "ms");
    json_string_property(writer, "eventDelay", "ms");
    json_string_property(writer, "threadCPUDelta", "µs");
    json_end_object(writer);
}

void raw_root_end(struct json_writer *writer, const struct raw_root *root)
{
    json_end_array(writer);
    gecko_root_stream_no_gathering(writer);
    json_start_object_property(writer, "meta");
    gecko_stream_common_meta(writer, root->reference_unix_ns, NULL, NULL);
    json_null_property(writer, "shutdownTime");
    json_time_ms_property(writer, "profilingStartTime", 0);
    if (root->capture_ns > root->reference_ns)
        json_time_ms_property(writer, "profilingEndTime",
                              (int64_t)(root->capture_ns - root->reference_ns));
    json_double_property(writer, "interval", 1);
    json_string_property(writer, "product", "profd");
    put_units(writer);
    json_end_object(writer);
    json_end_object(writer);
}
