/* Thread objects, each freed as soon as it is written. Tables come before what refers to them, so
 * that readers can translate a thread while it streams by. */
#include <string.h>

#include "common/thread_filters.h"
#include "json/gecko/gecko_context.h"

/* The loader knows a process' main thread by this name. */
static const char main_thread_name[] = "GeckoMain";

static bool ended_before(const struct thread_context *thread, uint64_t time_ns)
{
    return thread->end_ns != 0 && thread->end_ns < time_ns;
}

/* A thread that ended before the session, or before the time that is shown, is left out, unless
 * other threads have recorded markers for it since. */
static bool is_worth_showing(const struct process_context *process,
                             const struct thread_context *thread)
{
    if (thread->is_main || json_writer_bytes(&thread->markers) > 0)
        return true;
    if (ended_before(thread, process->options.since_ns))
        return false;
    return !ended_before(thread, process->info.session_start_ns) || samples_exist(thread);
}

/* A filter that matches the process passes all of its threads. */
static bool passes_filters(const struct process_context *process,
                           const struct thread_context *thread)
{
    const struct thread_filter_subject subject = {
        .name = thread->name.bytes,
        .name_length = thread->name.length,
        .is_main = thread->is_main,
        .process = process->info.process_id,
    };
    const char *filters = process->options.thread_filters;
    return filters == NULL || thread_filters_pass(filters, &subject);
}

bool threads_exist(const struct process_context *process)
{
    for (size_t i = 0; i < process->threads.count; i++)
        if (is_worth_showing(process, process_thread(process, i)) &&
            passes_filters(process, process_thread(process, i)))
            return true;
    return false;
}

static void stream_thread_name(const struct thread_context *thread, struct json_writer *writer)
{
    json_name(writer, "name");
    if (thread->is_main)
        json_string(writer, main_thread_name);
    else if (thread->name.length == 0)
        json_string(writer, "Thread");
    else
        json_string_bytes(writer, thread->name.bytes, thread->name.length);
}

static void stream_life(const struct process_context *process, const struct thread_context *thread,
                        struct json_writer *writer)
{
    uint64_t end_ns = process_end_ns(process);
    if (thread->end_ns != 0 && thread->end_ns < end_ns)
        end_ns = thread->end_ns;
    /* Those that ended before are shown for something that was recorded for them later. */
    if (end_ns < process->options.since_ns)
        end_ns = process->options.since_ns;
    json_time_ms_property(writer, "registerTime", process_relative_ns(process, thread->start_ns));
    json_name(writer, "unregisterTime");
    if (end_ns == UINT64_MAX)
        json_null(writer);
    else
        json_time_ms(writer, process_relative_ns(
                                 process, end_ns < thread->start_ns ? thread->start_ns : end_ns));
}

static void stream_thread(struct process_context *process, struct thread_context *thread,
                          struct json_writer *writer)
{
    if (thread->is_main) {
        markers_add_verdict(process, thread);
        markers_add_sampling_pauses(process, thread);
    }
    json_start_object(writer);
    stream_thread_name(thread, writer);
    json_string_property(writer, "processType", "default");
    json_name(writer, "processName");
    json_string_bytes(writer, process->name.bytes, process->name.length);
    stream_life(process, thread, writer);
    json_i64_property(writer, "pid", process->unique_pid);
    json_i64_property(writer, "tid", thread->tid);
    json_name(writer, "stringTable");
    unique_strings_stream(&thread->strings, writer);
    json_name(writer, "frameTable");
    unique_stacks_stream_frame_table(&thread->stacks, writer);
    json_name(writer, "stackTable");
    unique_stacks_stream_stack_table(&thread->stacks, writer);
    json_name(writer, "samples");
    samples_stream(process, thread, writer);
    json_name(writer, "markers");
    markers_stream(thread, writer);
    json_end_object(writer);
}

static void free_tables(struct thread_context *thread)
{
    unique_strings_fini(&thread->strings);
    unique_stacks_fini(&thread->stacks);
    samples_fini(&thread->samples);
    event_delays_fini(&thread->event_delays);
}

void threads_stream(struct process_context *process, struct json_writer *writer,
                    const struct progress *progress)
{
    json_start_array_property(writer, "threads");
    for (size_t i = 0; i < process->threads.count; i++) {
        struct thread_context *thread = process_thread(process, i);
        if (is_worth_showing(process, thread) &&
            (thread->is_main || passes_filters(process, thread)))
            stream_thread(process, thread, writer);
        free_tables(thread);
        progress_report_of(progress, i + 1, process->threads.count);
    }
    json_end_array(writer);
}
