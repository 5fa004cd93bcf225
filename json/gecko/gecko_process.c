#include "json/gecko/gecko_process.h"

#include <string.h>

#include "common/file_name.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_root.h"

/* NAME without the folders of the path that its first PATH_LENGTH bytes are. */
static struct arena_string without_folder(struct arena_string name, size_t path_length)
{
    const char *file_name = file_name_of_bytes(name.bytes, path_length);
    name.length -= (size_t)(file_name - name.bytes);
    name.bytes = file_name;
    return name;
}

/* Of a title that begins with a path, as "/usr/bin/redis-server *:6379", the path's folders are
 * left out. */
static struct arena_string title_of(const struct process_context *process)
{
    const char *title =
        process->options.title != NULL ? process->options.title : process->info.title;
    struct arena_string name = { title, strlen(title) };
    return title[0] == '/' ? without_folder(name, strcspn(title, " ")) : name;
}

/* The last part of the executable's path, which may have spaces in it. */
static struct arena_string executable_name(const struct process_context *process)
{
    return without_folder(process->executable, process->executable.length);
}

/* The name shown: the process' own choice, its title, or its executable's. */
static void choose_name(struct process_context *process)
{
    static const char unnamed[] = "process";
    struct arena_string *name = &process->name;
    if (name->length == 0)
        *name = title_of(process);
    if (name->length == 0)
        *name = executable_name(process);
    if (name->length == 0)
        *name = (struct arena_string){ unnamed, sizeof(unnamed) - 1 };
}

static void stream_meta(const struct process_context *process, struct json_writer *writer)
{
    const struct gecko_process_options *options = &process->options;
    json_start_object_property(writer, "meta");
    if (options->root != NULL) {
        gecko_root_stream_meta(writer, options->root, &process->categories, &process->marker_types);
        json_end_object(writer);
        return;
    }
    gecko_stream_common_meta(writer, options->reference_unix_ns, &process->categories,
                             &process->marker_types);
    if (process_interval_ns(process) != 0) /* the root's is what was asked for */
        json_time_ms_property(writer, "interval", (int64_t)process_interval_ns(process));
    if (process->knows_user)
        json_u64_property(writer, "userId", process->user); /* for profctl, which takes it out */
    json_name(writer, "shutdownTime");
    if (options->end_ns != 0)
        json_time_ms(writer, process_relative_ns(process, options->end_ns));
    else
        json_null(writer);
    json_end_object(writer);
}

static void stream_pause_end(const struct process_context *process, struct json_writer *writer,
                             const char *name, uint64_t time_ns)
{
    json_name(writer, name);
    if (time_ns == 0)
        json_null(writer);
    else
        json_time_ms(writer, process_relative_ns(process, time_ns));
}

static void stream_paused_ranges(const struct process_context *process, struct json_writer *writer)
{
    const struct pause *pauses = process->pauses.items;
    json_start_array_property(writer, "pausedRanges");
    for (size_t i = 0; i < process->pauses.count; i++) {
        bool was_in_session =
            pauses[i].end_ns == 0 || pauses[i].end_ns >= process->info.session_start_ns;
        if (!was_in_session)
            continue;
        json_start_object(writer);
        stream_pause_end(process, writer, "startTime", pauses[i].start_ns);
        stream_pause_end(process, writer, "endTime", pauses[i].end_ns);
        json_string_property(writer, "reason", "profiler-paused");
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void stream_process(struct process_context *process, struct json_writer *writer,
                           const struct progress *progress)
{
    json_start_object(writer);
    if (!threads_exist(process)) {
        json_end_object(writer);
        return;
    }
    stream_meta(process, writer);
    libs_stream(process, writer);
    gecko_stream_sources(writer);
    stream_paused_ranges(process, writer);
    threads_stream(process, writer, progress);
    counters_stream(process, writer);
    overhead_stream(process, writer);
    log_stream(process, writer);
    json_start_array_property(writer, "processes");
    json_end_array(writer);
    if (process->options.root != NULL)
        gecko_root_stream_no_gathering(writer);
    json_end_object(writer);
}

/* Ends the work on PROCESS, whichever way it went. */
static int finish_process(struct process_context *process, struct json_writer *writer,
                          const struct progress *progress)
{
    struct failure_latch *latch = process->latch;
    failure_latch_set(latch, json_writer_flush(writer));
    process_context_fini(process);
    if (!failure_latch_failed(latch))
        progress_report(progress, PROGRESS_SCALE);
    return failure_latch_error(latch);
}

int gecko_stream_process(struct arena_reader *reader, const struct gecko_process_options *options,
                         struct json_writer *writer, struct progress *progress,
                         struct failure_latch *latch)
{
    struct process_context process;
    struct progress reading = progress_part(progress, 0, PROGRESS_SCALE / 2);
    struct progress writing = progress_part(progress, PROGRESS_SCALE / 2, PROGRESS_SCALE);

    process_context_init(&process, reader, options, latch);
    choose_name(&process);
    if (!failure_latch_failed(latch))
        process_read_chunks(&process, &reading);
    if (!failure_latch_failed(latch))
        stream_process(&process, writer, &writing);
    return finish_process(&process, writer, progress);
}

int gecko_stream_unprofiled(const struct gecko_unprofiled_process *unprofiled,
                            const struct gecko_process_options *options, struct json_writer *writer,
                            struct failure_latch *latch)
{
    struct process_context process;
    process_context_init_unprofiled(&process, unprofiled, options, latch);
    choose_name(&process);
    if (!failure_latch_failed(latch))
        stream_process(&process, writer, NULL);
    return finish_process(&process, writer, NULL);
}
