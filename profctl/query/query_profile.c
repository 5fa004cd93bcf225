#include "profctl/query/query_profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/sampling_clock.h"
#include "common/time_units.h"
#include "json/gecko/allocation_marker.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_schema.h"
#include "json/gecko/unique_stacks.h"

enum { OTHER_CATEGORY = 0, NAME_BYTES = 256 };

struct profile_builder {
    const struct query_answer *answer;
    struct failure_latch latch;
    struct json_writer writer;
    uint32_t from_s, to_s;
    uint64_t samples;   /* of all rows */
    uint64_t written;   /* of those that were planned */
    uint64_t planned;   /* to be written */
    int64_t max_cpu_ns; /* that one of those stands for */
    unsigned processes;

    struct unique_strings strings; /* of the thread at hand … */
    struct unique_stacks stacks;
    struct mapped_array numbers; /* uint32_t: … and the stack of each of its rows */
    uint32_t allocation_name;    /* of markers of allocations, in its strings */
};

static const struct query_row *row_at(const struct profile_builder *builder, size_t index)
{
    return (const struct query_row *)builder->answer->rows.items + index;
}

static size_t row_count(const struct profile_builder *builder)
{
    return builder->answer->rows.count;
}

/* --- How many samples stand for a row --- */

/* Rows without samples, as of CPU time that no sample saw, have one. None stands for more than
 * readers take for the interval of a clock. */
static uint64_t samples_of(const struct profile_builder *builder, const struct query_row *row)
{
    uint64_t samples = row->samples;
    uint64_t fewest = row->cpu_ns > 0 ? (uint64_t)row->cpu_ns / (SAMPLING_INTERVAL_MAX_NS / 2) : 0;

    if (builder->samples > QUERY_MAX_SAMPLES)
        samples = (uint64_t)((double)samples * QUERY_MAX_SAMPLES / (double)builder->samples);
    return samples > fewest ? samples : fewest + 1;
}

static void plan_samples(struct profile_builder *builder)
{
    for (size_t i = 0; i < row_count(builder); i++)
        builder->samples += row_at(builder, i)->samples;
    for (size_t i = 0; i < row_count(builder); i++) {
        const struct query_row *row = row_at(builder, i);
        uint64_t samples = samples_of(builder, row);
        int64_t cpu_ns = row->cpu_ns / (int64_t)samples + 1;
        builder->planned += samples;
        if (cpu_ns > builder->max_cpu_ns)
            builder->max_cpu_ns = cpu_ns;
    }
}

/* --- A thread --- */

static uint32_t add_frame(struct profile_builder *builder, const char *name, size_t length)
{
    uint32_t string = unique_strings_add(&builder->strings, name, length);
    const struct frame_key key = { .value = string };
    const struct frame_details details = { .location = string, .category = OTHER_CATEGORY };
    uint32_t frame = unique_stacks_find_frame(&builder->stacks, key);

    return frame != UNIQUE_NONE ? frame : unique_stacks_add_frame(&builder->stacks, key, &details);
}

/* The number of the row's stack; UNIQUE_NONE: it has no frames. */
static uint32_t add_stack(struct profile_builder *builder, const struct query_row *row)
{
    static const char unknown[] = "(stack no longer kept)";
    const struct query_answer *answer = builder->answer;
    const struct query_stack *stack = (const struct query_stack *)answer->stacks.items + row->stack;
    const uint32_t *names = answer->frames.items;
    uint32_t number = UNIQUE_NONE;

    if (stack->first == QUERY_NO_FRAMES)
        return unique_stacks_push(&builder->stacks, UNIQUE_NONE,
                                  add_frame(builder, unknown, sizeof(unknown) - 1));
    for (uint32_t i = 0; i < stack->count; i++) {
        size_t length;
        const char *name = unique_strings_get(&answer->names, names[stack->first + i], &length);
        number = unique_stacks_push(&builder->stacks, number, add_frame(builder, name, length));
    }
    return number;
}

static int number_stacks(struct profile_builder *builder, size_t first, size_t end)
{
    builder->numbers.count = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t *place = mapped_array_push(&builder->numbers, sizeof(*place));
        if (place == NULL)
            return -ENOMEM;
        *place = add_stack(builder, row_at(builder, i));
    }
    return failure_latch_error(&builder->latch);
}

/* Evenly over the time that was asked for. */
static void write_sample(struct profile_builder *builder, uint32_t stack, int64_t cpu_ns)
{
    struct json_writer *writer = &builder->writer;
    double span_ms = (double)(builder->to_s - builder->from_s) * MS_PER_S;

    json_start_array(writer);
    if (stack != UNIQUE_NONE)
        json_u64(writer, stack);
    else
        json_null(writer);
    json_double(writer, span_ms * (double)builder->written++ / (double)builder->planned);
    json_u64(writer, 0);
    json_i64(writer, cpu_ns);
    json_end_array(writer);
}

static void write_samples(struct profile_builder *builder, size_t first, size_t end)
{
    const uint32_t *numbers = builder->numbers.items;

    gecko_start_table(&builder->writer, gecko_sample_columns);
    for (size_t i = first; i < end; i++) {
        const struct query_row *row = row_at(builder, i);
        int64_t samples = (int64_t)samples_of(builder, row);
        int64_t left_ns = row->cpu_ns > 0 ? row->cpu_ns : 0;
        for (; samples > 0; samples--) {
            int64_t cpu_ns = left_ns / samples;
            write_sample(builder, numbers[i - first], cpu_ns);
            left_ns -= cpu_ns;
        }
    }
    gecko_end_table(&builder->writer);
}

/* Evenly over that time as well, and without addresses, since none is known. */
static void write_allocations(struct profile_builder *builder, size_t first, size_t end,
                              unsigned tid)
{
    const uint32_t *numbers = builder->numbers.items;
    double span_ns = (double)(builder->to_s - builder->from_s) * NS_PER_S;

    gecko_start_table(&builder->writer, gecko_marker_columns);
    for (size_t i = first; i < end; i++) {
        const struct allocation_marker allocation = {
            .name = builder->allocation_name,
            .stack = numbers[i - first],
            .time_ns = (int64_t)(span_ns * (double)(i - first) / (double)(end - first)),
            .size = (int64_t)row_at(builder, i)->allocated_bytes,
            .pid = builder->processes,
            .tid = tid,
        };
        if (allocation.size > 0)
            allocation_marker_stream(&allocation, &builder->writer);
    }
    gecko_end_table(&builder->writer);
}

/* NAME is one of the answer's. */
static void write_name(struct profile_builder *builder, const char *key, uint32_t name)
{
    size_t length;
    const char *bytes = unique_strings_get(&builder->answer->names, name, &length);

    json_name(&builder->writer, key);
    json_string_bytes(&builder->writer, bytes, length);
}

static void write_tables(struct profile_builder *builder, size_t first, size_t end, unsigned tid)
{
    struct json_writer *writer = &builder->writer;

    json_name(writer, "stringTable");
    unique_strings_stream(&builder->strings, writer);
    json_name(writer, "frameTable");
    unique_stacks_stream_frame_table(&builder->stacks, writer);
    json_name(writer, "stackTable");
    unique_stacks_stream_stack_table(&builder->stacks, writer);
    json_name(writer, "samples");
    write_samples(builder, first, end);
    json_name(writer, "markers");
    write_allocations(builder, first, end, tid);
}

/* Rows FIRST up to END. IS_MAIN: viewers want one such in each process. */
static int write_thread(struct profile_builder *builder, size_t first, size_t end, unsigned tid,
                        bool is_main)
{
    struct json_writer *writer = &builder->writer;

    unique_strings_init(&builder->strings, &builder->latch);
    unique_stacks_init(&builder->stacks, &builder->latch);
    int error = number_stacks(builder, first, end);
    builder->allocation_name = allocation_marker_name(&builder->strings);
    json_start_object(writer);
    json_string_property(writer, "processType", "default");
    write_name(builder, "processName", row_at(builder, first)->program);
    json_u64_property(writer, "registerTime", 0);
    json_null_property(writer, "unregisterTime");
    json_u64_property(writer, "pid", builder->processes);
    json_u64_property(writer, "tid", tid);
    if (is_main)
        json_string_property(writer, "name", "GeckoMain");
    else
        write_name(builder, "name", row_at(builder, first)->thread);
    write_tables(builder, first, end, tid);
    json_end_object(writer);
    unique_strings_fini(&builder->strings);
    unique_stacks_fini(&builder->stacks);
    return error;
}

/* --- Processes --- */

static void write_meta(struct profile_builder *builder, bool is_root)
{
    struct json_writer *writer = &builder->writer;

    json_start_object_property(writer, "meta");
    gecko_stream_common_meta(writer, (uint64_t)builder->from_s * MS_PER_S * NS_PER_MS, NULL, NULL);
    json_time_ms_property(writer, "interval", builder->max_cpu_ns);
    if (is_root) {
        json_bool_property(writer, "presymbolicated", true);
        json_null_property(writer, "shutdownTime");
        json_u64_property(writer, "processType", 0);
        json_string_property(writer, "product", "profd");
        json_string_property(writer, "platform", "Linux");
        json_u64_property(writer, "stackwalk", 1);
        json_u64_property(writer, "profilingStartTime", 0);
        json_u64_property(writer, "profilingEndTime",
                          (uint64_t)(builder->to_s - builder->from_s) * MS_PER_S);
        json_start_object_property(writer, "sampleUnits");
        json_string_property(writer, "time", "ms");
        json_string_property(writer, "eventDelay", "ms");
        json_string_property(writer, "threadCPUDelta", "ns");
        json_end_object(writer);
    }
    json_end_object(writer);
}

static void write_empty_lists(struct profile_builder *builder)
{
    json_start_array_property(&builder->writer, "libs");
    json_end_array(&builder->writer);
    gecko_stream_sources(&builder->writer);
    json_start_array_property(&builder->writer, "pausedRanges");
    json_end_array(&builder->writer);
}

/* Behind the rows of the thread of FIRST. */
static size_t end_of_thread(const struct profile_builder *builder, size_t first)
{
    size_t end = first + 1;

    while (end < row_count(builder) &&
           row_at(builder, end)->program == row_at(builder, first)->program &&
           row_at(builder, end)->thread == row_at(builder, first)->thread)
        end++;
    return end;
}

static bool is_main_thread(const struct profile_builder *builder, size_t first)
{
    static const char name[] = "main thread";

    return unique_strings_find(&builder->answer->names, name, sizeof(name) - 1) ==
           row_at(builder, first)->thread;
}

/* The threads of the program of row *FIRST, which moves behind them. */
static int write_process(struct profile_builder *builder, size_t *first)
{
    struct json_writer *writer = &builder->writer;
    uint32_t program = row_at(builder, *first)->program;
    unsigned tid = ++builder->processes * 10000;
    int error = 0;

    json_start_object(writer);
    write_meta(builder, false);
    write_empty_lists(builder);
    json_start_array_property(writer, "threads");
    while (error == 0 && *first < row_count(builder) &&
           row_at(builder, *first)->program == program) {
        size_t end = end_of_thread(builder, *first);
        error = write_thread(builder, *first, end, tid++, is_main_thread(builder, *first));
        *first = end;
    }
    json_end_array(writer);
    json_start_array_property(writer, "processes");
    json_end_array(writer);
    json_end_object(writer);
    return error;
}

static int write_root(struct profile_builder *builder)
{
    struct json_writer *writer = &builder->writer;
    int error = 0;

    json_start_object(writer);
    write_meta(builder, true);
    write_empty_lists(builder);
    json_start_array_property(writer, "threads");
    json_end_array(writer);
    json_start_array_property(writer, "processes");
    for (size_t first = 0; error == 0 && first < row_count(builder);)
        error = write_process(builder, &first);
    json_end_array(writer);
    json_end_object(writer);
    return error;
}

int query_profile_write(const struct query_answer *answer, uint32_t from_s, uint32_t to_s,
                        json_sink_write write, void *context)
{
    struct profile_builder builder = { .answer = answer, .from_s = from_s, .to_s = to_s };

    failure_latch_init(&builder.latch);
    json_writer_init_sink(&builder.writer, write, context, &builder.latch);
    plan_samples(&builder);
    int error = write_root(&builder);
    int flush_error = json_writer_flush(&builder.writer);
    json_writer_fini(&builder.writer);
    mapped_array_free(&builder.numbers);
    return error < 0 ? error : flush_error;
}
