/* Reads a profile into a report, thread by thread. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/json_table.h"
#include "profctl/report/report.h"
#include "profctl/report/report_settle.h"
#include "profctl/report/sample_spread.h"

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_CPU, SAMPLE_COLUMNS };
static const char *const sample_columns[SAMPLE_COLUMNS] = { "stack", "time", "threadCPUDelta" };
_Static_assert((uint32_t)SAMPLE_SPREAD_NO_STACK == TABLE_NONE, "no stack in both");

#define NS_PER_MS 1e6

/* Of one sample: a day. Files may say anything. */
static const double most_cpu_ns = 86400e9;

struct reading {
    struct json_reader *reader;
    struct report *report;
    double cpu_unit_ns; /* of threadCPUDelta */

    struct seen_process process; /* the process at hand, … */
    uint64_t own_interval_ns;    /* … of its samples, as its "meta" tells; 0: not known … */
    struct process_libraries libraries; /* … and its libraries */
    struct mapped_array seen;           /* struct seen_process, all that were read */
    struct json_writer nowhere;
    struct failure_latch latch; /* of that writer */

    struct thread_tables tables; /* of the thread at hand … */
    char *thread_name, *process_name;
    struct sample_spread spread; /* … with its samples … */
    struct mapped_array weights; /* … and struct stack_weight for each stack */
    struct report_size size;
};

/* Calls MEMBER behind each key of an object whose start was read. */
static int for_each_member(struct reading *reading, int (*member)(struct reading *reading))
{
    int token, err = 0;

    while (err == 0 && (token = json_reader_next(reading->reader)) == JSON_TOKEN_KEY)
        err = member(reading);
    if (err < 0)
        return err;
    if (token != JSON_TOKEN_END_OBJECT)
        return token < 0 ? token : -EPROTO;
    return 0;
}

static int enter(struct reading *reading, enum json_token start)
{
    int token = json_reader_next(reading->reader);

    if (token < 0)
        return token;
    return token == (int)start ? 0 : -EPROTO;
}

static int keep_text(struct reading *reading, char **text)
{
    const char *view;
    size_t length;
    int token = json_reader_next(reading->reader), err;

    if (token != JSON_TOKEN_STRING)
        return token < 0 ? token : token == JSON_TOKEN_NULL ? 0 : -EPROTO;
    err = json_reader_string(reading->reader, &view, &length);
    if (err < 0)
        return err;
    free(*text);
    *text = strndup(view, length);
    return *text != NULL ? 0 : -ENOMEM;
}

/* --- Samples --- */

static int take_sample(struct reading *reading, const struct json_table *table,
                       const struct json_cell *cells)
{
    bool knows_cpu = table->places[SAMPLE_CPU] >= 0;
    const struct json_cell *cpu = &cells[SAMPLE_CPU];
    bool is_active = !knows_cpu || (cpu->token == JSON_TOKEN_NUMBER && cpu->number > 0);
    struct spread_sample sample = { 0 };
    uint32_t stack;
    int err = json_cell_index_or_none(&cells[SAMPLE_STACK], (uint32_t)reading->tables.stacks.count,
                                      &stack);

    if (err < 0)
        return err;
    reading->report->knows_cpu |= knows_cpu;
    reading->size.samples++;
    reading->size.active_samples += is_active;
    if (cpu->token == JSON_TOKEN_NUMBER && cpu->number > 0)
        sample.cpu_ns = cpu->number * reading->cpu_unit_ns;
    if (sample.cpu_ns > most_cpu_ns)
        sample.cpu_ns = most_cpu_ns;
    if (cells[SAMPLE_TIME].token == JSON_TOKEN_NUMBER)
        sample.time_ns = cells[SAMPLE_TIME].number * NS_PER_MS;
    sample.stack = stack;
    reading->size.cpu_ns += sample.cpu_ns;
    if (is_active || reading->report->counts_idle) {
        reading->size.ranked_samples++;
        if (stack != TABLE_NONE)
            ((struct stack_weight *)reading->weights.items)[stack].samples++;
    }
    return knows_cpu ? sample_spread_add(&reading->spread, &sample) : 0;
}

/* All samples of the thread are known: gives each its weight. */
static void weigh_samples(struct reading *reading)
{
    struct stack_weight *weights = reading->weights.items;

    reading->size.not_sampled_ns = sample_spread_weigh(&reading->spread);
    const struct spread_sample *samples = reading->spread.samples.items;
    for (size_t i = 0; i < reading->spread.samples.count; i++)
        if (samples[i].stack != TABLE_NONE)
            weights[samples[i].stack].cpu_ns += (uint64_t)samples[i].cpu_ns;
}

static double tick_ns(const struct reading *reading)
{
    return sample_spread_tick_ns((double)reading->own_interval_ns,
                                 (double)reading->report->clocks.asked_ns);
}

static int read_samples(struct reading *reading)
{
    struct json_cell cells[JSON_TABLE_MOST_COLUMNS];
    struct json_table table;
    size_t stacks = reading->tables.stacks.count;
    int more, err;

    if (reading->tables.stage != TABLES_STACKS)
        return -EPROTO; /* weights are those of all stacks */
    err = mapped_array_reserve(&reading->weights, stacks + 1, sizeof(struct stack_weight));
    if (err < 0)
        return err;
    memset(reading->weights.items, 0, (stacks + 1) * sizeof(struct stack_weight));
    err = json_table_open(&table, sample_columns, SAMPLE_COLUMNS, reading->reader);
    if (err < 0)
        return err;
    /* Without times a sample is all that is known of where its time was used. */
    sample_spread_begin(&reading->spread,
                        table.places[SAMPLE_TIME] >= 0 ? tick_ns(reading) : INFINITY);
    while ((more = json_table_next_row(reading->reader)) > 0) {
        err = json_table_read_row(&table, reading->reader, cells);
        if (err == 0)
            err = take_sample(reading, &table, cells);
        if (err < 0)
            return err;
    }
    if (more == 0)
        weigh_samples(reading);
    return more;
}

/* --- Threads --- */

static int thread_member(struct reading *reading)
{
    struct json_reader *reader = reading->reader;

    if (json_reader_is(reader, "name"))
        return keep_text(reading, &reading->thread_name);
    if (json_reader_is(reader, "processName"))
        return keep_text(reading, &reading->process_name);
    if (json_reader_is(reader, "stringTable"))
        return thread_tables_read_strings(&reading->tables, reader);
    if (json_reader_is(reader, "frameTable"))
        return thread_tables_read_frames(&reading->tables, reader);
    if (json_reader_is(reader, "stackTable"))
        return thread_tables_read_stacks(&reading->tables, reader);
    if (json_reader_is(reader, "samples"))
        return read_samples(reading);
    return json_reader_skip(reader);
}

static void add_size(struct report_size *sum, const struct report_size *size)
{
    sum->samples += size->samples;
    sum->active_samples += size->active_samples;
    sum->ranked_samples += size->ranked_samples;
    sum->cpu_ns += size->cpu_ns;
    sum->not_sampled_ns += size->not_sampled_ns;
}

static const char *shown_thread_name(const char *name)
{
    if (name == NULL || name[0] == '\0')
        return "unnamed thread";
    return strcmp(name, "GeckoMain") == 0 ? "main thread" : name;
}

/* Puts what was read of the thread where it belongs. */
static int take_thread(struct reading *reading)
{
    const char *name = reading->process_name != NULL ? reading->process_name : "process";
    struct report_process *process = report_find_process(reading->report, name);
    struct report_thread *thread =
        process != NULL ? report_find_thread(process, shown_thread_name(reading->thread_name))
                        : NULL;

    if (thread == NULL)
        return -ENOMEM;
    if (reading->process.group == NULL) {
        reading->process.group = process;
        process->processes++;
        reading->report->processes++;
    }
    reading->process.thread = thread;
    reading->process.samples += reading->size.samples;
    reading->process.sampled_ns += reading->size.cpu_ns;
    thread->threads++;
    add_size(&thread->size, &reading->size);
    add_size(&process->size, &reading->size);
    add_size(&reading->report->size, &reading->size);
    if (reading->size.ranked_samples == 0)
        return 0;
    return report_count_functions(thread, &reading->tables, &reading->libraries,
                                  reading->weights.items);
}

static int read_thread(struct reading *reading, bool is_root)
{
    int err;

    thread_tables_clear(&reading->tables);
    free(reading->thread_name);
    free(reading->process_name);
    reading->thread_name = reading->process_name = NULL;
    reading->size = (struct report_size){ 0 };
    err = for_each_member(reading, thread_member);
    /* profd itself, which is the root and has no stacks, is not what was profiled. */
    if (err == 0 && !(is_root && reading->tables.stacks.count == 0))
        err = take_thread(reading);
    return err;
}

static int read_threads(struct reading *reading, bool is_root)
{
    int token, err = enter(reading, JSON_TOKEN_START_ARRAY);

    while (err == 0 && (token = json_reader_next(reading->reader)) == JSON_TOKEN_START_OBJECT)
        err = read_thread(reading, is_root);
    if (err < 0)
        return err;
    if (token != JSON_TOKEN_END_ARRAY)
        return token < 0 ? token : -EPROTO;
    return 0;
}

/* --- Processes --- */

static int discard(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return 0;
}

static int read_libraries(struct reading *reading)
{
    process_libraries_free(&reading->libraries);
    return process_libraries_copy(&reading->libraries, reading->reader, &reading->nowhere);
}

static int units_member(struct reading *reading)
{
    bool is_cpu = json_reader_is(reading->reader, "threadCPUDelta");
    int token = json_reader_next(reading->reader);

    if (is_cpu && token == JSON_TOKEN_STRING)
        reading->cpu_unit_ns = json_reader_is(reading->reader, "ns") ? 1 : 1000;
    return json_reader_skip(reading->reader);
}

static int read_interval(struct reading *reading, uint64_t *interval_ns)
{
    if (json_reader_next(reading->reader) != JSON_TOKEN_NUMBER)
        return json_reader_skip(reading->reader);
    *interval_ns = report_clocks_interval_ns(json_reader_double(reading->reader));
    return 0;
}

static int meta_member(struct reading *reading, uint64_t *interval_ns)
{
    if (json_reader_is(reading->reader, "interval"))
        return read_interval(reading, interval_ns);
    if (!json_reader_is(reading->reader, "sampleUnits"))
        return json_reader_skip(reading->reader);
    if (json_reader_next(reading->reader) != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(reading->reader);
    return for_each_member(reading, units_member);
}

/* What the session asked for … */
static int root_meta_member(struct reading *reading)
{
    return meta_member(reading, &reading->report->clocks.asked_ns);
}

/* … and what the clock of a process is. */
static int inner_meta_member(struct reading *reading)
{
    return meta_member(reading, &reading->own_interval_ns);
}

static int read_meta(struct reading *reading, bool is_root)
{
    int err = enter(reading, JSON_TOKEN_START_OBJECT);

    if (err < 0)
        return err;
    return for_each_member(reading, is_root ? root_meta_member : inner_meta_member);
}

/* Members that the root has of itself too, when it is a process. */
static int process_member(struct reading *reading, bool is_root)
{
    if (json_reader_is(reading->reader, "meta"))
        return read_meta(reading, is_root);
    if (json_reader_is(reading->reader, "libs"))
        return read_libraries(reading);
    if (json_reader_is(reading->reader, "threads"))
        return read_threads(reading, is_root);
    if (json_reader_is(reading->reader, "profilingLog"))
        return process_log_read(&reading->process.log, reading->reader);
    return json_reader_skip(reading->reader);
}

static int inner_process_member(struct reading *reading)
{
    return process_member(reading, false);
}

static void begin_process(struct reading *reading)
{
    reading->process = (struct seen_process){ 0 };
    process_log_init(&reading->process.log);
    reading->own_interval_ns = 0;
}

/* What was read of the process at hand goes to the others. */
static int end_process(struct reading *reading)
{
    struct seen_process *place = NULL;

    report_clocks_add(&reading->report->clocks, &reading->process.log);
    if (reading->process.log.lost_blocks > 0)
        reading->report->lost_blocks += reading->process.log.lost_blocks;
    if (reading->process.group != NULL)
        place = mapped_array_push(&reading->seen, sizeof(*place));
    if (place != NULL)
        *place = reading->process;
    else
        process_log_free(&reading->process.log);
    bool is_lost = reading->process.group != NULL && place == NULL;
    begin_process(reading);
    return is_lost ? -ENOMEM : 0;
}

static int read_process(struct reading *reading)
{
    int err;

    begin_process(reading);
    err = for_each_member(reading, inner_process_member);
    return err < 0 ? err : end_process(reading);
}

static int read_processes(struct reading *reading)
{
    const struct seen_process root = reading->process;
    int token = 0, err = enter(reading, JSON_TOKEN_START_ARRAY);

    begin_process(reading);
    while (err == 0 && (token = json_reader_next(reading->reader)) == JSON_TOKEN_START_OBJECT)
        err = read_process(reading);
    process_log_free(&reading->process.log);
    reading->process = root;
    if (err < 0)
        return err;
    if (token != JSON_TOKEN_END_ARRAY)
        return token < 0 ? token : -EPROTO;
    return 0;
}

static int root_member(struct reading *reading)
{
    if (json_reader_is(reading->reader, "processes"))
        return read_processes(reading);
    return process_member(reading, true);
}

static int read_profile(struct reading *reading)
{
    int err = enter(reading, JSON_TOKEN_START_OBJECT);

    if (err == 0)
        err = for_each_member(reading, root_member);
    if (err == 0 && json_reader_next(reading->reader) != JSON_TOKEN_END)
        err = -EPROTO;
    if (err == 0)
        err = end_process(reading);
    return err == 0 ? report_settle(reading->report, &reading->seen) : err;
}

int report_read(struct json_reader *reader, bool count_idle, struct report *out)
{
    struct reading reading = { .reader = reader, .report = out, .cpu_unit_ns = 1000 };
    int err;

    *out = (struct report){ .counts_idle = count_idle };
    failure_latch_init(&reading.latch);
    json_writer_init_sink(&reading.nowhere, discard, NULL, &reading.latch);
    begin_process(&reading);
    err = read_profile(&reading);
    process_log_free(&reading.process.log);
    seen_processes_free(&reading.seen);
    json_writer_fini(&reading.nowhere);
    process_libraries_free(&reading.libraries);
    thread_tables_free(&reading.tables);
    sample_spread_free(&reading.spread);
    mapped_array_free(&reading.weights);
    free(reading.thread_name);
    free(reading.process_name);
    if (err == 0)
        report_sort(out);
    return err;
}
