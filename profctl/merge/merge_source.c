#include "profctl/merge/merge_source.h"

#include <errno.h>
#include <math.h>

#include "profctl/json_copy.h"
#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/merge/merge_pid.h"
#include "profctl/tables/json_text.h"
#include "profctl/tables/profile_kind.h"

struct source_scan {
    struct json_reader *reader;
    struct category_lists *categories;
    struct marker_schemas *schemas;
    struct json_writer nowhere;
    struct failure_latch latch; /* of that writer */
    struct merge_source *source;
    struct profile_kind kind;
    bool has_meta, has_threads; /* the root has */
};

/* Calls MEMBER behind each key of the object that comes next. */
static int look_into_object(struct source_scan *scan, int (*member)(struct source_scan *scan))
{
    int error = json_expect(scan->reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(scan->reader, &error))
        error = member(scan);
    return error;
}

/* Calls MEMBER behind each key of each object of the array that comes next. */
static int look_into_objects(struct source_scan *scan, int (*member)(struct source_scan *scan),
                             bool *is_any)
{
    int error = json_expect(scan->reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(scan->reader, &error)) {
        *is_any = true;
        while (json_next_member(scan->reader, &error))
            error = member(scan);
    }
    return error;
}

/* --- Processes --- */

static int thread_member(struct source_scan *scan)
{
    int64_t pid, *added;

    if (!json_reader_is(scan->reader, "pid"))
        return json_reader_skip(scan->reader);
    int token = json_reader_next(scan->reader);
    if (!merge_pid_read(scan->reader, token, &pid))
        return json_reader_skip(scan->reader);
    if (pid < 0 || pid > MERGE_MAX_PID)
        return 0;
    added = mapped_array_push(&scan->source->pids, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = pid;
    return 0;
}

static int look_at_threads(struct source_scan *scan)
{
    bool is_any = false;

    return look_into_objects(scan, thread_member, &is_any);
}

static int lists_member(struct source_scan *scan)
{
    if (json_reader_is(scan->reader, "categories"))
        return category_lists_read(scan->categories, scan->reader);
    if (json_reader_is(scan->reader, "markerSchema"))
        return marker_schemas_copy(scan->schemas, scan->reader, &scan->nowhere);
    return json_reader_skip(scan->reader);
}

static int process_member(struct source_scan *scan)
{
    if (json_reader_is(scan->reader, "meta"))
        return look_into_object(scan, lists_member);
    if (json_reader_is(scan->reader, "threads"))
        return look_at_threads(scan);
    return json_reader_skip(scan->reader);
}

/* --- The root --- */

/* Written in one way, so that equal ones are equal texts. */
static int look_at_units(struct source_scan *scan)
{
    struct json_writer units;

    json_writer_init(&units, &scan->latch);
    int error = json_copy_value(scan->reader, &units);
    if (error == 0)
        error = failure_latch_error(&scan->latch);
    if (error == 0)
        error = json_writer_copy_out(&units, json_sink_memory, &scan->source->units);
    json_writer_fini(&units);
    return error;
}

static int root_meta_member(struct source_scan *scan)
{
    struct merge_source *source = scan->source;
    struct json_reader *reader = scan->reader;
    const struct {
        const char *name;
        double *place;
    } numbers[] = { { "version", &source->version },
                    { "startTime", &source->start_unix_ms },
                    { "profilingStartTime", &source->begin_ms },
                    { "profilingEndTime", &source->end_ms },
                    { "interval", &source->interval_ms } };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (json_reader_is(reader, numbers[i].name))
            return json_number_keep(reader, numbers[i].place);
    }
    if (json_reader_is(reader, "presymbolicated")) {
        source->is_symbolicated = json_reader_next(reader) == JSON_TOKEN_TRUE;
        return json_reader_skip(reader);
    }
    if (json_reader_is(reader, "sampleUnits"))
        return look_at_units(scan);
    return lists_member(scan);
}

/* It is kept, since it is written before what may come before it here. */
static int look_at_root_meta(struct source_scan *scan)
{
    struct json_reader *file = scan->reader;
    struct mapped_array *meta = &scan->source->meta;

    if (scan->has_meta)
        return -EPROTO;
    scan->has_meta = true;
    int error = json_text_append_value(file, meta);
    if (error == 0)
        error = json_reader_open_memory(meta->items, meta->count, &scan->reader);
    if (error == 0) {
        error = look_into_object(scan, root_meta_member);
        json_reader_close(scan->reader);
    }
    scan->reader = file;
    return error;
}

static int root_member(struct source_scan *scan)
{
    profile_kind_note(&scan->kind, scan->reader);
    scan->has_threads |= json_reader_is(scan->reader, "threads");
    if (json_reader_is(scan->reader, "meta"))
        return look_at_root_meta(scan);
    if (json_reader_is(scan->reader, "processes"))
        return look_into_objects(scan, process_member, &scan->source->has_processes);
    if (json_reader_is(scan->reader, "threads"))
        return look_at_threads(scan);
    return json_reader_skip(scan->reader);
}

static int look_at_profile(struct source_scan *scan)
{
    int error = look_into_object(scan, root_member);

    if (error == 0)
        error = json_expect(scan->reader, JSON_TOKEN_END);
    if (error == 0)
        error = profile_kind_check_capture(&scan->kind, scan->reader);
    if (error < 0)
        return error;
    bool is_whole = scan->has_meta && scan->has_threads && scan->source->version > 0 &&
                    scan->source->start_unix_ms > 0 &&
                    merge_time_is_valid(scan->source->start_unix_ms);
    return is_whole ? 0
                    : json_reader_refuse(scan->reader, "not a complete capture: its root has no "
                                                       "\"threads\", or no \"meta\" with version "
                                                       "and startTime");
}

void merge_source_init(struct merge_source *source, const char *path)
{
    *source =
        (struct merge_source){ .path = path, .begin_ms = NAN, .end_ms = NAN, .interval_ms = NAN };
}

int merge_source_read(struct merge_source *source, struct json_reader *reader,
                      struct category_lists *categories, struct marker_schemas *schemas)
{
    struct source_scan scan = {
        .reader = reader, .categories = categories, .schemas = schemas, .source = source
    };

    failure_latch_init(&scan.latch);
    json_writer_init_sink(&scan.nowhere, json_sink_nowhere, NULL, &scan.latch);
    int error = look_at_profile(&scan);
    json_writer_fini(&scan.nowhere);
    return error;
}

void merge_source_free(struct merge_source *source)
{
    mapped_array_free(&source->meta);
    mapped_array_free(&source->units);
    mapped_array_free(&source->pids);
}
