#include "profctl/merge/merge_root.h"

#include <errno.h>
#include <math.h>

#include "json/gecko/gecko_meta.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"

/* What is true of one machine or one capture alone, or written anew. */
static const char *const left_out[] = {
    "startTime",        "startTimeAsClockMonotonicNanosecondsSinceBoot",
    "shutdownTime",     "profilingStartTime",
    "profilingEndTime", "interval",
    "categories",       "markerSchema",
    "presymbolicated",  "oscpu",
    "CPUName",          "physicalCPUs",
    "logicalCPUs",
};

static bool is_member_left_out(struct json_reader *reader)
{
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        if (json_reader_is(reader, left_out[i]))
            return true;
    }
    return false;
}

static int copy_rest(struct json_writer *writer, struct json_reader *reader)
{
    int error = json_expect(reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(reader, &error))
        error = is_member_left_out(reader) ? json_reader_skip(reader)
                                           : json_copy_member(reader, writer);
    return error;
}

static void write_number_if_known(struct json_writer *writer, const char *name, double number)
{
    if (!isnan(number))
        json_double_property(writer, name, number);
}

/* Addresses stay addresses to viewers where all captures are symbolicated. */
static bool are_symbolicated(const struct merge_source *sources, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!sources[i].is_symbolicated)
            return false;
    }
    return true;
}

static int write_meta(struct json_writer *writer, const struct merge_source *sources, size_t count,
                      const struct merge_span *span, const struct merge_lists *lists)
{
    const struct mapped_array *all = &lists->schemas.all;
    struct json_reader *reader;

    json_start_object_property(writer, "meta");
    json_time_ms_property(writer, "startTime", (int64_t)(span->start_unix_ms * 1e6));
    json_null_property(writer, "shutdownTime");
    write_number_if_known(writer, "profilingStartTime", span->begin_ms);
    write_number_if_known(writer, "profilingEndTime", span->end_ms);
    write_number_if_known(writer, "interval", span->interval_ms);
    if (are_symbolicated(sources, count))
        json_bool_property(writer, "presymbolicated", true);
    json_name(writer, "categories");
    category_lists_write(&lists->categories, writer);
    json_start_array_property(writer, "markerSchema");
    if (all->count > 0)
        json_splice_bytes(writer, all->items, all->count);
    json_end_array(writer);
    int error = json_reader_open_memory(sources[0].meta.items, sources[0].meta.count, &reader);
    if (error < 0)
        return error;
    error = copy_rest(writer, reader);
    json_reader_close(reader);
    json_end_object(writer);
    return error;
}

static void write_empty_array(struct json_writer *writer, const char *name)
{
    json_start_array_property(writer, name);
    json_end_array(writer);
}

int merge_root_begin(struct json_writer *writer, const struct merge_source *sources, size_t count,
                     const struct merge_span *span, const struct merge_lists *lists)
{
    json_start_object(writer);
    int error = write_meta(writer, sources, count, span, lists);
    write_empty_array(writer, "libs");
    gecko_stream_sources(writer);
    write_empty_array(writer, "pausedRanges");
    write_empty_array(writer, "threads");
    json_start_array_property(writer, "processes");
    return error;
}

void merge_root_end(struct json_writer *writer)
{
    json_end_array(writer);
    json_end_object(writer);
}
