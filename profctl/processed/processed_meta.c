#include "profctl/processed/processed_meta.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/processed/time_ns.h"

/* Of the Gecko profiles that this version of the format is made from. */
enum { GECKO_PROFILE_VERSION = 36 };

/* Members that stay as they are. */
static const char *const kept_names[] = {
    "abi",
    "appBuildID",
    "arguments",
    "configuration",
    "CPUName",
    "device",
    "gramsOfCO2ePerKWh",
    "logicalCPUs",
    "mainMemory",
    "misc",
    "oscpu",
    "physicalCPUs",
    "platform",
    "processType",
    "product",
    "profilingEndTime",
    "profilingStartTime",
    "sourceURL",
    "stackwalk",
    "startTimeAsClockMonotonicNanosecondsSinceBoot",
    "toolkit",
    "updateChannel",
    "visualMetrics",
};
enum { KEPT_NAMES = sizeof(kept_names) / sizeof(kept_names[0]) };
_Static_assert(KEPT_NAMES <= 64, "a bit for each");

void processed_meta_init(struct processed_meta *meta)
{
    *meta = (struct processed_meta){ 0 };
    processed_types_init(&meta->types);
    json_writer_init(&meta->members, &meta->types.latch);
}

void processed_meta_free(struct processed_meta *meta)
{
    processed_types_free(&meta->types);
    json_writer_fini(&meta->members);
    mapped_array_free(&meta->categories);
}

/* --- Taking --- */

static int keep_member(struct processed_meta *meta, const char *name, const char *json,
                       size_t length)
{
    for (size_t i = 0; i < KEPT_NAMES; i++) {
        if (strcmp(kept_names[i], name) != 0)
            continue;
        if ((meta->kept >> i & 1) == 0) {
            json_name(&meta->members, name);
            json_splice_bytes(&meta->members, json, length);
        }
        meta->kept |= UINT64_C(1) << i;
    }
    return failure_latch_error(&meta->types.latch);
}

/* All processes of a file have the same list. */
static int keep_categories(struct processed_meta *meta, const char *json, size_t length)
{
    int error = mapped_array_reserve(&meta->categories, length + 1, 1);

    if (error < 0)
        return error;
    memcpy(meta->categories.items, json, length);
    meta->categories.count = length;
    return 0;
}

static bool is_true(const char *json, size_t length)
{
    return !(length == 0 || json[0] == '0' || json[0] == 'f' || json[0] == 'n');
}

int processed_meta_take(struct processed_meta *meta, const char *name, const char *json,
                        size_t length)
{
    if (strcmp(name, "markerSchema") == 0)
        return processed_types_take(&meta->types, json, length);
    if (strcmp(name, "categories") == 0)
        return keep_categories(meta, json, length);
    if (strcmp(name, "presymbolicated") == 0)
        meta->is_symbolicated = is_true(json, length);
    else if (strcmp(name, "debug") == 0)
        meta->is_debug_build = is_true(json, length);
    return keep_member(meta, name, json, length);
}

/* --- Writing --- */

static void put_categories(const struct processed_meta *meta, struct json_writer *writer)
{
    static const char default_list[] =
        "[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}]";

    json_name(writer, "categories");
    if (meta->categories.count > 0)
        json_splice_bytes(writer, meta->categories.items, meta->categories.count);
    else
        json_splice_bytes(writer, default_list, sizeof(default_list) - 1);
}

static void put_threads(const struct busiest_threads *busiest, struct json_writer *writer)
{
    if (busiest->count == 0)
        return;
    json_start_array_property(writer, "initialVisibleThreads");
    for (size_t i = 0; i < busiest->count; i++)
        json_u64(writer, busiest->threads[i].index);
    json_end_array(writer);
    json_start_array_property(writer, "initialSelectedThreads");
    json_u64(writer, busiest->threads[0].index);
    json_end_array(writer);
}

static void put_units(struct json_writer *writer)
{
    json_start_object_property(writer, "sampleUnits");
    json_string_property(writer, "time", "ms");
    json_string_property(writer, "eventDelay", "ms");
    json_string_property(writer, "threadCPUDelta", "ns");
    json_end_object(writer);
}

static double interval_ms(const struct processed_summary *summary)
{
    if (summary->facts->asked_ns != 0)
        return (double)summary->facts->asked_ns / NS_PER_MS;
    return summary->interval_ns > 0 ? summary->interval_ns / NS_PER_MS : 1;
}

void processed_meta_write(struct processed_meta *meta, const struct processed_summary *summary,
                          struct json_writer *writer)
{
    json_start_object_property(writer, "meta");
    json_u64_property(writer, "version", GECKO_PROFILE_VERSION);
    json_u64_property(writer, "preprocessedProfileVersion", PROCESSED_VERSION);
    json_double_property(writer, "interval", interval_ms(summary));
    json_time_ms_property(writer, "startTime", time_ns_of_ms(summary->facts->start_unix_ms));
    json_bool_property(writer, "symbolicated", meta->is_symbolicated);
    json_bool_property(writer, "debug", meta->is_debug_build);
    json_splice(writer, &meta->members);
    put_units(writer);
    put_categories(meta, writer);
    json_name(writer, "markerSchema");
    processed_types_write(&meta->types, writer);
    put_threads(summary->busiest, writer);
    json_end_object(writer);
}
