#include "profctl/merge/merge_source.h"

#include <errno.h>
#include <math.h>

#include "profctl/json_copy.h"
#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/merge/merge_pid.h"
#include "profctl/tables/json_text.h"
#include "profctl/tables/profile_kind.h"

struct looking {
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
static int look_into_object(struct looking *looking, int (*member)(struct looking *looking))
{
    int error = json_expect(looking->reader, JSON_TOKEN_START_OBJECT);

    while (json_next_member(looking->reader, &error))
        error = member(looking);
    return error;
}

/* Calls MEMBER behind each key of each object of the array that comes next. */
static int look_into_objects(struct looking *looking, int (*member)(struct looking *looking),
                             bool *is_any)
{
    int error = json_expect(looking->reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(looking->reader, &error)) {
        *is_any = true;
        while (json_next_member(looking->reader, &error))
            error = member(looking);
    }
    return error;
}

/* --- Processes --- */

static int thread_member(struct looking *looking)
{
    int64_t pid, *added;

    if (!json_reader_is(looking->reader, "pid"))
        return json_reader_skip(looking->reader);
    int token = json_reader_next(looking->reader);
    if (!merge_pid_read(looking->reader, token, &pid))
        return json_reader_skip(looking->reader);
    if (pid < 0 || pid > MERGE_MOST_PID)
        return 0;
    added = mapped_array_push(&looking->source->pids, sizeof(*added));
    if (added == NULL)
        return -ENOMEM;
    *added = pid;
    return 0;
}

static int look_at_threads(struct looking *looking)
{
    bool is_any = false;

    return look_into_objects(looking, thread_member, &is_any);
}

static int lists_member(struct looking *looking)
{
    if (json_reader_is(looking->reader, "categories"))
        return category_lists_read(looking->categories, looking->reader);
    if (json_reader_is(looking->reader, "markerSchema"))
        return marker_schemas_copy(looking->schemas, looking->reader, &looking->nowhere);
    return json_reader_skip(looking->reader);
}

static int process_member(struct looking *looking)
{
    if (json_reader_is(looking->reader, "meta"))
        return look_into_object(looking, lists_member);
    if (json_reader_is(looking->reader, "threads"))
        return look_at_threads(looking);
    return json_reader_skip(looking->reader);
}

/* --- The root --- */

/* Written in one way, so that equal ones are equal texts. */
static int look_at_units(struct looking *looking)
{
    struct json_writer units;

    json_writer_init(&units, &looking->latch);
    int error = json_copy_value(looking->reader, &units);
    if (error == 0)
        error = failure_latch_error(&looking->latch);
    if (error == 0)
        error = json_writer_copy_out(&units, json_sink_memory, &looking->source->units);
    json_writer_fini(&units);
    return error;
}

static int root_meta_member(struct looking *looking)
{
    struct merge_source *source = looking->source;
    struct json_reader *reader = looking->reader;
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
        return look_at_units(looking);
    return lists_member(looking);
}

/* It is kept, since it is written before what may come before it here. */
static int look_at_root_meta(struct looking *looking)
{
    struct json_reader *file = looking->reader;
    struct mapped_array *meta = &looking->source->meta;

    if (looking->has_meta)
        return -EPROTO;
    looking->has_meta = true;
    int error = json_text_append_value(file, meta);
    if (error == 0)
        error = json_reader_open_memory(meta->items, meta->count, &looking->reader);
    if (error == 0) {
        error = look_into_object(looking, root_meta_member);
        json_reader_close(looking->reader);
    }
    looking->reader = file;
    return error;
}

static int root_member(struct looking *looking)
{
    profile_kind_note(&looking->kind, looking->reader);
    looking->has_threads |= json_reader_is(looking->reader, "threads");
    if (json_reader_is(looking->reader, "meta"))
        return look_at_root_meta(looking);
    if (json_reader_is(looking->reader, "processes"))
        return look_into_objects(looking, process_member, &looking->source->has_processes);
    if (json_reader_is(looking->reader, "threads"))
        return look_at_threads(looking);
    return json_reader_skip(looking->reader);
}

static int look_at_profile(struct looking *looking)
{
    int error = look_into_object(looking, root_member);

    if (error == 0)
        error = json_expect(looking->reader, JSON_TOKEN_END);
    if (error == 0)
        error = profile_kind_check_capture(&looking->kind, looking->reader);
    if (error < 0)
        return error;
    bool is_whole = looking->has_meta && looking->has_threads && looking->source->version > 0 &&
                    looking->source->start_unix_ms > 0 &&
                    merge_time_is_valid(looking->source->start_unix_ms);
    return is_whole
               ? 0
               : json_reader_refuse(looking->reader, "not a complete capture: its root has no "
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
    struct looking looking = {
        .reader = reader, .categories = categories, .schemas = schemas, .source = source
    };

    failure_latch_init(&looking.latch);
    json_writer_init_sink(&looking.nowhere, json_sink_nowhere, NULL, &looking.latch);
    int error = look_at_profile(&looking);
    json_writer_fini(&looking.nowhere);
    return error;
}

void merge_source_free(struct merge_source *source)
{
    mapped_array_free(&source->meta);
    mapped_array_free(&source->units);
    mapped_array_free(&source->pids);
}
