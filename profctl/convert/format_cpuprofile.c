/* Profiler.Profile of the DevTools protocol, which DevTools and editors open as .cpuprofile: the
 * call tree of one thread and its samples, in whole microseconds on the profile's time line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/time_units.h"
#include "profctl/convert/call_samples.h"
#include "profctl/convert/profile_format.h"
#include "profctl/profile/frame_name.h"

#define MAX_US 1e15

enum { FIRST_SCRIPT = 1 /* 0 is none */ };

struct cpuprofile {
    struct thread_stacks stacks;
    struct failure_latch latch;
    struct json_writer json;
    struct profile_tree tree;
    struct call_samples samples;
    struct unique_strings sources; /* files and libraries … */
    struct unique_strings scripts; /* … and pairs of a script's number and a source, as bytes */
    struct mapped_array hits;      /* uint64_t, of each node */
    bool has_thread;
};

static int begin_cpuprofile(json_sink_write write, void *context, void **out)
{
    struct cpuprofile *profile = calloc(1, sizeof(*profile));

    if (profile == NULL)
        return -ENOMEM;
    failure_latch_init(&profile->latch);
    json_writer_init_sink(&profile->json, write, context, &profile->latch);
    thread_stacks_init(&profile->stacks);
    profile_tree_init(&profile->tree, &profile->stacks);
    unique_strings_init(&profile->sources, &profile->latch);
    unique_strings_init(&profile->scripts, &profile->latch);
    *out = profile;
    return 0;
}

/* --- Nodes --- */

/* A number for the script of a node: DevTools tells functions of one name apart by it. */
static uint32_t number_script(struct cpuprofile *profile, const struct profile_node *node,
                              const struct frame_name_parts *parts)
{
    if (node->script == 0 && parts->source == NULL)
        return 0;
    const uint32_t key[] = {
        node->script,
        unique_strings_add(&profile->sources, parts->source != NULL ? parts->source : "",
                           parts->source_length),
    };
    uint32_t index = unique_strings_add(&profile->scripts, (const char *)key, sizeof(key));
    return index != UNIQUE_NONE ? index + FIRST_SCRIPT : 0;
}

/* The file of native code says more than the library that it is in. Nobody knows where a function
 * begins in it: the first of its lines that was met is near. */
static void take_file(const struct cpuprofile *profile, uint32_t name,
                      struct frame_name_parts *parts)
{
    size_t length;
    const char *file = thread_stacks_file_of(&profile->stacks, name, &length);

    if (file == NULL || (parts->source != NULL && !parts->is_library))
        return;
    parts->source = file;
    parts->source_length = length;
    parts->line = thread_stacks_line_of(&profile->stacks, name);
}

/* Lines and columns are counted from 0 there; -1: not told. */
static void put_position(struct json_writer *json, const char *name, uint32_t position)
{
    json_i64_property(json, name, (int64_t)position - 1);
}

static void put_call_frame(struct cpuprofile *profile, const struct profile_node *node)
{
    struct json_writer *json = &profile->json;
    struct frame_name_parts parts;
    size_t length;
    char script[16];
    const char *name = unique_strings_get(&profile->stacks.names, node->name, &length);

    frame_name_split(name, length, &parts);
    take_file(profile, node->name, &parts);
    snprintf(script, sizeof(script), "%u", number_script(profile, node, &parts));
    json_start_object_property(json, "callFrame");
    json_name(json, "functionName");
    json_string_bytes(json, parts.function, parts.function_length);
    json_string_property(json, "scriptId", script);
    json_name(json, "url");
    json_string_bytes(json, parts.source != NULL ? parts.source : "", parts.source_length);
    put_position(json, "lineNumber", parts.line);
    put_position(json, "columnNumber", parts.column);
    json_end_object(json);
}

static void put_children(struct cpuprofile *profile, const struct profile_node *node)
{
    uint32_t child = node->first_child;

    if (child == PROFILE_TREE_NONE && node->kind != PROFILE_NODE_ROOT)
        return;
    json_start_array_property(&profile->json, "children");
    for (; child != PROFILE_TREE_NONE;
         child = profile_tree_node(&profile->tree, child)->next_sibling)
        json_u64(&profile->json, profile_tree_node(&profile->tree, child)->id);
    json_end_array(&profile->json);
}

static int count_hits(struct cpuprofile *profile)
{
    const struct call_sample *samples = profile->samples.samples.items;
    int error =
        mapped_array_reserve(&profile->hits, profile_tree_count(&profile->tree), sizeof(uint64_t));

    for (size_t i = 0; i < profile->samples.samples.count && error == 0; i++)
        ((uint64_t *)profile->hits.items)[samples[i].node]++;
    return error;
}

static int put_nodes(struct cpuprofile *profile)
{
    int error = count_hits(profile);
    const uint64_t *hits = profile->hits.items;

    if (error < 0)
        return error;
    json_start_array_property(&profile->json, "nodes");
    for (uint32_t i = 0; i < profile_tree_count(&profile->tree); i++) {
        const struct profile_node *node = profile_tree_node(&profile->tree, i);
        json_start_object(&profile->json);
        json_u64_property(&profile->json, "id", node->id);
        put_call_frame(profile, node);
        json_u64_property(&profile->json, "hitCount", hits[i]);
        put_children(profile, node);
        json_end_object(&profile->json);
    }
    json_end_array(&profile->json);
    return failure_latch_error(&profile->latch);
}

/* --- Samples --- */

static int64_t to_microseconds(struct cpuprofile *profile, double time_ms)
{
    double time_us = time_ms * US_PER_MS;

    if (!(time_us > -MAX_US && time_us < MAX_US)) {
        failure_latch_set(&profile->latch, -ERANGE);
        return 0;
    }
    return (int64_t)(time_us + (time_us < 0 ? -0.5 : 0.5));
}

static void put_samples(struct cpuprofile *profile)
{
    const struct call_sample *samples = profile->samples.samples.items;
    size_t count = profile->samples.samples.count;
    struct json_writer *json = &profile->json;
    int64_t last_us = 0;

    json_start_array_property(json, "samples");
    for (size_t i = 0; i < count; i++)
        json_u64(json, profile_tree_node(&profile->tree, samples[i].node)->id);
    json_end_array(json);
    json_start_array_property(json, "timeDeltas");
    for (size_t i = 0; i < count; i++) {
        int64_t time_us = to_microseconds(profile, samples[i].time_ms);
        json_i64(json, time_us - last_us);
        last_us = time_us;
    }
    json_end_array(json);
    json_u64_property(json, "startTime", 0);
    json_i64_property(json, "endTime", last_us > 0 ? last_us : 0);
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct cpuprofile *profile = state;

    if (profile->has_thread)
        return -EINVAL; /* there is no place for a second one */
    profile->has_thread = true;
    int error = thread_stacks_take(&profile->stacks, thread);
    if (error == 0)
        error = profile_tree_take(&profile->tree, thread);
    if (error == 0)
        error = call_samples_take(&profile->samples, &profile->tree, thread);
    if (error < 0)
        return error;
    json_start_object(&profile->json);
    error = put_nodes(profile);
    put_samples(profile);
    json_end_object(&profile->json);
    return error < 0 ? error : failure_latch_error(&profile->latch);
}

static int finish_cpuprofile(void *state, const struct profile_facts *facts)
{
    struct cpuprofile *profile = state;

    (void)facts;
    return json_writer_flush(&profile->json);
}

static void end_cpuprofile(void *state)
{
    struct cpuprofile *profile = state;

    json_writer_fini(&profile->json);
    call_samples_free(&profile->samples);
    profile_tree_fini(&profile->tree);
    thread_stacks_fini(&profile->stacks);
    unique_strings_fini(&profile->sources);
    unique_strings_fini(&profile->scripts);
    mapped_array_free(&profile->hits);
    free(profile);
}

const struct profile_format format_cpuprofile = {
    .name = "cpuprofile",
    .ending = ".cpuprofile",
    .summary = "one thread for DevTools and editors",
    .is_of_one_thread = true,
    .begin = begin_cpuprofile,
    .add_thread = add_thread,
    .finish = finish_cpuprofile,
    .end = end_cpuprofile,
};
