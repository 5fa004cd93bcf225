/* The trace event format of Chrome, which Perfetto and DevTools open: each call of each thread as a
 * complete event, with markers, flows and counters, and the names of processes and threads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_calls.h"
#include "profctl/convert/trace_event.h"
#include "profctl/convert/trace_lanes.h"
#include "profctl/convert/trace_markers.h"

struct trace {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct json_writer json;
    struct trace_markers markers;
    struct trace_lanes lanes;
    struct mapped_array own_tracks; /* struct trace_track, of a thread that is in no lane */
    struct trace_place place;       /* of the thread at hand */
    double root_pid, inner_pid;     /* of the processes at hand; below 0: not known */
};

static int begin_trace(json_sink_write write, void *context, void **out)
{
    struct trace *trace = calloc(1, sizeof(*trace));

    if (trace == NULL)
        return -ENOMEM;
    failure_latch_init(&trace->latch);
    json_writer_init_sink(&trace->json, write, context, &trace->latch);
    thread_stacks_init(&trace->stacks);
    trace_markers_init(&trace->markers);
    trace_lanes_init(&trace->lanes, LANES_APART);
    trace->root_pid = trace->inner_pid = -1;
    json_start_object(&trace->json);
    json_string_property(&trace->json, "displayTimeUnit", "ms");
    json_start_array_property(&trace->json, "traceEvents");
    *out = trace;
    return 0;
}

static int put_call(void *owner, const struct profile_call *call)
{
    struct trace *trace = owner;
    size_t length;
    const char *name = unique_strings_get(&trace->stacks.names, call->frame.function, &length);

    trace_event_begin(&trace->json, "X", &trace->place);
    json_string_property(&trace->json, "cat", "profile");
    json_name(&trace->json, "name");
    json_string_bytes(&trace->json, name, length);
    json_double_property(&trace->json, "ts", call->start_ms * US_PER_MS);
    json_double_property(&trace->json, "dur", (call->end_ms - call->start_ms) * US_PER_MS);
    const char *file = thread_stacks_file_of(&trace->stacks, call->frame.function, &length);
    json_start_object_property(&trace->json, "args");
    if (file != NULL) {
        json_name(&trace->json, "file");
        json_string_bytes(&trace->json, file, length);
    }
    json_u64_property(&trace->json, "nodeId", call->frame.node);
    json_u64_property(&trace->json, "sampleIndex", call->sample);
    json_double_property(&trace->json, "selfTime", call->self_ms * US_PER_MS);
    json_end_object(&trace->json);
    json_end_object(&trace->json);
    return failure_latch_error(&trace->latch);
}

static void merge_exited(void *state, size_t apart)
{
    struct trace *trace = state;

    trace->lanes.walk.choice.apart = apart;
}

/* A thread whose process shares its place with no other. */
static void take_own_place(struct trace *trace, const struct profile_thread *thread)
{
    char process[THREAD_LABEL_BYTES];

    thread_label_process(thread, process);
    trace->own_tracks.count = 0;
    trace->place = (struct trace_place){ thread->pid, thread->tid };
    trace_event_name(&trace->json, &trace->place, "process_name", process);
    trace_event_name(&trace->json, &trace->place, "thread_name", thread_label_name(thread));
}

static int put_thread(struct trace *trace, const struct profile_thread *thread,
                      struct mapped_array *tracks)
{
    const struct trace_marker_place markers = { trace->place.pid, tracks };
    int error = thread_stacks_take(&trace->stacks, thread);

    *(thread->is_of_root ? &trace->root_pid : &trace->inner_pid) = trace->place.pid;
    if (error == 0)
        error = thread_calls_tell(&trace->stacks, thread, &trace->markers.types, put_call, trace);
    return error < 0 ? error : trace_markers_put(&trace->markers, thread, &markers, &trace->json);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct trace *trace = state;
    struct mapped_array *tracks = &trace->own_tracks;
    int in_lane = trace_lanes_take_thread(&trace->lanes, thread, &trace->place, &tracks);

    if (in_lane < 0)
        return in_lane;
    if (in_lane == 0)
        take_own_place(trace, thread);
    return put_thread(trace, thread, tracks);
}

/* --- What else processes tell --- */

static int add_meta(void *state, const char *name, const char *json, size_t length)
{
    struct trace *trace = state;

    lane_walk_take_meta(&trace->lanes.walk, name, json, length);
    return strcmp(name, "markerSchema") == 0
               ? processed_types_take(&trace->markers.types, json, length)
               : 0;
}

/* As it stands, since viewers do not add up. */
static int add_counter(void *state, const struct profile_counter *counter)
{
    struct trace *trace = state;
    const struct counter_sample *samples = counter->samples.items;
    const struct trace_place place = { .pid = trace->inner_pid >= 0 ? trace->inner_pid
                                                                    : trace->root_pid };
    double sum = 0;

    for (size_t i = 0; i < counter->samples.count; i++) {
        sum += samples[i].count;
        trace_event_begin(&trace->json, "C", &place);
        json_string_property(&trace->json, "cat",
                             counter->category != NULL ? counter->category : "counter");
        json_string_property(&trace->json, "name", counter->name != NULL ? counter->name : "");
        json_double_property(&trace->json, "ts", samples[i].time_ms * US_PER_MS);
        json_start_object_property(&trace->json, "args");
        json_double_property(&trace->json, "value", sum);
        json_end_object(&trace->json);
        json_end_object(&trace->json);
    }
    return failure_latch_error(&trace->latch);
}

static int add_process(void *state, bool is_root, const struct process_log *log)
{
    struct trace *trace = state;

    if (is_root)
        return 0;
    int error = trace_lanes_end_process(&trace->lanes, log, &trace->json);
    trace->inner_pid = -1;
    return error < 0 ? error : failure_latch_error(&trace->latch);
}

static int finish_trace(void *state, const struct profile_facts *facts)
{
    struct trace *trace = state;
    int error = trace_markers_put_flows(&trace->markers, &trace->json);

    trace_lanes_put_names(&trace->lanes, &trace->json);
    json_end_array(&trace->json);
    if (facts->start_unix_ms > 0) {
        json_start_object_property(&trace->json, "metadata");
        json_double_property(&trace->json, "startUnixMs", facts->start_unix_ms);
        json_end_object(&trace->json);
    }
    json_end_object(&trace->json);
    int flush_err = json_writer_flush(&trace->json);
    return error < 0 ? error : flush_err;
}

static void end_trace(void *state)
{
    struct trace *trace = state;

    json_writer_fini(&trace->json);
    thread_stacks_fini(&trace->stacks);
    trace_markers_fini(&trace->markers);
    trace_lanes_free(&trace->lanes);
    mapped_array_free(&trace->own_tracks);
    free(trace);
}

const struct profile_format format_trace = {
    .name = "trace",
    .ending = ".trace.json",
    .summary = "Chrome trace events with calls, markers and counters, for Perfetto and DevTools",
    .begin = begin_trace,
    .add_thread = add_thread,
    .add_counter = add_counter,
    .add_meta = add_meta,
    .add_process = add_process,
    .merge_exited = merge_exited,
    .wants_markers = true,
    .finish = finish_trace,
    .end = end_trace,
};
