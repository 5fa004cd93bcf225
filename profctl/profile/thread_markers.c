#include "profctl/profile/thread_markers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "profctl/tables/json_table.h"

enum {
    MARKER_NAME,
    MARKER_START,
    MARKER_END,
    MARKER_PHASE,
    MARKER_CATEGORY,
    MARKER_DATA,
    MARKER_COLUMNS,
};
static const char *const marker_columns[MARKER_COLUMNS] = { "name",  "startTime", "endTime",
                                                            "phase", "category",  "data" };

void thread_markers_free(struct thread_markers *markers)
{
    mapped_array_free(&markers->markers);
    mapped_array_free(&markers->data);
}

void thread_markers_clear(struct thread_markers *markers)
{
    markers->markers.count = 0;
    markers->data.count = 0;
}

/* The times that the phase of MARKER has; the other one is made the same. */
static int take_times(struct table_marker *marker, const struct json_cell *start,
                      const struct json_cell *end)
{
    bool begins = marker_phase_begins(marker->phase), ends = marker_phase_ends(marker->phase);

    if ((begins && start->token != JSON_TOKEN_NUMBER) || (ends && end->token != JSON_TOKEN_NUMBER))
        return -EPROTO;
    marker->start_ms = begins ? start->number : end->number;
    marker->end_ms = ends ? end->number : start->number;
    return 0;
}

static int add_marker(struct thread_markers *markers, uint32_t string_count,
                      const struct json_cell *cells, size_t data_offset)
{
    uint32_t name, phase, category;
    int error = json_cell_index(&cells[MARKER_NAME], string_count, &name);

    if (error == 0)
        error = json_cell_index(&cells[MARKER_PHASE], PHASE_END + 1, &phase);
    if (error == 0)
        error = json_cell_index(&cells[MARKER_CATEGORY], UINT32_MAX, &category);
    if (error < 0)
        return error;
    struct table_marker *marker = mapped_array_push(&markers->markers, sizeof(*marker));
    if (marker == NULL)
        return -ENOMEM;
    bool has_data = cells[MARKER_DATA].token == JSON_TOKEN_START_OBJECT;
    *marker = (struct table_marker){
        .name = name,
        .phase = (enum marker_phase)phase,
        .category = category,
        .data_offset = data_offset,
        .data_length = has_data ? markers->data.count - data_offset : 0,
    };
    return take_times(marker, &cells[MARKER_START], &cells[MARKER_END]);
}

static int refuse_marker(struct json_reader *reader)
{
    return json_reader_refuse(reader,
                              "byte %" PRIu64 ": invalid name, category, phase or time in the "
                              "marker that ends here",
                              json_reader_offset(reader));
}

int thread_markers_read(struct thread_markers *markers, uint32_t string_count,
                        struct json_reader *reader)
{
    struct json_cell cells[JSON_TABLE_MAX_COLUMNS];
    struct json_table table;
    size_t data_offset = 0;
    int error = json_table_open(&table, marker_columns, MARKER_COLUMNS, reader);

    if (error < 0)
        return error;
    thread_markers_clear(markers);
    json_table_keep_text(&table, MARKER_DATA, &markers->data);
    while (json_table_next(&table, reader, cells, &error)) {
        error = add_marker(markers, string_count, cells, data_offset);
        if (error == -EPROTO)
            error = refuse_marker(reader);
        data_offset = markers->data.count;
    }
    return error;
}

const char *thread_markers_data(const struct thread_markers *markers,
                                const struct table_marker *marker)
{
    return marker->data_length > 0 ? (const char *)markers->data.items + marker->data_offset : NULL;
}
