#include <errno.h>
#include <stdlib.h>

#include "profctl/processed/thread_write.h"
#include "profctl/processed/time_ns.h"

/* --- Which markers, in which order --- */

static const struct table_marker *marker_at(const struct thread_markers *markers, uint32_t index)
{
    return (const struct table_marker *)markers->markers.items + index;
}

/* When a marker was recorded: what it lacks is that of the other end. */
static double time_of(const struct table_marker *marker)
{
    return marker->phase == PHASE_START ? marker->start_ms : marker->end_ms;
}

static int compare_markers(const void *left, const void *right, void *context)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double time_a = time_of(marker_at(context, a)), time_b = time_of(marker_at(context, b));

    if (time_a != time_b)
        return time_a < time_b ? -1 : 1;
    return (a > b) - (a < b);
}

static int compare_allocations(const void *left, const void *right)
{
    const struct payload_allocation *a = left, *b = right;

    return (a->time_ms > b->time_ms) - (a->time_ms < b->time_ms);
}

static int list_marker(const struct payload_source *source, uint32_t index,
                       struct marker_lists *lists)
{
    const struct thread_markers *markers = source->thread->markers;
    const struct table_marker *marker = marker_at(markers, index);
    struct payload_allocation allocation;
    int is_allocation = marker->data_length == 0
                            ? 0
                            : payload_read_allocation(source, thread_markers_data(markers, marker),
                                                      marker->data_length, &allocation);

    if (is_allocation < 0)
        return is_allocation;
    if (is_allocation == 0) {
        uint32_t *added = mapped_array_push(&lists->markers, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = index;
        return 0;
    }
    allocation.time_ms = marker->start_ms;
    struct payload_allocation *added = mapped_array_push(&lists->allocations, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = allocation;
    return 0;
}

/* The viewer pairs starts with ends in the order of the table. */
static int list_markers(const struct payload_source *source, struct marker_lists *lists)
{
    const struct thread_markers *markers = source->thread->markers;
    int err = 0;

    lists->markers.count = lists->allocations.count = 0;
    for (size_t i = 0; err == 0 && i < markers->markers.count; i++)
        err = list_marker(source, (uint32_t)i, lists);
    if (lists->markers.count > 1)
        qsort_r(lists->markers.items, lists->markers.count, sizeof(uint32_t), compare_markers,
                (void *)markers);
    if (lists->allocations.count > 1)
        qsort(lists->allocations.items, lists->allocations.count, sizeof(struct payload_allocation),
              compare_allocations);
    return err;
}

/* --- Columns of markers --- */

enum marker_column { COLUMN_NAME, COLUMN_START, COLUMN_END, COLUMN_PHASE, COLUMN_CATEGORY };

static void put_time(struct json_writer *writer, double ms, bool is_told)
{
    if (is_told)
        json_time_ms(writer, time_ns_of_ms(ms));
    else
        json_null(writer);
}

static void put_name(const struct payload_source *source, uint32_t string,
                     struct json_writer *writer)
{
    size_t length;
    const char *name = thread_tables_string(source->thread->tables, string, &length);

    json_u64(writer, shared_tables_string(source->tables, name, length));
}

static void put_cell(const struct payload_source *source, enum marker_column column,
                     const struct table_marker *marker, struct json_writer *writer)
{
    enum marker_phase phase = marker->phase;

    switch (column) {
    case COLUMN_NAME:
        put_name(source, marker->name, writer);
        return;
    case COLUMN_START:
        put_time(writer, marker->start_ms, phase != PHASE_END);
        return;
    case COLUMN_END:
        put_time(writer, marker->end_ms, phase == PHASE_INTERVAL || phase == PHASE_END);
        return;
    case COLUMN_PHASE:
        json_u64(writer, phase);
        return;
    case COLUMN_CATEGORY:
        json_u64(writer, marker->category);
        return;
    }
}

static void put_column(const struct payload_source *source, const struct marker_lists *lists,
                       const char *name, enum marker_column column, struct json_writer *writer)
{
    const uint32_t *markers = lists->markers.items;

    json_start_array_property(writer, name);
    for (size_t i = 0; i < lists->markers.count; i++)
        put_cell(source, column, marker_at(source->thread->markers, markers[i]), writer);
    json_end_array(writer);
}

static int put_payloads(const struct payload_source *source, const struct marker_lists *lists,
                        struct json_writer *writer)
{
    const struct thread_markers *markers = source->thread->markers;
    int err = 0;

    json_start_array_property(writer, "data");
    for (size_t i = 0; i < lists->markers.count && err == 0; i++) {
        const struct table_marker *marker =
            marker_at(markers, ((const uint32_t *)lists->markers.items)[i]);
        if (marker->data_length == 0)
            json_null(writer);
        else
            err = payload_write(source, thread_markers_data(markers, marker), marker->data_length,
                                writer);
    }
    json_end_array(writer);
    return err;
}

/* --- Allocations --- */

static void put_allocations(const struct marker_lists *lists, struct json_writer *writer)
{
    const struct payload_allocation *all = lists->allocations.items;
    size_t count = lists->allocations.count;

    json_start_object_property(writer, "nativeAllocations");
    json_u64_property(writer, "length", count);
    json_string_property(writer, "weightType", "bytes");
    json_start_array_property(writer, "time");
    for (size_t i = 0; i < count; i++)
        json_time_ms(writer, time_ns_of_ms(all[i].time_ms));
    json_end_array(writer);
    json_start_array_property(writer, "weight");
    for (size_t i = 0; i < count; i++)
        json_i64(writer, all[i].size);
    json_end_array(writer);
    json_start_array_property(writer, "stack");
    for (size_t i = 0; i < count; i++) {
        if (all[i].stack == UNIQUE_NONE)
            json_null(writer);
        else
            json_u64(writer, all[i].stack);
    }
    json_end_array(writer);
    json_start_array_property(writer, "memoryAddress");
    for (size_t i = 0; i < count; i++)
        json_u64(writer, all[i].address);
    json_end_array(writer);
    json_start_array_property(writer, "threadId");
    for (size_t i = 0; i < count; i++)
        json_i64(writer, all[i].tid);
    json_end_array(writer);
    json_end_object(writer);
}

/* --- All --- */

int markers_write(const struct payload_source *source, struct marker_lists *lists,
                  struct json_writer *writer)
{
    int err = list_markers(source, lists);

    if (err < 0)
        return err;
    json_start_object_property(writer, "markers");
    json_u64_property(writer, "length", lists->markers.count);
    put_column(source, lists, "name", COLUMN_NAME, writer);
    put_column(source, lists, "startTime", COLUMN_START, writer);
    put_column(source, lists, "endTime", COLUMN_END, writer);
    put_column(source, lists, "phase", COLUMN_PHASE, writer);
    put_column(source, lists, "category", COLUMN_CATEGORY, writer);
    err = put_payloads(source, lists, writer);
    json_end_object(writer);
    if (lists->allocations.count > 0)
        put_allocations(lists, writer);
    return err < 0 ? err : shared_tables_error(source->tables);
}

void marker_lists_free(struct marker_lists *lists)
{
    mapped_array_free(&lists->markers);
    mapped_array_free(&lists->allocations);
}
