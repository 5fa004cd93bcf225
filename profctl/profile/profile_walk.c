#include "profctl/profile/profile_walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/json_table.h"
#include "profctl/profile/sample_spread.h"

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_CPU, SAMPLE_COLUMNS };
static const char *const sample_columns[SAMPLE_COLUMNS] = { "stack", "time", "threadCPUDelta" };
_Static_assert((uint32_t)SAMPLE_SPREAD_NO_STACK == TABLE_NONE, "no stack in both");

#define NS_PER_MS 1e6

/* Of one sample: a day. Files may say anything. */
static const double most_ns = 86400e9;

struct walk {
    struct json_reader *reader;
    const struct profile_walk_events *events;
    void *owner;
    struct profile_facts *facts;
    double cpu_unit_ns; /* of threadCPUDelta */

    struct process_log log;   /* of the process at hand, … */
    uint64_t own_interval_ns; /* … what its "meta" tells of its samples; 0: not known … */
    struct process_libraries libraries; /* … and its libraries */
    struct json_writer nowhere;
    struct failure_latch latch; /* of that writer */

    struct thread_tables tables; /* of the thread at hand … */
    char *thread_name, *process_name;
    double pid, tid;
    struct sample_spread spread; /* … and its samples, in two views */
    struct mapped_array samples; /* struct profile_sample */
    bool knows_cpu;
    double not_sampled_ns;
};

/* Calls MEMBER behind each key of an object whose start was read. */
static int for_each_member(struct walk *walk, int (*member)(struct walk *walk))
{
    int token, err = 0;

    while (err == 0 && (token = json_reader_next(walk->reader)) == JSON_TOKEN_KEY)
        err = member(walk);
    if (err < 0)
        return err;
    if (token != JSON_TOKEN_END_OBJECT)
        return token < 0 ? token : -EPROTO;
    return 0;
}

static int enter(struct walk *walk, enum json_token start)
{
    int token = json_reader_next(walk->reader);

    if (token < 0)
        return token;
    return token == (int)start ? 0 : -EPROTO;
}

/* Calls ELEMENT at the start of each object of an array, whose key was read. */
static int for_each_object(struct walk *walk, bool is_root,
                           int (*element)(struct walk *walk, bool is_root))
{
    int token = 0, err = enter(walk, JSON_TOKEN_START_ARRAY);

    while (err == 0 && (token = json_reader_next(walk->reader)) == JSON_TOKEN_START_OBJECT)
        err = element(walk, is_root);
    if (err < 0)
        return err;
    if (token != JSON_TOKEN_END_ARRAY)
        return token < 0 ? token : -EPROTO;
    return 0;
}

static int keep_text(struct walk *walk, char **text)
{
    const char *view;
    size_t length;
    int token = json_reader_next(walk->reader);

    if (token != JSON_TOKEN_STRING)
        return token < 0 ? token : token == JSON_TOKEN_NULL ? 0 : -EPROTO;
    int err = json_reader_string(walk->reader, &view, &length);
    if (err < 0)
        return err;
    free(*text);
    *text = strndup(view, length);
    return *text != NULL ? 0 : -ENOMEM;
}

/* A number, or a text that is one: Gecko has pids of both kinds. */
static int keep_number(struct walk *walk, double *number)
{
    const char *text;
    size_t length;
    int token = json_reader_next(walk->reader);

    if (token == JSON_TOKEN_NUMBER) {
        *number = json_reader_double(walk->reader);
        return 0;
    }
    if (token != JSON_TOKEN_STRING)
        return json_reader_skip(walk->reader);
    int err = json_reader_string(walk->reader, &text, &length);
    if (err == 0)
        *number = strtod(text, NULL);
    return err;
}

/* --- Samples --- */

static int take_sample(struct walk *walk, const struct json_cell *cells)
{
    const struct json_cell *cpu = &cells[SAMPLE_CPU], *time = &cells[SAMPLE_TIME];
    bool has_cpu = cpu->token == JSON_TOKEN_NUMBER && cpu->number > 0;
    double cpu_ns = has_cpu ? cpu->number * walk->cpu_unit_ns : 0;
    uint32_t stack;
    int err =
        json_cell_index_or_none(&cells[SAMPLE_STACK], (uint32_t)walk->tables.stacks.count, &stack);
    struct profile_sample *sample =
        err == 0 ? mapped_array_push(&walk->samples, sizeof(*sample)) : NULL;

    if (sample == NULL)
        return err < 0 ? err : -ENOMEM;
    *sample = (struct profile_sample){
        .time_ms = time->token == JSON_TOKEN_NUMBER ? time->number : 0,
        .cpu_ns = cpu_ns < most_ns ? cpu_ns : most_ns,
        .stack = stack,
        .is_active = !walk->knows_cpu || has_cpu,
    };
    const struct spread_sample weighed = { sample->time_ms * NS_PER_MS, sample->cpu_ns, stack };
    return walk->knows_cpu ? sample_spread_add(&walk->spread, &weighed) : 0;
}

/* All samples of the thread are known: gives each its weight. */
static void weigh_samples(struct walk *walk)
{
    struct profile_sample *samples = walk->samples.items;

    walk->not_sampled_ns = sample_spread_weigh(&walk->spread);
    const struct spread_sample *weighed = walk->spread.samples.items;
    for (size_t i = 0; i < walk->spread.samples.count; i++)
        samples[i].weight_ns = weighed[i].cpu_ns;
}

static double tick_ns(const struct walk *walk)
{
    return sample_spread_tick_ns((double)walk->own_interval_ns, (double)walk->facts->asked_ns);
}

static int read_samples(struct walk *walk)
{
    struct json_cell cells[JSON_TABLE_MOST_COLUMNS];
    struct json_table table;
    int more;

    if (walk->tables.stage != TABLES_STACKS)
        return -EPROTO; /* a sample's stack is checked as it is read */
    int err = json_table_open(&table, sample_columns, SAMPLE_COLUMNS, walk->reader);
    if (err < 0)
        return err;
    walk->samples.count = 0;
    walk->knows_cpu = table.places[SAMPLE_CPU] >= 0;
    /* Without times a sample is all that is known of where its time was used. */
    sample_spread_begin(&walk->spread, table.places[SAMPLE_TIME] >= 0 ? tick_ns(walk) : INFINITY);
    while ((more = json_table_next_row(walk->reader)) > 0) {
        err = json_table_read_row(&table, walk->reader, cells);
        if (err == 0)
            err = take_sample(walk, cells);
        if (err < 0)
            return err;
    }
    if (more == 0)
        weigh_samples(walk);
    return more;
}

/* --- Threads --- */

static int thread_member(struct walk *walk)
{
    struct json_reader *reader = walk->reader;

    if (json_reader_is(reader, "name"))
        return keep_text(walk, &walk->thread_name);
    if (json_reader_is(reader, "processName"))
        return keep_text(walk, &walk->process_name);
    if (json_reader_is(reader, "pid"))
        return keep_number(walk, &walk->pid);
    if (json_reader_is(reader, "tid"))
        return keep_number(walk, &walk->tid);
    if (json_reader_is(reader, "stringTable"))
        return thread_tables_read_strings(&walk->tables, reader);
    if (json_reader_is(reader, "frameTable"))
        return thread_tables_read_frames(&walk->tables, reader);
    if (json_reader_is(reader, "stackTable"))
        return thread_tables_read_stacks(&walk->tables, reader);
    if (json_reader_is(reader, "samples"))
        return read_samples(walk);
    return json_reader_skip(reader);
}

static void begin_thread(struct walk *walk)
{
    thread_tables_clear(&walk->tables);
    free(walk->thread_name);
    free(walk->process_name);
    walk->thread_name = walk->process_name = NULL;
    walk->pid = walk->tid = -1;
    walk->samples.count = 0;
    walk->knows_cpu = false;
    walk->not_sampled_ns = 0;
}

static int read_thread(struct walk *walk, bool is_root)
{
    begin_thread(walk);
    int err = for_each_member(walk, thread_member);
    if (err < 0)
        return err;
    const struct profile_thread thread = {
        .name = walk->thread_name,
        .process_name = walk->process_name,
        .pid = walk->pid,
        .tid = walk->tid,
        .is_of_root = is_root,
        .knows_cpu = walk->knows_cpu,
        .interval_ns =
            (double)(walk->own_interval_ns != 0 ? walk->own_interval_ns : walk->facts->asked_ns),
        .tables = &walk->tables,
        .libraries = &walk->libraries,
        .samples = walk->samples.items,
        .sample_count = walk->samples.count,
        .not_sampled_ns = walk->not_sampled_ns,
    };
    return walk->events->on_thread(walk->owner, &thread);
}

/* --- Processes --- */

static int discard(void *context, const char *bytes, size_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    return 0;
}

static int read_libraries(struct walk *walk)
{
    process_libraries_free(&walk->libraries);
    return process_libraries_copy(&walk->libraries, walk->reader, &walk->nowhere);
}

static int units_member(struct walk *walk)
{
    bool is_cpu = json_reader_is(walk->reader, "threadCPUDelta");
    int token = json_reader_next(walk->reader);

    if (is_cpu && token == JSON_TOKEN_STRING)
        walk->cpu_unit_ns = json_reader_is(walk->reader, "ns") ? 1 : 1000;
    return json_reader_skip(walk->reader);
}

static int read_interval(struct walk *walk, uint64_t *interval_ns)
{
    if (json_reader_next(walk->reader) != JSON_TOKEN_NUMBER)
        return json_reader_skip(walk->reader);
    *interval_ns = process_log_interval_ns(json_reader_double(walk->reader));
    return 0;
}

static int meta_member(struct walk *walk, uint64_t *interval_ns)
{
    if (json_reader_is(walk->reader, "interval"))
        return read_interval(walk, interval_ns);
    if (!json_reader_is(walk->reader, "sampleUnits"))
        return json_reader_skip(walk->reader);
    if (json_reader_next(walk->reader) != JSON_TOKEN_START_OBJECT)
        return json_reader_skip(walk->reader);
    return for_each_member(walk, units_member);
}

/* What the session asked for … */
static int root_meta_member(struct walk *walk)
{
    if (json_reader_is(walk->reader, "startTime"))
        return keep_number(walk, &walk->facts->start_unix_ms);
    return meta_member(walk, &walk->facts->asked_ns);
}

/* … and what the clock of a process is. */
static int inner_meta_member(struct walk *walk)
{
    return meta_member(walk, &walk->own_interval_ns);
}

static int read_meta(struct walk *walk, bool is_root)
{
    int err = enter(walk, JSON_TOKEN_START_OBJECT);

    return err < 0 ? err : for_each_member(walk, is_root ? root_meta_member : inner_meta_member);
}

/* Members that the root has of itself too, when it is a process. */
static int process_member(struct walk *walk, bool is_root)
{
    if (json_reader_is(walk->reader, "meta"))
        return read_meta(walk, is_root);
    if (json_reader_is(walk->reader, "libs"))
        return read_libraries(walk);
    if (json_reader_is(walk->reader, "threads"))
        return for_each_object(walk, is_root, read_thread);
    if (json_reader_is(walk->reader, "profilingLog"))
        return process_log_read(&walk->log, walk->reader);
    return json_reader_skip(walk->reader);
}

static int inner_process_member(struct walk *walk)
{
    return process_member(walk, false);
}

static void begin_process(struct walk *walk)
{
    process_log_init(&walk->log);
    walk->own_interval_ns = 0;
}

static int end_process(struct walk *walk, bool is_root)
{
    int err = walk->events->on_process(walk->owner, is_root, &walk->log);

    process_log_free(&walk->log);
    begin_process(walk);
    return err;
}

static int read_process(struct walk *walk, bool is_root)
{
    (void)is_root;
    begin_process(walk);
    int err = for_each_member(walk, inner_process_member);
    return err < 0 ? err : end_process(walk, false);
}

/* The root's own members may come before and after. */
static int read_processes(struct walk *walk)
{
    const struct process_log root = walk->log;
    uint64_t root_interval_ns = walk->own_interval_ns;

    begin_process(walk);
    int err = for_each_object(walk, false, read_process);
    process_log_free(&walk->log);
    walk->log = root;
    walk->own_interval_ns = root_interval_ns;
    return err;
}

static int root_member(struct walk *walk)
{
    if (json_reader_is(walk->reader, "processes"))
        return read_processes(walk);
    return process_member(walk, true);
}

static int read_profile(struct walk *walk)
{
    int err = enter(walk, JSON_TOKEN_START_OBJECT);

    if (err == 0)
        err = for_each_member(walk, root_member);
    if (err == 0 && json_reader_next(walk->reader) != JSON_TOKEN_END)
        err = -EPROTO;
    return err == 0 ? end_process(walk, true) : err;
}

int profile_walk(struct json_reader *reader, const struct profile_walk_events *events, void *owner,
                 struct profile_facts *facts)
{
    struct walk walk = {
        .reader = reader, .events = events, .owner = owner, .facts = facts, .cpu_unit_ns = 1000
    };

    *facts = (struct profile_facts){ 0 };
    failure_latch_init(&walk.latch);
    json_writer_init_sink(&walk.nowhere, discard, NULL, &walk.latch);
    begin_process(&walk);
    int err = read_profile(&walk);
    process_log_free(&walk.log);
    json_writer_fini(&walk.nowhere);
    process_libraries_free(&walk.libraries);
    thread_tables_free(&walk.tables);
    sample_spread_free(&walk.spread);
    mapped_array_free(&walk.samples);
    free(walk.thread_name);
    free(walk.process_name);
    return err;
}
