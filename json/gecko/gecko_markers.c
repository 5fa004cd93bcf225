/* Markers: rows of [name, startTime, endTime, phase, category, data], written as they are read. */
#include <string.h>

#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"

enum { VERDICT_MAX_BYTES = 512 };

static void stream_times(struct json_writer *writer, enum marker_phase phase, int64_t start_ns,
                         int64_t end_ns)
{
    if (phase == PHASE_INTERVAL_END)
        json_null(writer);
    else
        json_time_ms(writer, start_ns);
    if (phase == PHASE_INTERVAL || phase == PHASE_INTERVAL_END)
        json_time_ms(writer, end_ns);
    else
        json_null(writer);
}

static void stream_text(struct json_writer *writer, const struct arena_string *text)
{
    json_start_object(writer);
    json_string_property(writer, "type", GECKO_TEXT_MARKER);
    json_name(writer, "name");
    json_string_bytes(writer, text->bytes, text->length);
    json_end_object(writer);
}

/* One marker while it is written. */
struct marker_walk {
    struct process_context *process;
    struct thread_context *thread;
    const struct marker_entry *marker;
    const struct clock_calibration *clock;
    const struct marker_type *type; /* NULL: it has no payload */
    uint64_t ticks;                 /* the time of its entry */
};

static uint64_t ns_ago(const struct marker_walk *walk, int64_t ticks_ago)
{
    return clock_to_ns(walk->clock, walk->ticks - (uint64_t)ticks_ago);
}

/* Ends that nothing started, for the account: viewers let them begin with the profile. */
static void count_unmatched(const struct marker_walk *walk, uint32_t name)
{
    struct mapped_array *open = &walk->thread->open_markers;
    bool is_end = walk->marker->phase == PHASE_INTERVAL_END;
    if ((walk->marker->phase != PHASE_INTERVAL_START && !is_end) || name == UNIQUE_NONE)
        return;
    int error = mapped_array_reserve(open, (size_t)name + 1, sizeof(uint32_t));
    if (error < 0) {
        failure_latch_set(walk->process->latch, error);
        return;
    }
    uint32_t *count = (uint32_t *)open->items + name;
    if (is_end && *count == 0)
        walk->process->unmatched_ends++;
    else
        *count += is_end ? UINT32_MAX : 1;
}

/* The stack as viewers want it: a thread with one sample. */
static void stream_stack(const struct marker_walk *walk, uint32_t stack, struct json_writer *writer)
{
    uint64_t time_ns = ns_ago(walk, walk->marker->stack_ticks_ago);
    json_start_object_property(writer, "stack");
    json_string_property(writer, "name", "SyncProfile");
    json_null_property(writer, "registerTime");
    json_null_property(writer, "unregisterTime");
    json_string_property(writer, "processType", "default");
    json_i64_property(writer, "tid", walk->thread->tid);
    json_i64_property(writer, "pid", walk->process->unique_pid);
    json_name(writer, "markers");
    gecko_start_table(writer, gecko_marker_columns);
    gecko_end_table(writer);
    json_name(writer, "samples");
    gecko_start_table(writer, gecko_sample_columns);
    json_start_array(writer);
    json_u64(writer, stack);
    json_time_ms(writer, process_relative_ns(walk->process, time_ns));
    json_u64(writer, 0);
    json_u64(writer, 0);
    json_end_array(writer);
    gecko_end_table(writer);
    json_end_object(writer);
}

static uint32_t add_stack(const struct marker_walk *walk)
{
    struct stack_frame frames[MARKER_MAX_FRAMES];
    if (walk->marker->frame_count == 0)
        return UNIQUE_NONE;
    if (marker_decode_stack(walk->marker, frames) < 0) {
        walk->process->bad_entries++;
        return UNIQUE_NONE;
    }
    return stacks_add(walk->process, walk->thread, UNIQUE_NONE, frames, walk->marker->frame_count);
}

static void stream_data(const struct marker_walk *walk, struct json_writer *writer)
{
    const struct marker_entry *marker = walk->marker;
    struct payload_source source = { walk->process, walk->thread, walk->clock, writer };
    uint32_t stack = add_stack(walk);
    bool has_text = walk->type == NULL && marker->content != MARKER_WITH_PAYLOAD &&
                    (marker->content == MARKER_WITH_TEXT || marker->text.length > 0);
    if (walk->type == NULL && !has_text && stack == UNIQUE_NONE)
        return;
    json_start_object(writer);
    json_name(writer, "type");
    if (walk->type != NULL)
        marker_type_stream_name(walk->type, writer);
    else
        json_string(writer, GECKO_TEXT_MARKER);
    if (walk->type != NULL)
        payload_stream(&source, &walk->type->schema, marker->text);
    if (has_text) {
        json_name(writer, "name");
        json_string_bytes(writer, marker->text.bytes, marker->text.length);
    }
    if (stack != UNIQUE_NONE)
        stream_stack(walk, stack, writer);
    json_end_object(writer);
}

static uint32_t add_name(struct thread_context *thread, const struct site *site)
{
    static const char unknown[] = "(unknown marker)";
    if (site == NULL)
        return unique_strings_add(&thread->strings, unknown, sizeof(unknown) - 1);
    return unique_strings_add(&thread->strings, site->name.bytes, site->name.length);
}

static void stream_marker(const struct marker_walk *walk, const struct site *site)
{
    const struct marker_entry *marker = walk->marker;
    struct json_writer *writer = &walk->thread->markers;
    uint64_t end_ns = ns_ago(walk, marker->ticks_ago);
    uint64_t start_ns =
        ns_ago(walk, (int64_t)((uint64_t)marker->ticks_ago + marker->duration_ticks));
    if (end_ns < walk->process->options.since_ns)
        return;
    uint32_t name = add_name(walk->thread, site);
    count_unmatched(walk, name);
    json_start_array(writer);
    json_u64(writer, name);
    stream_times(writer, marker->phase,
                 process_relative_ns(walk->process, start_ns < end_ns ? start_ns : end_ns),
                 process_relative_ns(walk->process, end_ns));
    json_u64(writer, marker->phase);
    json_u64(writer, site != NULL ? site->category.category : (uint32_t)CATEGORY_OTHER);
    stream_data(walk, writer);
    json_end_array(writer);
}

void markers_take(struct process_context *process, struct thread_context *thread,
                  const struct marker_entry *marker, uint64_t ticks,
                  const struct clock_calibration *clock)
{
    const struct site *site = process_site(process, marker->site);
    struct marker_walk walk = {
        .process = process,
        .thread = thread,
        .marker = marker,
        .clock = clock,
        .ticks = ticks,
    };
    bool may_have_payload =
        marker->content == MARKER_WITH_PAYLOAD || marker->content == MARKER_WITH_EITHER;
    if (site != NULL && may_have_payload)
        walk.type = marker_types_find(&process->marker_types, site->marker_type);
    if (marker->content == MARKER_WITH_PAYLOAD && walk.type == NULL)
        process->bad_entries++;
    if (!bounds_allow(process))
        return;
    stream_marker(&walk, site);
    bounds_account(process, thread);
}

/* "killed by signal 9", "did not answer: timeout" … Returns its length, 0 for a live process. */
static size_t describe_verdict(const struct gecko_process_options *options, char *out,
                               size_t capacity)
{
    static const struct {
        const char *text;
        bool has_code;
    } verdicts[] = {
        [VERDICT_EXITED] = { "exited with status ", true },
        [VERDICT_KILLED] = { "killed by signal ", true },
        [VERDICT_EXECED] = { "became another program", false },
        [VERDICT_FROZEN] = { "did not answer", false },
        [VERDICT_VANISHED] = { "vanished", false },
        [VERDICT_NOT_PROFILED] = { "not profiled", false },
    };
    size_t index = (size_t)options->verdict;
    if (index >= sizeof(verdicts) / sizeof(verdicts[0]) || verdicts[index].text == NULL)
        return 0;
    char *end = stpcpy(out, verdicts[index].text);
    if (verdicts[index].has_code)
        end = json_format_u64(end, options->code < 0 ? 0 : (uint64_t)options->code);
    if (options->reason != NULL) {
        end = stpcpy(end, ": ");
        size_t room = capacity - (size_t)(end - out);
        size_t length = strnlen(options->reason, room);
        memcpy(end, options->reason, length);
        end += length;
    }
    return (size_t)(end - out);
}

void markers_add_verdict(struct process_context *process, struct thread_context *main_thread)
{
    static const char name[] = "Process";
    char bytes[VERDICT_MAX_BYTES];
    struct arena_string text = { .bytes = bytes };
    text.length = describe_verdict(&process->options, bytes, sizeof(bytes));
    uint64_t end_ns = process_end_ns(process);
    if (text.length == 0)
        return;
    if (end_ns == UINT64_MAX)
        end_ns = process->options.capture_ns;

    struct json_writer *writer = &main_thread->markers;
    json_start_array(writer);
    json_u64(writer, unique_strings_add(&main_thread->strings, name, sizeof(name) - 1));
    stream_times(writer, PHASE_INSTANT, process_relative_ns(process, end_ns), 0);
    json_u64(writer, PHASE_INSTANT);
    json_u64(writer, CATEGORY_PROFILER);
    stream_text(writer, &text);
    json_end_array(writer);
}

/* The part of PAUSE that the capture is about; false: there is none. */
static bool clip_pause(const struct process_context *process, const struct pause *pause,
                       uint64_t *start_ns, uint64_t *end_ns)
{
    uint64_t first_ns = process->info.session_start_ns, last_ns = process_end_ns(process);
    if (first_ns < process->options.since_ns)
        first_ns = process->options.since_ns;
    if (last_ns == UINT64_MAX)
        last_ns = process->options.capture_ns;
    *start_ns = pause->start_ns > first_ns ? pause->start_ns : first_ns;
    *end_ns = pause->end_ns != 0 && pause->end_ns < last_ns ? pause->end_ns : last_ns;
    return *start_ns < *end_ns;
}

void markers_add_sampling_pauses(struct process_context *process,
                                 struct thread_context *main_thread)
{
    static const char name[] = "Sampling paused";
    static const struct arena_string text = { "no samples and counters; markers went on",
                                              sizeof("no samples and counters; markers went on") -
                                                  1 };
    const struct pause *pauses = process->sampling_pauses.items;
    struct json_writer *writer = &main_thread->markers;
    uint64_t start_ns, end_ns;
    for (size_t i = 0; i < process->sampling_pauses.count; i++) {
        if (!clip_pause(process, &pauses[i], &start_ns, &end_ns))
            continue;
        json_start_array(writer);
        json_u64(writer, unique_strings_add(&main_thread->strings, name, sizeof(name) - 1));
        stream_times(writer, PHASE_INTERVAL, process_relative_ns(process, start_ns),
                     process_relative_ns(process, end_ns));
        json_u64(writer, PHASE_INTERVAL);
        json_u64(writer, CATEGORY_PROFILER);
        stream_text(writer, &text);
        json_end_array(writer);
    }
}

void markers_stream(struct thread_context *thread, struct json_writer *writer)
{
    gecko_start_table(writer, gecko_marker_columns);
    json_splice(writer, &thread->markers);
    gecko_end_table(writer);
}
