#include "profctl/processed/thread_write.h"
#include "profctl/processed/time_ns.h"

/* --- Columns of markers --- */

enum marker_column { COLUMN_NAME, COLUMN_START, COLUMN_END, COLUMN_PHASE, COLUMN_CATEGORY };

static void put_time(struct json_writer *writer, double ms, bool is_told)
{
    if (is_told)
        json_time_ms(writer, time_ns_of_ms(ms));
    else
        json_null(writer);
}

static void put_cell(enum marker_column column, const struct marker_row *marker,
                     struct json_writer *writer)
{
    enum marker_phase phase = marker->phase;

    switch (column) {
    case COLUMN_NAME:
        json_u64(writer, marker->name);
        return;
    case COLUMN_START:
        put_time(writer, marker->start_ms, marker_phase_begins(phase));
        return;
    case COLUMN_END:
        put_time(writer, marker->end_ms, marker_phase_ends(phase));
        return;
    case COLUMN_PHASE:
        json_u64(writer, phase);
        return;
    case COLUMN_CATEGORY:
        json_u64(writer, marker->category);
        return;
    }
}

static void put_column(const struct thread_rows *rows, const char *name, enum marker_column column,
                       struct json_writer *writer)
{
    const struct marker_row *markers = rows->markers.items;

    json_start_array_property(writer, name);
    for (size_t i = 0; i < rows->markers.count; i++)
        put_cell(column, &markers[i], writer);
    json_end_array(writer);
}

static void put_payloads(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct marker_row *markers = rows->markers.items;
    const char *payloads = rows->payloads.items;

    json_start_array_property(writer, "data");
    for (size_t i = 0; i < rows->markers.count; i++) {
        if (markers[i].payload_length == 0)
            json_null(writer);
        else
            json_splice_bytes(writer, payloads + markers[i].payload, markers[i].payload_length);
    }
    json_end_array(writer);
}

/* --- Allocations --- */

/* Those of a query are sums, which have none. */
static bool know_addresses(const struct payload_allocation *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].address != 0)
            return true;
    return false;
}

/* By these viewers tell what was freed again. */
static void put_addresses(const struct payload_allocation *all, size_t count,
                          struct json_writer *writer)
{
    json_start_array_property(writer, "memoryAddress");
    for (size_t i = 0; i < count; i++)
        json_u64(writer, all[i].address);
    json_end_array(writer);
    json_start_array_property(writer, "threadId");
    for (size_t i = 0; i < count; i++)
        json_i64(writer, all[i].tid);
    json_end_array(writer);
}

static void put_allocations(const struct thread_rows *rows, struct json_writer *writer)
{
    const struct payload_allocation *all = rows->allocations.items;
    size_t count = rows->allocations.count;

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
    if (know_addresses(all, count))
        put_addresses(all, count, writer);
    json_end_object(writer);
}

/* --- All --- */

void markers_write(const struct thread_rows *rows, struct json_writer *writer)
{
    json_start_object_property(writer, "markers");
    json_u64_property(writer, "length", rows->markers.count);
    put_column(rows, "name", COLUMN_NAME, writer);
    put_column(rows, "startTime", COLUMN_START, writer);
    put_column(rows, "endTime", COLUMN_END, writer);
    put_column(rows, "phase", COLUMN_PHASE, writer);
    put_column(rows, "category", COLUMN_CATEGORY, writer);
    put_payloads(rows, writer);
    json_end_object(writer);
    if (rows->allocations.count > 0)
        put_allocations(rows, writer);
}
