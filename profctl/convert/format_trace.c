/* The trace event format of Chrome, which Perfetto and DevTools open: each call of each thread as a
 * complete event, with the names of processes and threads. */
#include <errno.h>
#include <stdlib.h>

#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_calls.h"

#define US_PER_MS 1e3

struct trace {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct json_writer json;
    double pid, tid; /* of the thread at hand */
};

static int begin(json_sink_write write, void *context, void **out)
{
    struct trace *trace = calloc(1, sizeof(*trace));

    if (trace == NULL)
        return -ENOMEM;
    failure_latch_init(&trace->latch);
    json_writer_init_sink(&trace->json, write, context, &trace->latch);
    thread_stacks_init(&trace->stacks);
    json_start_object(&trace->json);
    json_string_property(&trace->json, "displayTimeUnit", "ms");
    json_start_array_property(&trace->json, "traceEvents");
    *out = trace;
    return 0;
}

/* Numbers that are not told are 0. */
static uint64_t number_of(double id)
{
    return id >= 0 && id < 4294967296.0 ? (uint64_t)id : 0;
}

static void begin_event(struct trace *trace, const char *phase)
{
    json_start_object(&trace->json);
    json_string_property(&trace->json, "ph", phase);
    json_u64_property(&trace->json, "pid", number_of(trace->pid));
    json_u64_property(&trace->json, "tid", number_of(trace->tid));
}

static void put_name(struct trace *trace, const char *what, const char *name)
{
    begin_event(trace, "M");
    json_string_property(&trace->json, "name", what);
    json_start_object_property(&trace->json, "args");
    json_string_property(&trace->json, "name", name);
    json_end_object(&trace->json);
    json_end_object(&trace->json);
}

static int put_call(void *owner, const struct profile_call *call)
{
    struct trace *trace = owner;
    size_t length;
    const char *name = unique_strings_get(&trace->stacks.names, call->frame.function, &length);

    begin_event(trace, "X");
    json_string_property(&trace->json, "cat", "profile");
    json_name(&trace->json, "name");
    json_string_bytes(&trace->json, name, length);
    json_double_property(&trace->json, "ts", call->start_ms * US_PER_MS);
    json_double_property(&trace->json, "dur", (call->end_ms - call->start_ms) * US_PER_MS);
    json_start_object_property(&trace->json, "args");
    json_u64_property(&trace->json, "nodeId", call->frame.node);
    json_u64_property(&trace->json, "sampleIndex", call->sample);
    json_double_property(&trace->json, "selfTime", call->self_ms * US_PER_MS);
    json_end_object(&trace->json);
    json_end_object(&trace->json);
    return failure_latch_error(&trace->latch);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct trace *trace = state;
    char process[THREAD_LABEL_BYTES];
    int err = thread_stacks_take(&trace->stacks, thread);

    thread_label_process(thread, process);
    trace->pid = thread->pid;
    trace->tid = thread->tid;
    put_name(trace, "process_name", process);
    put_name(trace, "thread_name", thread_label_name(thread));
    return err < 0 ? err : thread_calls_tell(&trace->stacks, thread, put_call, trace);
}

static int finish(void *state, const struct profile_facts *facts)
{
    struct trace *trace = state;

    json_end_array(&trace->json);
    if (facts->start_unix_ms > 0) {
        json_start_object_property(&trace->json, "metadata");
        json_double_property(&trace->json, "startUnixMs", facts->start_unix_ms);
        json_end_object(&trace->json);
    }
    json_end_object(&trace->json);
    return json_writer_flush(&trace->json);
}

static void end(void *state)
{
    struct trace *trace = state;

    json_writer_fini(&trace->json);
    thread_stacks_fini(&trace->stacks);
    free(trace);
}

const struct profile_format format_trace = {
    .name = "trace",
    .ending = ".trace.json",
    .summary = "Chrome trace events with calls, for Perfetto and DevTools",
    .begin = begin,
    .add_thread = add_thread,
    .finish = finish,
    .end = end,
};
