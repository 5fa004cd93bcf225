#include "profctl/export/profile_rows.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file_name.h"
#include "common/time_units.h"
#include "profctl/export/stack_columns.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/tables/allocation_payload.h"

/* That one sample can stand for: a day. */
#define JANK_MOST_MS (24 * 3600 * 1e3)

/* A build id that a process' library has. */
struct library_build {
    char *path, *build_id; /* owned */
};

struct reading {
    const struct profile_rows_options *options;
    struct export_rows *rows;
    struct profile_rows_told *told;
    struct stack_columns stacks;
    struct row_writer source;

    /* The process at hand: */
    char *name;                  /* owned */
    struct failure_latch latch;  /* … of … */
    struct unique_strings names; /* … its threads' names, and … */
    struct sum_table sums;       /* … their sums, by the names' numbers */
    struct mapped_array builds;  /* struct library_build */
};

/* --- The process at hand --- */

static void begin_process(struct reading *reading)
{
    reading->name = NULL;
    failure_latch_init(&reading->latch);
    unique_strings_init(&reading->names, &reading->latch);
    sum_table_init(&reading->sums);
    reading->builds = (struct mapped_array){ 0 };
}

static void end_process(struct reading *reading)
{
    struct library_build *builds = reading->builds.items;

    for (size_t i = 0; i < reading->builds.count; i++) {
        free(builds[i].path);
        free(builds[i].build_id);
    }
    mapped_array_free(&reading->builds);
    unique_strings_fini(&reading->names);
    sum_table_fini(&reading->sums);
    free(reading->name);
}

static int note_builds(struct reading *reading, const struct process_libraries *libraries)
{
    const struct process_library *library = libraries->libraries.items;

    for (size_t i = 0; i < libraries->libraries.count; i++) {
        struct library_build *build = mapped_array_push(&reading->builds, sizeof(*build));
        if (build == NULL)
            return -ENOMEM;
        build->path = strdup(library[i].path != NULL ? library[i].path : "");
        build->build_id = strdup(library[i].build_id != NULL ? library[i].build_id : "");
        if (build->path == NULL || build->build_id == NULL)
            return -ENOMEM;
    }
    return 0;
}

/* The first thread tells of its process, too. */
static int note_process(struct reading *reading, const struct profile_thread *thread)
{
    if (reading->name != NULL)
        return 0;
    reading->name = strdup(thread->process_name != NULL ? thread->process_name : "process");
    return reading->name != NULL ? note_builds(reading, thread->libraries) : -ENOMEM;
}

/* --- Threads --- */

/* Whether what was at TIME_MS of the profile is in the range, and its minute. */
static bool find_minute(const struct reading *reading, double time_ms, uint32_t *minute_s)
{
    const struct profile_rows_options *options = reading->options;

    if (!(fabs(time_ms) < (double)INT64_MAX / NS_PER_MS / 2))
        return false;
    int64_t time_ns = options->reference_ns + llround(time_ms * NS_PER_MS);
    if (time_ns < (int64_t)options->from_ns || time_ns >= (int64_t)options->to_ns)
        return false;
    int64_t unix_ns = time_ns + options->unix_offset_ns;
    *minute_s = (uint32_t)((unix_ns - unix_ns % (int64_t)options->minute_ns) / NS_PER_S);
    return true;
}

static int add_sums(struct reading *reading, uint32_t name, uint32_t minute_s, uint32_t stack,
                    const struct sums *sums)
{
    uint32_t number = stack_columns_number(&reading->stacks, stack, reading->rows);
    const struct sum_key key = { minute_s, name, number };

    return number != UNIQUE_NONE ? sum_table_add(&reading->sums, &key, sums) : -ENOMEM;
}

/* Since the sample before, at BEFORE_MS, as far as the event under way was there. */
static int add_jank(struct reading *reading, uint32_t name, const struct profile_sample *sample,
                    double before_ms)
{
    double jank_ms = fmin(sample->time_ms - before_ms, fmin(sample->event_delay_ms, JANK_MOST_MS));
    struct sums sums = { 0 };
    uint32_t minute_s;

    if (!(sample->event_delay_ms >= JANK_LEAST_MS) || !(jank_ms > 0) ||
        !find_minute(reading, sample->time_ms, &minute_s))
        return 0;
    sums.jank_ns = (uint64_t)llround(jank_ms * NS_PER_MS);
    return add_sums(reading, name, minute_s, sample->stack, &sums);
}

/* What the sample says was used, and its weight, differ by what was used at other places: that is
 * told without a stack, and sums over all stay what the samples say. */
static int take_sample(struct reading *reading, uint32_t name, const struct profile_sample *sample)
{
    int64_t weight_ns = sample->stack != TABLE_NONE ? llround(sample->weight_ns) : 0;
    int64_t cpu_ns = llround(sample->cpu_ns);
    struct sums sums = { .cpu_ns = weight_ns, .samples = 1 };
    uint32_t minute_s;
    int error = 0;

    if (!find_minute(reading, sample->time_ms, &minute_s) || (cpu_ns == 0 && weight_ns == 0))
        return 0;
    reading->told->cpu_ns += cpu_ns;
    if (sample->stack != TABLE_NONE) {
        reading->told->samples++;
        error = add_sums(reading, name, minute_s, sample->stack, &sums);
    }
    sums = (struct sums){ .cpu_ns = cpu_ns - weight_ns };
    if (error == 0 && sums.cpu_ns != 0)
        error = add_sums(reading, name, minute_s, TABLE_NONE, &sums);
    return error;
}

static int take_samples(struct reading *reading, uint32_t name, const struct profile_thread *thread)
{
    const struct profile_sample *samples = thread->samples;
    int error = 0;

    for (size_t i = 0; i < thread->sample_count && error == 0; i++) {
        error = take_sample(reading, name, &samples[i]);
        if (error == 0 && i > 0)
            error = add_jank(reading, name, &samples[i], samples[i - 1].time_ms);
    }
    return error;
}

static int take_marker(struct reading *reading, uint32_t name, const struct profile_thread *thread,
                       const struct table_marker *marker)
{
    const char *json = thread_markers_data(thread->markers, marker);
    struct allocation_payload payload;
    uint32_t minute_s;

    if (json == NULL || !find_minute(reading, marker->start_ms, &minute_s))
        return 0;
    int is_allocation = allocation_payload_read(json, marker->data_length,
                                                (uint32_t)thread->tables->stacks.count, &payload);
    if (is_allocation <= 0 || payload.size_bytes <= 0)
        return is_allocation < 0 ? is_allocation : 0;
    const struct sums sums = { .allocated_bytes = (uint64_t)payload.size_bytes, .allocations = 1 };
    return add_sums(reading, name, minute_s, payload.stack, &sums);
}

static const char *shown_name(const struct profile_thread *thread)
{
    const char *name = thread->name != NULL ? thread->name : "";

    return strcmp(name, "GeckoMain") == 0 ? "main thread" : name;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct reading *reading = owner;
    const struct table_marker *markers = thread->markers->markers.items;

    if (profile_thread_is_of_profd(thread))
        return 0;
    uint32_t name =
        unique_strings_add(&reading->names, shown_name(thread), strlen(shown_name(thread)));
    int error = name != UNIQUE_NONE ? note_process(reading, thread) : -ENOMEM;
    if (error == 0)
        error = stack_columns_begin(&reading->stacks, thread);
    if (error == 0)
        error = take_samples(reading, name, thread);
    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++)
        error = take_marker(reading, name, thread, &markers[i]);
    return error;
}

/* --- Processes --- */

static const char *build_id_of(const struct reading *reading, const char *path)
{
    const struct library_build *builds = reading->builds.items;

    for (size_t i = 0; i < reading->builds.count; i++)
        if (strcmp(builds[i].path, path) == 0)
            return builds[i].build_id;
    return "";
}

static int64_t pid_of(double number)
{
    return number >= 0 && number < INT32_MAX ? (int64_t)number : -1;
}

static int describe_thread(struct reading *reading, const struct exported_process *process,
                           uint32_t name, uint32_t *source)
{
    const struct profile_rows_options *options = reading->options;
    char thread[256];
    size_t length;
    const char *text = unique_strings_get(&reading->names, name, &length);

    snprintf(thread, sizeof(thread), "%.*s", (int)length, text);
    row_writer_clear(&reading->source);
    int error = options->describe(options->context, process, thread, &reading->source);
    if (error < 0)
        return error;
    *source = export_rows_source(reading->rows, &reading->source);
    return *source != UNIQUE_NONE ? 0 : -ENOMEM;
}

/* The process' sums become rows: its threads are known by what they are. */
static int settle_sums(struct reading *reading, const struct exported_process *process)
{
    uint32_t count = unique_strings_count(&reading->names);
    uint32_t *sources = calloc((size_t)count + 1, sizeof(*sources));
    int error = sources != NULL ? 0 : -ENOMEM;

    for (uint32_t i = 0; i < count && error == 0; i++)
        error = describe_thread(reading, process, i, &sources[i]);
    for (size_t i = 0; i < sum_table_count(&reading->sums) && error == 0; i++) {
        struct sum_key key = sum_table_key(&reading->sums, i);
        key.source = sources[key.source];
        error = sum_table_add(&reading->rows->sums, &key, sum_table_sums(&reading->sums, i));
    }
    free(sources);
    return error;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct reading *reading = owner;
    int error = 0;

    (void)is_root;
    if (log->lost_blocks > 0)
        reading->told->lost_blocks += (uint64_t)log->lost_blocks;
    if (sum_table_count(&reading->sums) > 0) {
        const char *path = log->executable != NULL ? log->executable : "";
        const char *program = path[0] != '\0' ? file_name_of(path) : reading->name;
        const struct exported_process process = {
            .program = program,
            .kind = strcmp(program, reading->name) != 0 ? reading->name : "",
            .build_id = build_id_of(reading, path),
            .labels = log->labels,
            .labels_left_out = log->labels_left_out >= 1 && log->labels_left_out < UINT32_MAX
                                   ? (uint64_t)log->labels_left_out
                                   : 0,
            .pid = pid_of(log->pid),
            .parent_pid = pid_of(log->parent_pid),
        };
        error = settle_sums(reading, &process);
    }
    end_process(reading);
    begin_process(reading);
    return error;
}

int profile_rows_read(struct json_reader *reader, const struct profile_rows_options *options,
                      struct export_rows *rows, struct profile_rows_told *told)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .wants_markers = true };
    struct reading reading = { .options = options, .rows = rows, .told = told };
    struct profile_facts facts;

    *told = (struct profile_rows_told){ 0 };
    begin_process(&reading);
    int error = profile_walk(reader, &events, &reading, &facts);
    end_process(&reading);
    stack_columns_free(&reading.stacks);
    row_writer_free(&reading.source);
    return error;
}
