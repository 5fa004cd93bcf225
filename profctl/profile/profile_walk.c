#include "profctl/profile/profile_walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/profile/cpuprofile.h"
#include "profctl/profile/profile_meta.h"
#include "profctl/profile/time_shift.h"
#include "profctl/tables/json_text.h"
#include "profctl/tables/profile_kind.h"

struct walk {
    struct json_reader *reader;
    const struct profile_walk_events *events;
    void *owner;
    struct profile_facts *facts;
    struct profile_kind kind;
    double cpu_unit_ns;    /* of threadCPUDelta; below 0: none that is known */
    bool has_guessed_unit; /* samples were read before one was told */
    bool knows_unit;

    struct process_log log;   /* of the process at hand, … */
    uint64_t own_interval_ns; /* … what its "meta" tells of its samples; 0: not known … */
    double shift_ms;          /* … from its times to the root's … */
    bool was_root;            /* … whether it was one before a merge … */
    struct process_libraries libraries; /* … its libraries … */
    struct mapped_array paused_ranges;  /* … and char: when it was paused, as it is written */
    struct json_writer nowhere;
    struct failure_latch latch; /* of that writer */

    struct thread_tables tables; /* of the thread at hand … */
    char *thread_name, *process_name;
    double pid, tid;
    double register_ms, unregister_ms;
    struct thread_samples samples;
    struct thread_markers markers;

    struct profile_counter counter; /* the counter at hand */
    struct cpuprofile cpuprofile;   /* all of it, when the file is one */
    struct mapped_array meta_value; /* char: what a member of "meta" says */
};

/* Calls MEMBER behind each key of an object whose start was read. */
static int for_each_member(struct walk *walk, int (*member)(struct walk *walk))
{
    int err = 0;

    while (json_next_member(walk->reader, &err))
        err = member(walk);
    return err;
}

/* Calls ELEMENT at the start of each object of an array, whose key was read. */
static int for_each_object(struct walk *walk, bool is_root,
                           int (*element)(struct walk *walk, bool is_root))
{
    int err = json_expect(walk->reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(walk->reader, &err))
        err = element(walk, is_root);
    return err;
}

/* --- Threads --- */

static int read_samples(struct walk *walk)
{
    const struct sample_terms terms = {
        .stack_count = (uint32_t)walk->tables.stacks.count,
        .cpu_unit_ns = walk->cpu_unit_ns,
        .tick_ns =
            sample_spread_tick_ns((double)walk->own_interval_ns, (double)walk->facts->asked_ns),
    };

    if (walk->tables.stage != TABLES_STACKS) /* a sample's stack is checked as it is read */
        return json_reader_refuse(walk->reader,
                                  "samples before the tables of their stacks; profctl "
                                  "reads stringTable, frameTable, stackTable, "
                                  "samples, in this order; of a processed profile, "
                                  "give the capture that it was made of");
    int err = thread_samples_read(&walk->samples, &terms, walk->reader);
    walk->has_guessed_unit |= walk->samples.knows_cpu && !walk->knows_unit;
    return err;
}

static int read_markers(struct walk *walk)
{
    if (!walk->events->wants_markers)
        return json_reader_skip(walk->reader);
    if (walk->tables.stage < TABLES_STRINGS)
        return -EPROTO; /* so is a marker's name */
    return thread_markers_read(&walk->markers, (uint32_t)walk->tables.strings.count, walk->reader);
}

static int thread_member(struct walk *walk)
{
    struct json_reader *reader = walk->reader;

    if (json_reader_is(reader, "name"))
        return json_text_keep(reader, &walk->thread_name);
    if (json_reader_is(reader, "processName"))
        return json_text_keep(reader, &walk->process_name);
    if (json_reader_is(reader, "pid"))
        return json_number_keep_either(reader, &walk->pid);
    if (json_reader_is(reader, "tid"))
        return json_number_keep_either(reader, &walk->tid);
    if (json_reader_is(reader, "stringTable"))
        return thread_tables_read_strings(&walk->tables, reader);
    if (json_reader_is(reader, "frameTable"))
        return thread_tables_read_frames(&walk->tables, reader);
    if (json_reader_is(reader, "stackTable"))
        return thread_tables_read_stacks(&walk->tables, reader);
    if (json_reader_is(reader, "samples"))
        return read_samples(walk);
    if (json_reader_is(reader, "markers"))
        return read_markers(walk);
    if (json_reader_is(reader, "registerTime"))
        return json_number_keep_either(reader, &walk->register_ms);
    if (json_reader_is(reader, "unregisterTime"))
        return json_number_keep_either(reader, &walk->unregister_ms);
    return json_reader_skip(reader);
}

static void begin_thread(struct walk *walk)
{
    thread_tables_clear(&walk->tables);
    free(walk->thread_name);
    free(walk->process_name);
    walk->thread_name = walk->process_name = NULL;
    walk->pid = walk->tid = -1;
    walk->register_ms = walk->unregister_ms = NAN;
    thread_samples_clear(&walk->samples);
    thread_markers_clear(&walk->markers);
}

static void shift_thread(struct walk *walk)
{
    walk->register_ms += walk->shift_ms;
    walk->unregister_ms += walk->shift_ms;
    time_shift_samples(&walk->samples, walk->shift_ms);
    time_shift_markers(&walk->markers, walk->shift_ms);
}

static int tell_thread(struct walk *walk, bool is_root)
{
    const struct profile_thread thread = {
        .name = walk->thread_name,
        .process_name = walk->process_name,
        .pid = walk->pid,
        .tid = walk->tid,
        .is_of_root = is_root,
        .was_of_root = walk->was_root,
        .register_ms = walk->register_ms,
        .unregister_ms = walk->unregister_ms,
        .knows_cpu = walk->samples.knows_cpu,
        .interval_ns =
            (double)(walk->own_interval_ns != 0 ? walk->own_interval_ns : walk->facts->asked_ns),
        .tables = &walk->tables,
        .libraries = &walk->libraries,
        .samples = walk->samples.samples.items,
        .sample_count = walk->samples.samples.count,
        .not_sampled_ns = walk->samples.not_sampled_ns,
        .shift_ms = walk->shift_ms,
        .markers = &walk->markers,
        .paused_ranges = walk->paused_ranges.count > 0 ? walk->paused_ranges.items : NULL,
        .paused_ranges_length = walk->paused_ranges.count,
    };
    return walk->events->on_thread(walk->owner, &thread);
}

static int read_thread(struct walk *walk, bool is_root)
{
    begin_thread(walk);
    int err = for_each_member(walk, thread_member);
    if (err < 0)
        return err;
    shift_thread(walk);
    return tell_thread(walk, is_root);
}

/* --- Processes --- */

static int read_libraries(struct walk *walk)
{
    process_libraries_free(&walk->libraries);
    return process_libraries_copy(&walk->libraries, walk->reader, &walk->nowhere);
}

static int read_paused_ranges(struct walk *walk)
{
    walk->paused_ranges.count = 0;
    return json_text_append_value(walk->reader, &walk->paused_ranges);
}

static void use_root_meta(struct walk *walk, const struct profile_meta *meta)
{
    if (meta->start_unix_ms != 0)
        walk->facts->start_unix_ms = meta->start_unix_ms;
    if (meta->interval_ns != 0)
        walk->facts->asked_ns = meta->interval_ns;
}

/* Where the root's start is known by now, as it is in merged captures. */
static void use_inner_meta(struct walk *walk, const struct profile_meta *meta)
{
    walk->was_root |= meta->is_of_root;
    if (meta->interval_ns != 0)
        walk->own_interval_ns = meta->interval_ns;
    if (meta->start_unix_ms > 0 && walk->facts->start_unix_ms > 0)
        walk->shift_ms = meta->start_unix_ms - walk->facts->start_unix_ms;
}

static int use_unit(struct walk *walk, double unit_ns)
{
    if (walk->has_guessed_unit && unit_ns != walk->cpu_unit_ns)
        return json_reader_refuse(walk->reader,
                                  "\"meta\" with the unit of samples that stand before "
                                  "it; profctl reads profiles that begin with it");
    walk->cpu_unit_ns = unit_ns;
    walk->knows_unit = true;
    return 0;
}

static int read_meta(struct walk *walk, bool is_root)
{
    const struct profile_meta_listener listener = { walk->events->on_meta, walk->owner,
                                                    &walk->meta_value };
    struct profile_meta meta;
    int err = profile_meta_read(walk->reader, &listener, &meta);

    if (err == 0 && meta.cpu_unit_ns != 0)
        err = use_unit(walk, meta.cpu_unit_ns);
    if (is_root)
        use_root_meta(walk, &meta);
    else
        use_inner_meta(walk, &meta);
    return err;
}

static int read_counter(struct walk *walk, bool is_root)
{
    (void)is_root;
    int err = profile_counter_read(&walk->counter, walk->reader);
    time_shift_counter(&walk->counter, walk->shift_ms);
    return err < 0 ? err : walk->events->on_counter(walk->owner, &walk->counter);
}

/* Members that the root has of itself too, when it is a process. */
static int process_member(struct walk *walk, bool is_root)
{
    if (json_reader_is(walk->reader, "meta"))
        return read_meta(walk, is_root);
    if (json_reader_is(walk->reader, "libs"))
        return read_libraries(walk);
    if (json_reader_is(walk->reader, "pausedRanges"))
        return read_paused_ranges(walk);
    if (json_reader_is(walk->reader, "threads"))
        return for_each_object(walk, is_root, read_thread);
    if (json_reader_is(walk->reader, "counters") && walk->events->on_counter != NULL)
        return for_each_object(walk, is_root, read_counter);
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
    walk->shift_ms = 0;
    walk->was_root = false;
    walk->paused_ranges.count = 0;
}

static int end_process(struct walk *walk, bool is_root)
{
    walk->log.start_ms += walk->shift_ms;
    walk->log.end_ms += walk->shift_ms;
    int err = walk->events->on_process != NULL
                  ? walk->events->on_process(walk->owner, is_root, &walk->log)
                  : 0;

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
    profile_kind_note(&walk->kind, walk->reader);
    if (json_reader_is(walk->reader, "processes"))
        return read_processes(walk);
    if (cpuprofile_has_member(walk->reader))
        return cpuprofile_read_member(&walk->cpuprofile, walk->reader);
    return process_member(walk, true);
}

/* The file is a .cpuprofile, which is one thread. */
static int tell_cpuprofile(struct walk *walk)
{
    begin_thread(walk);
    int err = cpuprofile_settle(&walk->cpuprofile, &walk->tables, &walk->samples, walk->reader);
    return err < 0 ? err : tell_thread(walk, true);
}

static int read_profile(struct walk *walk)
{
    int err = json_expect(walk->reader, JSON_TOKEN_START_OBJECT);

    if (err == 0)
        err = for_each_member(walk, root_member);
    if (err == 0)
        err = json_expect(walk->reader, JSON_TOKEN_END);
    if (err == 0 && !walk->cpuprofile.is_there)
        err = profile_kind_check(&walk->kind, walk->reader);
    if (err == 0 && walk->cpuprofile.is_there)
        err = tell_cpuprofile(walk);
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
    json_writer_init_sink(&walk.nowhere, json_sink_nowhere, NULL, &walk.latch);
    begin_process(&walk);
    cpuprofile_init(&walk.cpuprofile);
    int err = read_profile(&walk);
    cpuprofile_free(&walk.cpuprofile);
    process_log_free(&walk.log);
    json_writer_fini(&walk.nowhere);
    process_libraries_free(&walk.libraries);
    thread_tables_free(&walk.tables);
    thread_samples_free(&walk.samples);
    thread_markers_free(&walk.markers);
    profile_counter_free(&walk.counter);
    mapped_array_free(&walk.meta_value);
    mapped_array_free(&walk.paused_ranges);
    free(walk.thread_name);
    free(walk.process_name);
    return err;
}
