#include "profctl/profile/profile_walk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profctl/json_sinks.h"
#include "profctl/json_steps.h"
#include "profctl/profile/profile_meta.h"
#include "profctl/profile/profile_walk_inside.h"
#include "profctl/profile/time_shift.h"
#include "profctl/tables/json_text.h"

/* Calls MEMBER behind each key of an object whose start was read. */
int walk_each_member(struct walk *walk, int (*member)(struct walk *walk))
{
    int error = 0;

    while (json_next_member(walk->reader, &error))
        error = member(walk);
    return error;
}

/* Calls ELEMENT at the start of each object of an array, whose key was read. */
static int for_each_object(struct walk *walk, bool is_root,
                           int (*element)(struct walk *walk, bool is_root))
{
    int error = json_expect(walk->reader, JSON_TOKEN_START_ARRAY);

    while (json_next_object(walk->reader, &error))
        error = element(walk, is_root);
    return error;
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
                                  "\"meta\" comes after samples and changes their unit; profctl "
                                  "reads profiles that begin with \"meta\"");
    walk->cpu_unit_ns = unit_ns;
    walk->knows_unit = true;
    return 0;
}

static int read_meta(struct walk *walk, bool is_root)
{
    const struct profile_meta_listener listener = { walk->events->on_meta, walk->owner,
                                                    &walk->meta_value };
    struct profile_meta meta;
    int error = profile_meta_read(walk->reader, &listener, &meta);

    if (error == 0 && meta.cpu_unit_ns != 0)
        error = use_unit(walk, meta.cpu_unit_ns);
    if (is_root)
        use_root_meta(walk, &meta);
    else
        use_inner_meta(walk, &meta);
    return error;
}

static int read_counter(struct walk *walk, bool is_root)
{
    (void)is_root;
    int error = profile_counter_read(&walk->counter, walk->reader);
    time_shift_counter(&walk->counter, walk->shift_ms);
    return error < 0 ? error : walk->events->on_counter(walk->owner, &walk->counter);
}

static int read_counters(struct walk *walk, bool is_root)
{
    if (walk->has_threads[is_root])
        return for_each_object(walk, is_root, read_counter);
    walk->late_counters[is_root].count = 0;
    return json_text_append_value(walk->reader, &walk->late_counters[is_root]);
}

/* Those that were kept. */
static int read_late_counters(struct walk *walk, bool is_root)
{
    struct mapped_array *text = &walk->late_counters[is_root];
    struct json_reader *file = walk->reader;

    if (text->count == 0)
        return 0;
    int error = json_reader_open_memory(text->items, text->count, &walk->reader);
    if (error == 0) {
        error = for_each_object(walk, is_root, read_counter);
        json_reader_close(walk->reader);
    }
    walk->reader = file;
    text->count = 0;
    return error == -EPROTO
               ? json_reader_refuse(file, "invalid \"counters\" in the process that ends here")
               : error;
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
    if (json_reader_is(walk->reader, "threads")) {
        walk->has_threads[is_root] = true;
        return for_each_object(walk, is_root, walk_thread);
    }
    if (json_reader_is(walk->reader, "counters") && walk->events->on_counter != NULL)
        return read_counters(walk, is_root);
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
    int counter_err = read_late_counters(walk, is_root);

    walk->has_threads[is_root] = false;
    if (counter_err < 0)
        return counter_err;
    walk->log.start_ms += walk->shift_ms;
    walk->log.end_ms += walk->shift_ms;
    walk->log.process_start_ms += walk->shift_ms;
    int error = walk->events->on_process != NULL
                    ? walk->events->on_process(walk->owner, is_root, &walk->log)
                    : 0;

    process_log_free(&walk->log);
    begin_process(walk);
    return error;
}

static int read_process(struct walk *walk, bool is_root)
{
    (void)is_root;
    begin_process(walk);
    int error = walk_each_member(walk, inner_process_member);
    return error < 0 ? error : end_process(walk, false);
}

/* The root's own members may come before and after. */
static int read_processes(struct walk *walk)
{
    const struct process_log root = walk->log;
    uint64_t root_interval_ns = walk->own_interval_ns;

    begin_process(walk);
    int error = for_each_object(walk, false, read_process);
    process_log_free(&walk->log);
    walk->log = root;
    walk->own_interval_ns = root_interval_ns;
    return error;
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
    walk_begin_thread(walk);
    int error = cpuprofile_settle(&walk->cpuprofile, &walk->tables, &walk->samples, walk->reader);
    return error < 0 ? error : walk_tell_thread(walk, true);
}

static int read_profile(struct walk *walk)
{
    int error = json_expect(walk->reader, JSON_TOKEN_START_OBJECT);

    if (error == 0)
        error = walk_each_member(walk, root_member);
    if (error == 0)
        error = json_expect(walk->reader, JSON_TOKEN_END);
    if (error == 0 && !walk->cpuprofile.is_there)
        error = profile_kind_check(&walk->kind, walk->reader);
    if (error == 0 && walk->cpuprofile.is_there)
        error = tell_cpuprofile(walk);
    return error == 0 ? end_process(walk, true) : error;
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
    int error = read_profile(&walk);
    cpuprofile_free(&walk.cpuprofile);
    process_log_free(&walk.log);
    json_writer_fini(&walk.nowhere);
    process_libraries_free(&walk.libraries);
    thread_tables_free(&walk.tables);
    mapped_array_free(&walk.late_counters[false]);
    mapped_array_free(&walk.late_counters[true]);
    thread_samples_free(&walk.samples);
    late_members_free(&walk.late);
    thread_markers_free(&walk.markers);
    profile_counter_free(&walk.counter);
    mapped_array_free(&walk.meta_value);
    mapped_array_free(&walk.paused_ranges);
    free(walk.thread_name);
    free(walk.process_name);
    return error;
}
