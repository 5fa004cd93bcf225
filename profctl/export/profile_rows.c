#include "profctl/export/profile_rows.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/export/stack_columns.h"
#include "profctl/profile/profile_walk.h"
#include "profctl/tables/allocation_payload.h"

/* That one sample can stand for: a day. */
#define JANK_MAX_MS (24 * 3600 * 1e3)

/* A build id that a process' library has. */
struct library_build {
    char *path, *build_id; /* owned */
};

struct rows_reader {
    const struct profile_rows_options *options;
    struct export_rows *rows;
    struct profile_rows_told *told;
    struct stack_columns stacks;
    struct row_writer source;
    struct mapped_array images; /* struct rest_image: of all processes … */
    struct mapped_array losing; /* … likewise, struct losing_process */

    /* The process at hand: */
    char *name;                  /* owned */
    struct failure_latch latch;  /* … of … */
    struct unique_strings names; /* … its threads' names, and … */
    struct sum_table sums;       /* … their sums, by the names' numbers */
    struct mapped_array builds;  /* struct library_build, by their addresses */
    struct rests_sampled sampled;
};

static const char main_thread[] = "main thread";

/* --- The process at hand --- */

static void begin_process(struct rows_reader *rows_reader)
{
    rows_reader->name = NULL;
    failure_latch_init(&rows_reader->latch);
    unique_strings_init(&rows_reader->names, &rows_reader->latch);
    sum_table_init(&rows_reader->sums);
    rows_reader->builds = (struct mapped_array){ 0 };
    rows_reader->sampled = (struct rests_sampled){ 0 };
}

static void end_process(struct rows_reader *rows_reader)
{
    struct library_build *builds = rows_reader->builds.items;

    for (size_t i = 0; i < rows_reader->builds.count; i++) {
        free(builds[i].path);
        free(builds[i].build_id);
    }
    mapped_array_free(&rows_reader->builds);
    unique_strings_fini(&rows_reader->names);
    sum_table_fini(&rows_reader->sums);
    free(rows_reader->name);
}

static struct rests_range rests_range_of(const struct profile_rows_options *options)
{
    return (struct rests_range){ options->reference_ns, (int64_t)options->from_ns,
                                 (int64_t)options->to_ns };
}

static int note_builds(struct rows_reader *rows_reader, const struct process_libraries *libraries)
{
    const struct process_library *library = libraries->libraries.items;

    for (size_t i = 0; i < libraries->libraries.count; i++) {
        struct library_build *build = mapped_array_push(&rows_reader->builds, sizeof(*build));
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
static int note_process(struct rows_reader *rows_reader, const struct profile_thread *thread)
{
    if (rows_reader->name != NULL)
        return 0;
    rows_reader->name = strdup(thread->process_name != NULL ? thread->process_name : "process");
    return rows_reader->name != NULL ? note_builds(rows_reader, thread->libraries) : -ENOMEM;
}

/* --- Threads --- */

static uint32_t minute_of(const struct profile_rows_options *options, int64_t time_ns)
{
    int64_t unix_ns = time_ns + options->unix_offset_ns;

    return (uint32_t)((unix_ns - unix_ns % (int64_t)options->minute_ns) / NS_PER_S);
}

/* When something was at TIME_MS of the profile. False: at no time. */
static bool find_time(const struct rows_reader *rows_reader, double time_ms, int64_t *time_ns)
{
    if (!(fabs(time_ms) < (double)INT64_MAX / NS_PER_MS / 2))
        return false;
    *time_ns = rows_reader->options->reference_ns + llround(time_ms * NS_PER_MS);
    return true;
}

/* Whether what was at TIME_MS of the profile is in the range, and its minute. */
static bool find_minute(const struct rows_reader *rows_reader, double time_ms, uint32_t *minute_s)
{
    const struct profile_rows_options *options = rows_reader->options;
    int64_t time_ns;

    if (!find_time(rows_reader, time_ms, &time_ns) || time_ns < (int64_t)options->from_ns ||
        time_ns >= (int64_t)options->to_ns)
        return false;
    *minute_s = minute_of(options, time_ns);
    return true;
}

/* For what of the process' clock no sample stands for. */
static void count_sampled(struct rows_reader *rows_reader, double time_ms, int64_t cpu_ns)
{
    struct rests_sampled *sampled = &rows_reader->sampled;
    int64_t time_ns;

    if (!find_time(rows_reader, time_ms, &time_ns))
        return;
    if (time_ns < (int64_t)rows_reader->options->from_ns)
        sampled->early_ns += cpu_ns;
    else if (time_ns < (int64_t)rows_reader->options->to_ns)
        sampled->told_ns += cpu_ns;
    else
        sampled->late_ns += cpu_ns;
}

static int add_sums(struct rows_reader *rows_reader, uint32_t name, uint32_t minute_s,
                    uint32_t stack, const struct sums *sums)
{
    uint32_t number = stack_columns_number(&rows_reader->stacks, stack, rows_reader->rows);
    const struct sum_key key = { minute_s, name, number };

    return number != UNIQUE_NONE ? sum_table_add(&rows_reader->sums, &key, sums) : -ENOMEM;
}

/* Since the sample before, at BEFORE_MS, as far as the event under way was there. */
static int add_jank(struct rows_reader *rows_reader, uint32_t name,
                    const struct profile_sample *sample, double before_ms)
{
    double jank_ms = fmin(sample->time_ms - before_ms, fmin(sample->event_delay_ms, JANK_MAX_MS));
    struct sums sums = { 0 };
    uint32_t minute_s;

    if (!(sample->event_delay_ms >= JANK_LEAST_MS) || !(jank_ms > 0) ||
        !find_minute(rows_reader, sample->time_ms, &minute_s))
        return 0;
    sums.jank_ns = (uint64_t)llround(jank_ms * NS_PER_MS);
    return add_sums(rows_reader, name, minute_s, sample->stack, &sums);
}

/* What the sample says was used, and its weight, differ by what was used at other places: that is
 * told without a stack, and sums over all stay what the samples say. */
static int take_sample(struct rows_reader *rows_reader, uint32_t name,
                       const struct profile_sample *sample)
{
    int64_t weight_ns = sample->stack != TABLE_NONE ? llround(sample->weight_ns) : 0;
    int64_t cpu_ns = llround(sample->cpu_ns);
    struct sums sums = { .cpu_ns = weight_ns, .samples = 1 };
    uint32_t minute_s;
    int error = 0;

    count_sampled(rows_reader, sample->time_ms, cpu_ns);
    if (!find_minute(rows_reader, sample->time_ms, &minute_s) || (cpu_ns == 0 && weight_ns == 0))
        return 0;
    rows_reader->told->cpu_ns += cpu_ns;
    if (sample->stack != TABLE_NONE) {
        rows_reader->told->samples++;
        error = add_sums(rows_reader, name, minute_s, sample->stack, &sums);
    }
    sums = (struct sums){ .cpu_ns = cpu_ns - weight_ns };
    if (error == 0 && sums.cpu_ns != 0)
        error = add_sums(rows_reader, name, minute_s, TABLE_NONE, &sums);
    return error;
}

static int take_samples(struct rows_reader *rows_reader, uint32_t name,
                        const struct profile_thread *thread)
{
    const struct profile_sample *samples = thread->samples;
    int error = 0;

    for (size_t i = 0; i < thread->sample_count && error == 0; i++) {
        error = take_sample(rows_reader, name, &samples[i]);
        if (error == 0 && i > 0)
            error = add_jank(rows_reader, name, &samples[i], samples[i - 1].time_ms);
    }
    return error;
}

static int take_marker(struct rows_reader *rows_reader, uint32_t name,
                       const struct profile_thread *thread, const struct table_marker *marker)
{
    const char *json = thread_markers_data(thread->markers, marker);
    struct allocation_payload payload;
    uint32_t minute_s;

    if (json == NULL || !find_minute(rows_reader, marker->start_ms, &minute_s))
        return 0;
    int is_allocation = allocation_payload_read(json, marker->data_length,
                                                (uint32_t)thread->tables->stacks.count, &payload);
    if (is_allocation <= 0 || payload.size_bytes <= 0)
        return is_allocation < 0 ? is_allocation : 0;
    const struct sums sums = { .allocated_bytes = (uint64_t)payload.size_bytes, .allocations = 1 };
    return add_sums(rows_reader, name, minute_s, payload.stack, &sums);
}

static const char *shown_name(const struct profile_thread *thread)
{
    const char *name = thread->name != NULL ? thread->name : "";

    return strcmp(name, "GeckoMain") == 0 ? main_thread : name;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct rows_reader *rows_reader = owner;
    const struct table_marker *markers = thread->markers->markers.items;

    if (profile_thread_is_of_profd(thread))
        return 0;
    uint32_t name =
        unique_strings_add(&rows_reader->names, shown_name(thread), strlen(shown_name(thread)));
    int error = name != UNIQUE_NONE ? note_process(rows_reader, thread) : -ENOMEM;
    if (error == 0)
        error = stack_columns_begin(&rows_reader->stacks, thread);
    if (error == 0)
        error = take_samples(rows_reader, name, thread);
    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++)
        error = take_marker(rows_reader, name, thread, &markers[i]);
    return error;
}

/* --- Processes --- */

/* That of the program. PATH is how it was started, maybe by a link or from where it was: then it is
 * what lies lowest, where kernels put programs. */
static const char *build_id_of(const struct rows_reader *rows_reader, const char *path)
{
    const struct library_build *builds = rows_reader->builds.items;

    for (size_t i = 0; i < rows_reader->builds.count; i++)
        if (strcmp(builds[i].path, path) == 0)
            return builds[i].build_id;
    return rows_reader->builds.count > 0 ? builds[0].build_id : "";
}

static int describe_thread(struct rows_reader *rows_reader, const struct exported_process *process,
                           uint32_t name, uint32_t *source)
{
    const struct profile_rows_options *options = rows_reader->options;
    char thread[256];
    size_t length;
    const char *text = unique_strings_get(&rows_reader->names, name, &length);

    snprintf(thread, sizeof(thread), "%.*s", (int)length, text);
    row_writer_clear(&rows_reader->source);
    int error = options->describe(options->context, process, thread, &rows_reader->source);
    if (error < 0)
        return error;
    *source = export_rows_source(rows_reader->rows, &rows_reader->source);
    return *source != UNIQUE_NONE ? 0 : -ENOMEM;
}

/* The process' sums become rows: its threads are known by what they are. IMAGE (NULL: none) learns
 * which source its main thread is. */
static int settle_sums(struct rows_reader *rows_reader, const struct exported_process *process,
                       struct rest_image *image)
{
    uint32_t main_name =
        image != NULL ? unique_strings_add(&rows_reader->names, main_thread, strlen(main_thread))
                      : 0;
    uint32_t count = unique_strings_count(&rows_reader->names);
    uint32_t *sources = calloc((size_t)count + 1, sizeof(*sources));
    int error = sources != NULL && main_name != UNIQUE_NONE ? 0 : -ENOMEM;

    for (uint32_t i = 0; i < count && error == 0; i++)
        error = describe_thread(rows_reader, process, i, &sources[i]);
    if (error == 0 && image != NULL)
        image->id = sources[main_name];
    for (size_t i = 0; i < sum_table_count(&rows_reader->sums) && error == 0; i++) {
        struct sum_key key = sum_table_key(&rows_reader->sums, i);
        key.source = sources[key.source];
        error =
            sum_table_add(&rows_reader->rows->sums, &key, sum_table_sums(&rows_reader->sums, i));
    }
    free(sources);
    return error;
}

static int settle_process(struct rows_reader *rows_reader, const struct process_log *log,
                          struct rest_image *image)
{
    const char *name = rows_reader->name != NULL ? rows_reader->name : "process";
    struct exported_process process =
        exported_process_of(log, rows_reader->options->reference_ns, name);

    process.build_id = build_id_of(rows_reader, log->executable != NULL ? log->executable : "");
    return settle_sums(rows_reader, &process, image);
}

/* Notes the process for the rests. IMAGE: NULL, if nothing of it is to be told. */
static int note_image(struct rows_reader *rows_reader, const struct process_log *log,
                      struct rest_image **image)
{
    const struct profile_rows_options *options = rows_reader->options;
    const struct rests_range range = rests_range_of(options);

    *image = NULL;
    if (log->pid < 0)
        return 0;
    struct rest_image *place = mapped_array_push(&rows_reader->images, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = rest_image_of(log, options->reference_ns);
    place->sampled = rows_reader->sampled;
    if (process_rests_may_tell(options->rests, &range, place))
        *image = place;
    return 0;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct rows_reader *rows_reader = owner;
    struct rest_image *image = NULL;
    int error = is_root ? 0 : note_image(rows_reader, log, &image);

    if (error == 0)
        error = lost_blocks_note(log, rows_reader->options->reference_ns, &rows_reader->losing);
    if (error == 0 && (image != NULL || sum_table_count(&rows_reader->sums) > 0))
        error = settle_process(rows_reader, log, image);
    end_process(rows_reader);
    begin_process(rows_reader);
    return error;
}

/* --- What no sample stands for --- */

/* That a program went on by exec, before the range, may be learned in it: what it used is told at
 * the range's beginning. */
static int add_rest(struct rows_reader *rows_reader, const struct rest_image *image, uint32_t stack)
{
    int64_t from_ns = (int64_t)rows_reader->options->from_ns;
    int64_t time_ns = image->end_ns > from_ns ? image->end_ns : from_ns;
    const struct sum_key key = { minute_of(rows_reader->options, time_ns), image->id, stack };
    const struct sums sums = { .cpu_ns = image->rest_ns };

    rows_reader->told->cpu_ns += image->rest_ns;
    return sum_table_add(&rows_reader->rows->sums, &key, &sums);
}

static int add_rests(struct rows_reader *rows_reader)
{
    const struct rests_range range = rests_range_of(rows_reader->options);
    int error = process_rests_settle(rows_reader->options->rests, &range, &rows_reader->images);
    const struct rest_image *images = rows_reader->images.items;

    for (size_t i = 0; i < rows_reader->images.count && error == 0; i++) {
        if (images[i].rest_ns == 0)
            continue;
        uint32_t stack = stack_columns_no_frames(&rows_reader->stacks, rows_reader->rows);
        error = stack != UNIQUE_NONE ? add_rest(rows_reader, &images[i], stack) : -ENOMEM;
    }
    return error;
}

static int count_losses(struct rows_reader *rows_reader)
{
    const struct rests_range range = rests_range_of(rows_reader->options);

    return lost_blocks_settle(rows_reader->options->losses, &range, &rows_reader->losing,
                              &rows_reader->told->lost_blocks);
}

int profile_rows_read(struct json_reader *reader, const struct profile_rows_options *options,
                      struct export_rows *rows, struct profile_rows_told *told)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process,
                                                       .wants_markers = true };
    struct rows_reader rows_reader = { .options = options, .rows = rows, .told = told };
    struct profile_facts facts;

    *told = (struct profile_rows_told){ 0 };
    begin_process(&rows_reader);
    int error = profile_walk(reader, &events, &rows_reader, &facts);
    end_process(&rows_reader);
    if (error == 0)
        error = add_rests(&rows_reader);
    if (error == 0)
        error = count_losses(&rows_reader);
    mapped_array_free(&rows_reader.images);
    mapped_array_free(&rows_reader.losing);
    stack_columns_free(&rows_reader.stacks);
    row_writer_free(&rows_reader.source);
    return error;
}
