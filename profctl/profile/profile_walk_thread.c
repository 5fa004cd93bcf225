/* The threads of a profile, as they are walked over. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profctl/profile/profile_walk_inside.h"
#include "profctl/profile/time_shift.h"
#include "profctl/tables/json_text.h"

static int read_samples(struct walk *walk)
{
    const struct sample_terms terms = {
        .stack_count = (uint32_t)walk->tables.stacks.count,
        .cpu_unit_ns = walk->cpu_unit_ns,
        .tick_ns =
            sample_spread_tick_ns((double)walk->own_interval_ns, (double)walk->facts->asked_ns),
    };

    int error = thread_samples_read(&walk->samples, &terms, walk->reader);
    walk->has_guessed_unit |= walk->samples.knows_cpu && !walk->knows_unit;
    return error;
}

static int read_markers(struct walk *walk)
{
    return thread_markers_read(&walk->markers, (uint32_t)walk->tables.strings.count, walk->reader);
}

/* --- Members that need others --- */

/* What must have been read before: what they refer to is checked as they are read. */
static const enum table_stage needed_stages[LATE_MEMBERS] = { [LATE_FRAMES] = TABLES_STRINGS,
                                                              [LATE_STACKS] = TABLES_FRAMES,
                                                              [LATE_SAMPLES] = TABLES_STACKS,
                                                              [LATE_MARKERS] = TABLES_STRINGS };

static int read_needy(struct walk *walk, enum late_member member)
{
    switch (member) {
    case LATE_FRAMES:
        return thread_tables_read_frames(&walk->tables, walk->reader);
    case LATE_STACKS:
        return thread_tables_read_stacks(&walk->tables, walk->reader);
    case LATE_SAMPLES:
        return read_samples(walk);
    default:
        return read_markers(walk);
    }
}

static int read_or_keep(struct walk *walk, enum late_member member)
{
    if (member == LATE_MARKERS && !walk->events->wants_markers)
        return json_reader_skip(walk->reader);
    return walk->tables.stage < needed_stages[member]
               ? late_members_keep(&walk->late, member, walk->reader)
               : read_needy(walk, member);
}

/* Reads the text that was kept of MEMBER. */
static int read_kept(struct walk *walk, enum late_member member)
{
    const struct mapped_array *text = &walk->late.texts[member];
    struct json_reader *file = walk->reader;
    int error = json_reader_open_memory(text->items, text->count, &walk->reader);

    if (error == 0) {
        error = read_needy(walk, member);
        if (error == -EPROTO)
            (void)json_reader_refuse(file, "invalid \"%s\" in the thread that ends here%s%s",
                                     late_member_name(member),
                                     json_reader_error(walk->reader)[0] != '\0' ? ": " : "",
                                     json_reader_error(walk->reader));
        json_reader_close(walk->reader);
    }
    walk->reader = file;
    return error;
}

static int read_late(struct walk *walk)
{
    int error = 0;

    for (int i = 0; i < LATE_MEMBERS && error == 0; i++) {
        if (!walk->late.are_there[i])
            continue;
        if (walk->tables.stage < needed_stages[i])
            return json_reader_refuse(walk->reader,
                                      "\"%s\" without the tables that it refers to; of a processed "
                                      "profile, give the capture that it was made of",
                                      late_member_name((enum late_member)i));
        error = read_kept(walk, (enum late_member)i);
    }
    return error;
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
        return read_or_keep(walk, LATE_FRAMES);
    if (json_reader_is(reader, "stackTable"))
        return read_or_keep(walk, LATE_STACKS);
    if (json_reader_is(reader, "samples"))
        return read_or_keep(walk, LATE_SAMPLES);
    if (json_reader_is(reader, "markers"))
        return read_or_keep(walk, LATE_MARKERS);
    if (json_reader_is(reader, "registerTime"))
        return json_number_keep_either(reader, &walk->register_ms);
    if (json_reader_is(reader, "unregisterTime"))
        return json_number_keep_either(reader, &walk->unregister_ms);
    return json_reader_skip(reader);
}

void walk_begin_thread(struct walk *walk)
{
    thread_tables_clear(&walk->tables);
    free(walk->thread_name);
    free(walk->process_name);
    walk->thread_name = walk->process_name = NULL;
    walk->pid = walk->tid = -1;
    walk->register_ms = walk->unregister_ms = NAN;
    thread_samples_clear(&walk->samples);
    thread_markers_clear(&walk->markers);
    late_members_clear(&walk->late);
}

static void shift_thread(struct walk *walk)
{
    walk->register_ms += walk->shift_ms;
    walk->unregister_ms += walk->shift_ms;
    time_shift_samples(&walk->samples, walk->shift_ms);
    time_shift_markers(&walk->markers, walk->shift_ms);
}

int walk_tell_thread(struct walk *walk, bool is_root)
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

double profile_thread_cpu_ns(const struct profile_thread *thread)
{
    double sum_ns = 0;

    for (size_t i = 0; i < thread->sample_count; i++)
        sum_ns += thread->samples[i].cpu_ns;
    return sum_ns;
}

int walk_thread(struct walk *walk, bool is_root)
{
    walk_begin_thread(walk);
    int error = walk_each_member(walk, thread_member);
    if (error == 0)
        error = read_late(walk);
    if (error < 0)
        return error;
    shift_thread(walk);
    return walk_tell_thread(walk, is_root);
}
