#include "profctl/convert/trace_markers.h"

#include <errno.h>
#include <stdio.h>

#include "common/time_units.h"
#include "json/hash.h"
#include "json/json_reader.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/json_copy.h"
#include "profctl/json_steps.h"
#include "profctl/processed/processed_payload.h"

enum {
    FIRST_TRACK = 1 << 30, /* the kernel has no such thread */
    MAX_TRACKS = 256,      /* of a thread; what overlaps even more is on the last */
};

/* Viewers draw nothing that takes no time, and a flow needs something to begin at. */
static const double shortest_us = 0.001;

void trace_markers_init(struct trace_markers *markers)
{
    *markers = (struct trace_markers){ 0 };
    failure_latch_init(&markers->latch);
    unique_strings_init(&markers->flows, &markers->latch);
    processed_types_init(&markers->types);
}

void trace_markers_fini(struct trace_markers *markers)
{
    unique_strings_fini(&markers->flows);
    processed_types_free(&markers->types);
    mapped_array_free(&markers->points);
    marker_spans_free(&markers->spans);
}

/* --- Tracks --- */

/* The markers that are being written. */
struct marker_writer {
    struct trace_markers *markers;
    const struct profile_thread *thread;
    const struct trace_marker_place *place;
    struct json_writer *json;
};

static void name_track(const struct marker_writer *writer, uint32_t number)
{
    const struct trace_place place = { writer->place->pid, FIRST_TRACK + number };
    const char *thread = thread_label_name(writer->thread);
    size_t index = writer->place->tracks->count;
    char name[THREAD_LABEL_BYTES + 32];

    if (index == 1)
        snprintf(name, sizeof(name), "%.200s: markers", thread);
    else
        snprintf(name, sizeof(name), "%.200s: markers %zu", thread, index);
    trace_event_name(writer->json, &place, "thread_name", name);
}

static struct trace_track *new_track(const struct marker_writer *writer)
{
    struct trace_track *track = mapped_array_push(writer->place->tracks, sizeof(*track));

    if (track == NULL)
        return NULL;
    track->number = writer->markers->tracks++;
    name_track(writer, track->number);
    return track;
}

/* The track on which SPAN has room, which it takes; NULL without memory. */
static const struct trace_track *take_track(const struct marker_writer *writer,
                                            const struct marker_span *span)
{
    struct trace_track *tracks = writer->place->tracks->items, *track;
    size_t count = writer->place->tracks->count, index = 0;

    while (index < count && tracks[index].until_ms > span->start_ms)
        index++;
    if (index == MAX_TRACKS)
        return &tracks[index - 1];
    track = index < count ? &tracks[index] : new_track(writer);
    if (track != NULL)
        track->until_ms = span->end_ms > span->start_ms ? span->end_ms : span->start_ms;
    return track;
}

/* --- Payloads --- */

/* What is read of a payload, and where it goes. */
struct payload {
    struct trace_markers *markers;
    const struct profile_thread *thread;
    struct json_reader *reader;
    struct json_writer *json;
    uint64_t type;
    struct trace_flow_point point; /* of its flows, but for the flow */
};

static int keep_point(struct payload *payload, const char *flow, size_t length)
{
    struct trace_flow_point *point = mapped_array_push(&payload->markers->points, sizeof(*point));
    uint32_t name = unique_strings_add(&payload->markers->flows, flow, length);

    if (point == NULL || name == UNIQUE_NONE)
        return -ENOMEM;
    *point = payload->point;
    point->flow = name;
    return 0;
}

/* A number of a string of the thread, as that string; any other value stays. */
static int put_string_of_number(struct payload *payload, uint64_t key)
{
    const struct thread_tables *tables = payload->thread->tables;
    int token = json_reader_next(payload->reader);
    uint64_t index;
    size_t length;

    if (token != JSON_TOKEN_NUMBER)
        return json_copy_from(payload->reader, token, payload->json);
    if (json_reader_u64(payload->reader, &index) != 0 || index >= tables->strings.count)
        return -EPROTO;
    const char *text = thread_tables_string(tables, (uint32_t)index, &length);
    json_string_bytes(payload->json, text, length);
    return processed_types_flow(&payload->markers->types, payload->type, key) != MARKER_FLOW_NONE
               ? keep_point(payload, text, length)
               : 0;
}

static int put_member(struct payload *payload)
{
    const char *text;
    size_t length;

    if (json_reader_is(payload->reader, "stack"))
        return json_reader_skip(payload->reader); /* its numbers mean nothing here */
    int error = json_reader_string(payload->reader, &text, &length);
    if (error < 0)
        return error;
    uint64_t key = hash_bytes(text, length);
    json_name_bytes(payload->json, text, length);
    return processed_types_is_indexed(&payload->markers->types, payload->type, key)
               ? put_string_of_number(payload, key)
               : json_copy_value(payload->reader, payload->json);
}

static int put_payload(struct payload *payload, const char *data, size_t length)
{
    int error = payload_find_type(data, length, &payload->type);

    if (error == 0)
        error = json_reader_open_memory(data, length, &payload->reader);
    if (error < 0)
        return error;
    json_start_object_property(payload->json, "args");
    error = json_expect(payload->reader, JSON_TOKEN_START_OBJECT);
    while (json_next_member(payload->reader, &error))
        error = put_member(payload);
    json_end_object(payload->json);
    json_reader_close(payload->reader);
    return error;
}

/* --- Markers --- */

static int put_span(const struct marker_writer *writer, const struct marker_span *span)
{
    const struct profile_thread *thread = writer->thread;
    struct json_writer *json = writer->json;
    const struct table_marker *marker =
        (const struct table_marker *)thread->markers->markers.items + span->marker;
    const char *data = thread_markers_data(thread->markers, marker);
    double duration_us = (span->end_ms - span->start_ms) * US_PER_MS;
    size_t length;
    const char *name = thread_tables_string(thread->tables, span->name, &length);
    const struct trace_track *track = take_track(writer, span);
    int error = 0;

    if (track == NULL)
        return -ENOMEM;
    struct payload payload = {
        .markers = writer->markers,
        .thread = thread,
        .json = json,
        .point = { .time_ms = span->start_ms,
                   .place = { writer->place->pid, FIRST_TRACK + track->number } },
    };
    trace_event_begin(json, "X", &payload.point.place);
    json_string_property(json, "cat", "marker");
    json_name(json, "name");
    json_string_bytes(json, name, length);
    json_double_property(json, "ts", span->start_ms * US_PER_MS);
    json_double_property(json, "dur", duration_us > shortest_us ? duration_us : shortest_us);
    if (data != NULL)
        error = put_payload(&payload, data, marker->data_length);
    json_end_object(json);
    return error;
}

static bool is_before(const void *left, const void *right)
{
    const struct marker_span *a = left, *b = right;

    return a->start_ms != b->start_ms ? a->start_ms < b->start_ms : a->marker < b->marker;
}

int trace_markers_put(struct trace_markers *markers, const struct profile_thread *thread,
                      const struct trace_marker_place *place, struct json_writer *json)
{
    const struct marker_writer writer = { markers, thread, place, json };
    int error = marker_spans_take(&markers->spans, thread);
    const struct marker_span *spans = markers->spans.spans.items;

    if (error < 0)
        return error;
    mapped_array_sort(&markers->spans.spans, sizeof(*spans), is_before);
    for (size_t i = 0; i < markers->spans.spans.count && error == 0; i++)
        error = put_span(&writer, &spans[i]);
    return error;
}

/* --- Flows --- */

static bool is_earlier_in_flow(const void *left, const void *right)
{
    const struct trace_flow_point *a = left, *b = right;

    return a->flow != b->flow ? a->flow < b->flow : a->time_ms < b->time_ms;
}

static void put_point(const struct trace_markers *markers, const struct trace_flow_point *point,
                      const char *phase, struct json_writer *json)
{
    size_t length;
    const char *id = unique_strings_get(&markers->flows, point->flow, &length);

    trace_event_begin(json, phase, &point->place);
    json_string_property(json, "cat", "flow");
    json_string_property(json, "name", "flow");
    json_name(json, "id");
    json_string_bytes(json, id, length);
    json_string_property(json, "bp", "e");
    json_double_property(json, "ts", point->time_ms * US_PER_MS);
    json_end_object(json);
}

/* A flow that has a single marker leads nowhere. */
static void put_flow(const struct trace_markers *markers, const struct trace_flow_point *points,
                     size_t count, struct json_writer *json)
{
    for (size_t i = 0; i < count && count > 1; i++)
        put_point(markers, &points[i], i == 0 ? "s" : i + 1 == count ? "f" : "t", json);
}

int trace_markers_put_flows(struct trace_markers *markers, struct json_writer *json)
{
    const struct trace_flow_point *points = markers->points.items;
    size_t count = markers->points.count, end;

    mapped_array_sort(&markers->points, sizeof(*points), is_earlier_in_flow);
    for (size_t first = 0; first < count; first = end) {
        for (end = first; end < count && points[end].flow == points[first].flow;)
            end++;
        put_flow(markers, &points[first], end - first, json);
    }
    return failure_latch_error(&markers->latch);
}
