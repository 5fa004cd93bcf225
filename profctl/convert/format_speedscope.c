/* The file format of speedscope: a sampled profile for each thread, and the frames of all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "profctl/convert/profile_format.h"
#include "profctl/convert/thread_stacks.h"

struct speedscope {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct json_writer json;
};

static int begin_speedscope(json_sink_write write, void *context, void **out)
{
    struct speedscope *speedscope = calloc(1, sizeof(*speedscope));

    if (speedscope == NULL)
        return -ENOMEM;
    failure_latch_init(&speedscope->latch);
    json_writer_init_sink(&speedscope->json, write, context, &speedscope->latch);
    thread_stacks_init(&speedscope->stacks);
    json_start_object(&speedscope->json);
    json_string_property(&speedscope->json, "$schema",
                         "https://www.speedscope.app/file-format-schema.json");
    json_string_property(&speedscope->json, "exporter", "profd " PROFD_VERSION);
    json_start_array_property(&speedscope->json, "profiles");
    *out = speedscope;
    return 0;
}

static int put_stack(struct speedscope *speedscope, const struct thread_tables *tables,
                     uint32_t stack)
{
    size_t depth;
    const uint32_t *path = thread_stacks_unroll_places(&speedscope->stacks, tables, stack, &depth);

    if (path == NULL)
        return -ENOMEM;
    json_start_array(&speedscope->json);
    for (size_t i = 0; i < depth; i++)
        json_u64(&speedscope->json, thread_stacks_place_at(&speedscope->stacks, path[i]).function);
    json_end_array(&speedscope->json);
    return 0;
}

/* Of samples that stand for anything. */
static int put_samples(struct speedscope *speedscope, const struct profile_thread *thread,
                       uint64_t *sum)
{
    int error = 0;

    *sum = 0;
    json_start_array_property(&speedscope->json, "samples");
    for (size_t i = 0; i < thread->sample_count && error == 0; i++) {
        const struct profile_sample *sample = &thread->samples[i];
        uint64_t weight = thread_stacks_sample_weight(thread, sample);
        if (weight == 0)
            continue;
        *sum += weight;
        error = put_stack(speedscope, thread->tables, sample->stack);
    }
    json_end_array(&speedscope->json);
    return error;
}

static void put_weights(struct speedscope *speedscope, const struct profile_thread *thread)
{
    json_start_array_property(&speedscope->json, "weights");
    for (size_t i = 0; i < thread->sample_count; i++) {
        uint64_t weight = thread_stacks_sample_weight(thread, &thread->samples[i]);
        if (weight != 0)
            json_u64(&speedscope->json, weight);
    }
    json_end_array(&speedscope->json);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct speedscope *speedscope = state;
    char process[THREAD_LABEL_BYTES], *name;
    uint64_t sum;

    if (thread->sample_count == 0)
        return 0;
    int error = thread_stacks_take(&speedscope->stacks, thread);
    if (error < 0)
        return error;
    thread_label_process(thread, process);
    if (asprintf(&name, "%s: %s", process, thread_label_name(thread)) < 0)
        return -ENOMEM;
    json_start_object(&speedscope->json);
    json_string_property(&speedscope->json, "type", "sampled");
    json_string_property(&speedscope->json, "name", name);
    json_string_property(&speedscope->json, "unit", thread->knows_cpu ? "nanoseconds" : "none");
    json_u64_property(&speedscope->json, "startValue", 0);
    error = put_samples(speedscope, thread, &sum);
    put_weights(speedscope, thread);
    json_u64_property(&speedscope->json, "endValue", sum);
    json_end_object(&speedscope->json);
    free(name);
    return error < 0 ? error : failure_latch_error(&speedscope->latch);
}

static void put_string(struct json_writer *json, const char *key,
                       const struct unique_strings *strings, uint32_t index)
{
    size_t length;
    const char *text = unique_strings_get(strings, index, &length);

    json_name(json, key);
    json_string_bytes(json, text, length);
}

/* A function is a frame, whatever the line: frames of several lines would be several functions. */
static void put_frame(struct speedscope *speedscope, uint32_t index)
{
    const struct stack_function function = thread_stacks_function_at(&speedscope->stacks, index);

    json_start_object(&speedscope->json);
    put_string(&speedscope->json, "name", &speedscope->stacks.names, function.name);
    if (function.file != UNIQUE_NONE)
        put_string(&speedscope->json, "file", &speedscope->stacks.files, function.file);
    json_end_object(&speedscope->json);
}

static int finish_speedscope(void *state, const struct profile_facts *facts)
{
    struct speedscope *speedscope = state;
    struct json_writer *json = &speedscope->json;

    (void)facts;
    json_end_array(json);
    json_start_object_property(json, "shared");
    json_start_array_property(json, "frames");
    for (uint32_t i = 0; i < unique_strings_count(&speedscope->stacks.functions); i++)
        put_frame(speedscope, i);
    json_end_array(json);
    json_end_object(json);
    json_end_object(json);
    return json_writer_flush(json);
}

static void end_speedscope(void *state)
{
    struct speedscope *speedscope = state;

    json_writer_fini(&speedscope->json);
    thread_stacks_fini(&speedscope->stacks);
    free(speedscope);
}

const struct profile_format format_speedscope = {
    .name = "speedscope",
    .ending = ".speedscope.json",
    .summary = "speedscope.app",
    .begin = begin_speedscope,
    .add_thread = add_thread,
    .finish = finish_speedscope,
    .end = end_speedscope,
};
