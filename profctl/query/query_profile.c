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

struct writing {
    const struct query_answer *answer;
    struct failure_latch latch;
    struct json_writer writer;
    uint32_t from_s, to_s;
    uint64_t samples;    /* of all rows */
    uint64_t written;    /* of those that were planned */
    uint64_t planned;    /* to be written */
    int64_t most_cpu_ns; /* that one of those stands for */
    unsigned processes;

    struct unique_strings strings; /* of the thread at hand … */
    struct unique_stacks stacks;
    struct mapped_array numbers; /* uint32_t: … and the stack of each of its rows */
    uint32_t allocation_name;    /* of markers of allocations, in its strings */
};

static const struct query_row *row_at(const struct writing *writing, size_t index)
{
    return (const struct query_row *)writing->answer->rows.items + index;
}

static size_t row_count(const struct writing *writing)
{
    return writing->answer->rows.count;
}

/* --- How many samples stand for a row --- */

/* Rows without samples, as of CPU time that no sample saw, have one. None stands for more than
 * readers take for the interval of a clock. */
static uint64_t samples_of(const struct writing *writing, const struct query_row *row)
{
    uint64_t samples = row->samples;
    uint64_t fewest = row->cpu_ns > 0 ? (uint64_t)row->cpu_ns / (SAMPLING_INTERVAL_MOST_NS / 2) : 0;

    if (writing->samples > QUERY_MOST_SAMPLES)
        samples = (uint64_t)((double)samples * QUERY_MOST_SAMPLES / (double)writing->samples);
    return samples > fewest ? samples : fewest + 1;
}

static void plan(struct writing *writing)
{
    for (size_t i = 0; i < row_count(writing); i++)
        writing->samples += row_at(writing, i)->samples;
    for (size_t i = 0; i < row_count(writing); i++) {
        const struct query_row *row = row_at(writing, i);
        uint64_t samples = samples_of(writing, row);
        int64_t cpu_ns = row->cpu_ns / (int64_t)samples + 1;
        writing->planned += samples;
        if (cpu_ns > writing->most_cpu_ns)
            writing->most_cpu_ns = cpu_ns;
    }
}

/* --- A thread --- */

static uint32_t add_frame(struct writing *writing, const char *name, size_t length)
{
    uint32_t string = unique_strings_add(&writing->strings, name, length);
    const struct frame_key key = { .value = string };
    const struct frame_details details = { .location = string, .category = OTHER_CATEGORY };
    uint32_t frame = unique_stacks_find_frame(&writing->stacks, key);

    return frame != UNIQUE_NONE ? frame : unique_stacks_add_frame(&writing->stacks, key, &details);
}

/* The number of the row's stack; UNIQUE_NONE: it has no frames. */
static uint32_t add_stack(struct writing *writing, const struct query_row *row)
{
    static const char unknown[] = "(stack no longer kept)";
    const struct query_answer *answer = writing->answer;
    const struct query_stack *stack = (const struct query_stack *)answer->stacks.items + row->stack;
    const uint32_t *names = answer->frames.items;
    uint32_t number = UNIQUE_NONE;

    if (stack->first == QUERY_NO_FRAMES)
        return unique_stacks_push(&writing->stacks, UNIQUE_NONE,
                                  add_frame(writing, unknown, sizeof(unknown) - 1));
    for (uint32_t i = 0; i < stack->count; i++) {
        size_t length;
        const char *name = unique_strings_get(&answer->names, names[stack->first + i], &length);
        number = unique_stacks_push(&writing->stacks, number, add_frame(writing, name, length));
    }
    return number;
}

static int number_stacks(struct writing *writing, size_t first, size_t end)
{
    writing->numbers.count = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t *place = mapped_array_push(&writing->numbers, sizeof(*place));
        if (place == NULL)
            return -ENOMEM;
        *place = add_stack(writing, row_at(writing, i));
    }
    return failure_latch_error(&writing->latch);
}

/* Evenly over the time that was asked for. */
static void write_sample(struct writing *writing, uint32_t stack, int64_t cpu_ns)
{
    struct json_writer *writer = &writing->writer;
    double span_ms = (double)(writing->to_s - writing->from_s) * MS_PER_S;

    json_start_array(writer);
    if (stack != UNIQUE_NONE)
        json_u64(writer, stack);
    else
        json_null(writer);
    json_double(writer, span_ms * (double)writing->written++ / (double)writing->planned);
    json_u64(writer, 0);
    json_i64(writer, cpu_ns);
    json_end_array(writer);
}

static void write_samples(struct writing *writing, size_t first, size_t end)
{
    const uint32_t *numbers = writing->numbers.items;

    gecko_start_table(&writing->writer, gecko_sample_columns);
    for (size_t i = first; i < end; i++) {
        const struct query_row *row = row_at(writing, i);
        int64_t samples = (int64_t)samples_of(writing, row);
        int64_t left_ns = row->cpu_ns > 0 ? row->cpu_ns : 0;
        for (; samples > 0; samples--) {
            int64_t cpu_ns = left_ns / samples;
            write_sample(writing, numbers[i - first], cpu_ns);
            left_ns -= cpu_ns;
        }
    }
    gecko_end_table(&writing->writer);
}

/* Evenly over that time as well, and without addresses, since none is known. */
static void write_allocations(struct writing *writing, size_t first, size_t end, unsigned tid)
{
    const uint32_t *numbers = writing->numbers.items;
    double span_ns = (double)(writing->to_s - writing->from_s) * NS_PER_S;

    gecko_start_table(&writing->writer, gecko_marker_columns);
    for (size_t i = first; i < end; i++) {
        const struct allocation_marker allocation = {
            .name = writing->allocation_name,
            .stack = numbers[i - first],
            .time_ns = (int64_t)(span_ns * (double)(i - first) / (double)(end - first)),
            .size = (int64_t)row_at(writing, i)->allocated_bytes,
            .pid = writing->processes,
            .tid = tid,
        };
        if (allocation.size > 0)
            allocation_marker_stream(&allocation, &writing->writer);
    }
    gecko_end_table(&writing->writer);
}

/* NAME is one of the answer's. */
static void write_name(struct writing *writing, const char *key, uint32_t name)
{
    size_t length;
    const char *bytes = unique_strings_get(&writing->answer->names, name, &length);

    json_name(&writing->writer, key);
    json_string_bytes(&writing->writer, bytes, length);
}

static void write_tables(struct writing *writing, size_t first, size_t end, unsigned tid)
{
    struct json_writer *writer = &writing->writer;

    json_name(writer, "stringTable");
    unique_strings_stream(&writing->strings, writer);
    json_name(writer, "frameTable");
    unique_stacks_stream_frame_table(&writing->stacks, writer);
    json_name(writer, "stackTable");
    unique_stacks_stream_stack_table(&writing->stacks, writer);
    json_name(writer, "samples");
    write_samples(writing, first, end);
    json_name(writer, "markers");
    write_allocations(writing, first, end, tid);
}

/* Rows FIRST up to END. IS_MAIN: viewers want one such in each process. */
static int write_thread(struct writing *writing, size_t first, size_t end, unsigned tid,
                        bool is_main)
{
    struct json_writer *writer = &writing->writer;

    unique_strings_init(&writing->strings, &writing->latch);
    unique_stacks_init(&writing->stacks, &writing->latch);
    int error = number_stacks(writing, first, end);
    writing->allocation_name = allocation_marker_name(&writing->strings);
    json_start_object(writer);
    json_string_property(writer, "processType", "default");
    write_name(writing, "processName", row_at(writing, first)->program);
    json_u64_property(writer, "registerTime", 0);
    json_null_property(writer, "unregisterTime");
    json_u64_property(writer, "pid", writing->processes);
    json_u64_property(writer, "tid", tid);
    if (is_main)
        json_string_property(writer, "name", "GeckoMain");
    else
        write_name(writing, "name", row_at(writing, first)->thread);
    write_tables(writing, first, end, tid);
    json_end_object(writer);
    unique_strings_fini(&writing->strings);
    unique_stacks_fini(&writing->stacks);
    return error;
}

/* --- Processes --- */

static void write_meta(struct writing *writing, bool is_root)
{
    struct json_writer *writer = &writing->writer;

    json_start_object_property(writer, "meta");
    gecko_stream_common_meta(writer, (uint64_t)writing->from_s * MS_PER_S * NS_PER_MS, NULL, NULL);
    json_time_ms_property(writer, "interval", writing->most_cpu_ns);
    if (is_root) {
        json_bool_property(writer, "presymbolicated", true);
        json_null_property(writer, "shutdownTime");
        json_u64_property(writer, "processType", 0);
        json_string_property(writer, "product", "profd");
        json_string_property(writer, "platform", "Linux");
        json_u64_property(writer, "stackwalk", 1);
        json_u64_property(writer, "profilingStartTime", 0);
        json_u64_property(writer, "profilingEndTime",
                          (uint64_t)(writing->to_s - writing->from_s) * MS_PER_S);
        json_start_object_property(writer, "sampleUnits");
        json_string_property(writer, "time", "ms");
        json_string_property(writer, "eventDelay", "ms");
        json_string_property(writer, "threadCPUDelta", "ns");
        json_end_object(writer);
    }
    json_end_object(writer);
}

static void write_empty_lists(struct writing *writing)
{
    json_start_array_property(&writing->writer, "libs");
    json_end_array(&writing->writer);
    gecko_stream_sources(&writing->writer);
    json_start_array_property(&writing->writer, "pausedRanges");
    json_end_array(&writing->writer);
}

/* Behind the rows of the thread of FIRST. */
static size_t end_of_thread(const struct writing *writing, size_t first)
{
    size_t end = first + 1;

    while (end < row_count(writing) &&
           row_at(writing, end)->program == row_at(writing, first)->program &&
           row_at(writing, end)->thread == row_at(writing, first)->thread)
        end++;
    return end;
}

static bool is_main_thread(const struct writing *writing, size_t first)
{
    static const char name[] = "main thread";

    return unique_strings_find(&writing->answer->names, name, sizeof(name) - 1) ==
           row_at(writing, first)->thread;
}

/* The threads of the program of row *FIRST, which moves behind them. */
static int write_process(struct writing *writing, size_t *first)
{
    struct json_writer *writer = &writing->writer;
    uint32_t program = row_at(writing, *first)->program;
    unsigned tid = ++writing->processes * 10000;
    int error = 0;

    json_start_object(writer);
    write_meta(writing, false);
    write_empty_lists(writing);
    json_start_array_property(writer, "threads");
    while (error == 0 && *first < row_count(writing) &&
           row_at(writing, *first)->program == program) {
        size_t end = end_of_thread(writing, *first);
        error = write_thread(writing, *first, end, tid++, is_main_thread(writing, *first));
        *first = end;
    }
    json_end_array(writer);
    json_start_array_property(writer, "processes");
    json_end_array(writer);
    json_end_object(writer);
    return error;
}

static int write_root(struct writing *writing)
{
    struct json_writer *writer = &writing->writer;
    int error = 0;

    json_start_object(writer);
    write_meta(writing, true);
    write_empty_lists(writing);
    json_start_array_property(writer, "threads");
    json_end_array(writer);
    json_start_array_property(writer, "processes");
    for (size_t first = 0; error == 0 && first < row_count(writing);)
        error = write_process(writing, &first);
    json_end_array(writer);
    json_end_object(writer);
    return error;
}

int query_profile_write(const struct query_answer *answer, uint32_t from_s, uint32_t to_s,
                        json_sink_write write, void *context)
{
    struct writing writing = { .answer = answer, .from_s = from_s, .to_s = to_s };

    failure_latch_init(&writing.latch);
    json_writer_init_sink(&writing.writer, write, context, &writing.latch);
    plan(&writing);
    int error = write_root(&writing);
    int flush_error = json_writer_flush(&writing.writer);
    json_writer_fini(&writing.writer);
    mapped_array_free(&writing.numbers);
    return error < 0 ? error : flush_error;
}
