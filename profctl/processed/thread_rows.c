#include "profctl/processed/thread_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "profctl/json_sinks.h"

/* --- Samples --- */

static int add_samples(struct thread_rows *rows, const struct payload_source *source)
{
    const struct profile_thread *thread = source->thread;
    size_t count = rows->samples.count;

    rows->knows_cpu = thread->knows_cpu;
    int error = mapped_array_reserve(&rows->samples, count + thread->sample_count,
                                     sizeof(struct profile_sample));
    if (error < 0)
        return error;
    struct profile_sample *added = (struct profile_sample *)rows->samples.items + count;
    for (size_t i = 0; i < thread->sample_count; i++) {
        added[i] = thread->samples[i];
        if (added[i].stack != TABLE_NONE)
            added[i].stack = thread_frames_stack(source->frames, added[i].stack);
    }
    rows->samples.count = count + thread->sample_count;
    return 0;
}

/* --- Payloads --- */

/* Of a marker, as one value of the WRITER, whose commas are left out. */
static int add_payload(struct thread_rows *rows, const struct payload_source *source,
                       const struct table_marker *marker, struct json_writer *writer,
                       struct marker_row *row)
{
    size_t start = rows->payloads.count;
    int error = payload_write(source, thread_markers_data(source->thread->markers, marker),
                              marker->data_length, writer);

    if (error == 0)
        error = json_writer_flush(writer);
    if (error < 0)
        return error;
    if (((const char *)rows->payloads.items)[start] == ',')
        start++;
    row->payload = start;
    row->payload_length = rows->payloads.count - start;
    return 0;
}

/* --- Markers --- */

/* When a marker was recorded: what it lacks is that of the other end. */
static double time_of(const struct marker_row *row)
{
    return row->phase == PHASE_START ? row->start_ms : row->end_ms;
}

static int compare_markers(const void *left, const void *right)
{
    const struct marker_row *a = left, *b = right;
    double time_a = time_of(a), time_b = time_of(b);

    if (time_a != time_b)
        return time_a < time_b ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static int compare_allocations(const void *left, const void *right)
{
    const struct payload_allocation *a = left, *b = right;

    return (a->time_ms > b->time_ms) - (a->time_ms < b->time_ms);
}

static int push_marker(struct thread_rows *rows, const struct marker_row *row)
{
    struct marker_row *added = mapped_array_push(&rows->markers, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = *row;
    added->sequence = (uint32_t)rows->markers.count;
    return 0;
}

static int add_allocation(struct thread_rows *rows, const struct payload_allocation *allocation)
{
    struct payload_allocation *added = mapped_array_push(&rows->allocations, sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    *added = *allocation;
    return 0;
}

static int add_marker(struct thread_rows *rows, const struct payload_source *source,
                      const struct table_marker *marker, struct json_writer *writer)
{
    const struct thread_markers *markers = source->thread->markers;
    struct payload_allocation allocation;
    size_t length;
    const char *name = thread_tables_string(source->thread->tables, marker->name, &length);
    struct marker_row row = {
        .start_ms = marker->start_ms,
        .end_ms = marker->end_ms,
        .category = marker->category,
        .phase = (uint8_t)marker->phase,
    };
    int is_allocation = marker->data_length == 0
                            ? 0
                            : payload_read_allocation(source, thread_markers_data(markers, marker),
                                                      marker->data_length, &allocation);

    if (is_allocation < 0)
        return is_allocation;
    if (is_allocation > 0) {
        allocation.time_ms = marker->start_ms;
        return add_allocation(rows, &allocation);
    }
    row.name = shared_tables_string(source->tables, name, length);
    int error = marker->data_length > 0 ? add_payload(rows, source, marker, writer, &row) : 0;
    return error < 0 ? error : push_marker(rows, &row);
}

/* The viewer pairs starts with ends in the order of the table. */
static void sort_rows(struct thread_rows *rows, size_t first_marker, size_t first_allocation)
{
    size_t markers = rows->markers.count - first_marker;
    size_t allocations = rows->allocations.count - first_allocation;

    if (markers > 1)
        qsort((struct marker_row *)rows->markers.items + first_marker, markers,
              sizeof(struct marker_row), compare_markers);
    if (allocations > 1)
        qsort((struct payload_allocation *)rows->allocations.items + first_allocation, allocations,
              sizeof(struct payload_allocation), compare_allocations);
}

static int add_markers(struct thread_rows *rows, const struct payload_source *source)
{
    const struct thread_markers *markers = source->thread->markers;
    size_t first_marker = rows->markers.count, first_allocation = rows->allocations.count;
    struct failure_latch latch;
    struct json_writer writer;
    int error = 0;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_memory, &rows->payloads, &latch);
    for (size_t i = 0; error == 0 && i < markers->markers.count; i++)
        error = add_marker(rows, source, (const struct table_marker *)markers->markers.items + i,
                           &writer);
    json_writer_fini(&writer);
    sort_rows(rows, first_marker, first_allocation);
    return error < 0 ? error : shared_tables_error(source->tables);
}

/* --- All --- */

int thread_rows_add(struct thread_rows *rows, const struct payload_source *source)
{
    int error = add_samples(rows, source);

    return error < 0 ? error : add_markers(rows, source);
}

int thread_rows_add_marker(struct thread_rows *rows, const struct marker_row *marker,
                           const char *payload, size_t length)
{
    struct marker_row row = *marker;

    row.payload = rows->payloads.count;
    row.payload_length = length;
    int error = json_sink_memory(&rows->payloads, payload, length);
    return error < 0 ? error : push_marker(rows, &row);
}

void thread_rows_clear(struct thread_rows *rows)
{
    rows->samples.count = rows->markers.count = 0;
    rows->payloads.count = rows->allocations.count = 0;
}

void thread_rows_free(struct thread_rows *rows)
{
    mapped_array_free(&rows->samples);
    mapped_array_free(&rows->markers);
    mapped_array_free(&rows->payloads);
    mapped_array_free(&rows->allocations);
}
