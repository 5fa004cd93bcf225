/* What the profile says about its own making: a process' entry of "profilingLog", keyed by pid,
 * where the format leaves the content to the profiler. */
#include <string.h>

#include "common/time_units.h"
#include "json/gecko/gecko_context.h"
#include "json/json_format.h"

static const char *const drop_cause_names[DROP_CAUSE_COUNT] = {
#define X(name, number, text) [DROP_##name] = text,
    DROP_CAUSES(X)
#undef X
};

/* The NUL-separated arguments as an array. */
static void stream_command_line(struct json_writer *writer, struct arena_string command_line)
{
    const char *next = command_line.bytes;
    const char *end = next + command_line.length;
    json_start_array_property(writer, "commandLine");
    while (next < end) {
        size_t length = strnlen(next, (size_t)(end - next));
        json_string_bytes(writer, next, length);
        next += length + 1;
    }
    json_end_array(writer);
}

static void stream_cpu_ns(struct json_writer *writer, const char *name, uint64_t ns)
{
    json_name(writer, name);
    if (ns != CPU_TIME_UNKNOWN)
        json_time_ms(writer, ns < INT64_MAX ? (int64_t)ns : INT64_MAX);
    else
        json_null(writer);
}

/* Of one whose end nobody told: its records may know more than who saw its clock last. */
static uint64_t find_total_cpu_ns(const struct process_context *process)
{
    const struct process_cpu_time *time = &process->options.cpu_time;

    if (time->end != CPU_TIME_TO_LAST_RECORD || time->before_ns == CPU_TIME_UNKNOWN ||
        process->recorded_cpu_us == 0 || process->recorded_cpu_us > INT64_MAX / NS_PER_US)
        return time->total_ns;
    uint64_t recorded_ns = time->before_ns + process->recorded_cpu_us * NS_PER_US;
    bool is_known = time->total_ns != CPU_TIME_UNKNOWN;
    return is_known && time->total_ns > recorded_ns ? time->total_ns : recorded_ns;
}

static void stream_cpu_time(const struct process_context *process, struct json_writer *writer)
{
    static const char *const ends[] = {
        [CPU_TIME_TO_CAPTURE] = "capture",
        [CPU_TIME_TO_END] = "end",
        [CPU_TIME_TO_EXEC] = "exec",
        [CPU_TIME_TO_LAST_RECORD] = "last record",
    };

    const struct process_cpu_time *time = &process->options.cpu_time;
    bool is_execed = time->end == CPU_TIME_TO_EXEC;
    uint64_t total_ns = find_total_cpu_ns(process);

    stream_cpu_ns(writer, "cpuTime", is_execed ? CPU_TIME_UNKNOWN : total_ns);
    stream_cpu_ns(writer, "cpuTimeAtExec", is_execed ? total_ns : CPU_TIME_UNKNOWN);
    stream_cpu_ns(writer, "cpuTimeBefore", time->before_ns);
    json_string_property(writer, "cpuTimeUntil", ends[time->end]);
}

/* A TIME_NS of 0 is not known. */
static void stream_time(const struct process_context *process, const char *name, uint64_t time_ns,
                        struct json_writer *writer)
{
    json_name(writer, name);
    if (time_ns != 0)
        json_time_ms(writer, process_relative_ns(process, time_ns));
    else
        json_null(writer);
}

static void stream_identity(const struct process_context *process, struct json_writer *writer)
{
    const struct gecko_process_options *options = &process->options;
    json_string_property(writer, "verdict", process_verdict_name(options->verdict));
    json_string_property(writer, "outcome", process_verdict_name(options->outcome));
    json_i64_property(writer, "code", options->code);
    stream_cpu_time(process, writer);
    json_name(writer, "reason");
    if (options->reason != NULL)
        json_string(writer, options->reason);
    else
        json_null(writer);
    json_i64_property(writer, "pid", process->info.process_id);
    json_i64_property(writer, "parentPid", process->info.parent_process_id);
    json_u64_property(writer, "laterImages", options->later_images);
    json_name(writer, "executable");
    json_string_bytes(writer, process->executable.bytes, process->executable.length);
    stream_command_line(writer, process->command_line);
    if (process->info.labels[0] != '\0')
        json_string_property(writer, "labels", process->info.labels);
    if (process->info.labels_left_out > 0)
        json_u64_property(writer, "labelsLeftOut", process->info.labels_left_out);
    stream_time(process, "startTime", process->lacks_start ? 0 : process->start_ns, writer);
    stream_time(process, "processStartTime", options->process_start_ns, writer);
    stream_time(process, "endTime", options->end_ns, writer);
}

/* What took the samples; of a process without any, all is null. */
static void stream_clock(const struct process_context *process, struct json_writer *writer)
{
    const struct arena_info *info = &process->info;
    json_name(writer, "clock");
    if (info->sampling_clock != SAMPLING_CLOCK_AUTO)
        json_string(writer, sampling_clock_name(info->sampling_clock));
    else
        json_null(writer);
    json_name(writer, "clockInterval");
    if (process_interval_ns(process) != 0)
        json_time_ms(writer, (int64_t)process_interval_ns(process));
    else
        json_null(writer);
    json_name(writer, "clockRefused");
    if (info->sampling_clock_refusal != CLOCK_REFUSAL_NONE)
        json_string(writer, clock_refusal_text(info->sampling_clock_refusal));
    else
        json_null(writer);
}

/* Blocks and bytes that were dropped, for causes that count blocks, and their sums. */
static void stream_drops(const struct arena_info *info, struct json_writer *writer,
                         uint64_t *blocks, uint64_t *bytes)
{
    *blocks = *bytes = 0;
    json_start_object_property(writer, "drops");
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++) {
        if (!drop_cause_counts_blocks((enum drop_cause)cause))
            continue;
        json_start_object_property(writer, drop_cause_names[cause]);
        json_u64_property(writer, "blocks", info->drops[cause]);
        json_u64_property(writer, "bytes", info->drop_bytes[cause]);
        json_end_object(writer);
        *blocks += info->drops[cause];
        *bytes += info->drop_bytes[cause];
    }
    json_end_object(writer);
}

static void stream_events(const struct arena_info *info, struct json_writer *writer)
{
    json_start_object_property(writer, "events");
    for (int cause = 0; cause < DROP_CAUSE_COUNT; cause++)
        if (!drop_cause_counts_blocks((enum drop_cause)cause))
            json_u64_property(writer, drop_cause_names[cause], info->drops[cause]);
    json_end_object(writer);
}

/* Of what was PRODUCED, when so much was FOUND or is known to be dropped. */
static uint64_t missing_amount(uint64_t produced, uint64_t found)
{
    return produced > found ? produced - found : 0;
}

static void stream_account(const struct process_context *process, struct json_writer *writer)
{
    struct arena_info info = process->info;
    uint64_t dropped_blocks, dropped_bytes;
    if (process->reader != NULL)
        arena_reader_info(process->reader, &info);
    stream_drops(&info, writer, &dropped_blocks, &dropped_bytes);
    stream_events(&info, writer);
    json_u64_property(writer, "producedBlocks", info.produced_blocks);
    json_u64_property(writer, "producedBytes", info.produced_bytes);
    json_u64_property(writer, "keptBlocks", info.kept_blocks);
    json_u64_property(writer, "keptBytes", info.kept_bytes);
    json_u64_property(writer, "droppedBlocks", dropped_blocks);
    json_u64_property(writer, "droppedBytes", dropped_bytes);
    json_u64_property(writer, "lostBlocks",
                      missing_amount(info.produced_blocks, info.kept_blocks + dropped_blocks));
    json_u64_property(writer, "lostBytes",
                      missing_amount(info.produced_bytes, info.kept_bytes + dropped_bytes));
    json_u64_property(writer, "badChunks", info.bad_chunks);
    json_u64_property(writer, "badBlocks", info.bad_blocks + process->bad_entries);
    json_u64_property(writer, "badRecords", info.bad_records);
    json_u64_property(writer, "leftOutEntries", process->left_out_entries);
    json_u64_property(writer, "badMarkerValues", process->bad_values);
    json_u64_property(writer, "unmatchedMarkerEnds", process->unmatched_ends);
    json_u64_property(writer, "renamedMarkerTypes", process->marker_types.renamed);
}

static void stream_lines(const struct process_context *process, struct json_writer *writer)
{
    const struct log_line *lines = process->log.items;
    json_start_array_property(writer, "log");
    for (size_t i = 0; i < process->log.count; i++) {
        json_start_object(writer);
        json_time_ms_property(writer, "time", process_relative_ns(process, lines[i].time_ns));
        json_name(writer, "text");
        json_string_bytes(writer, lines[i].text.bytes, lines[i].text.length);
        json_end_object(writer);
    }
    json_end_array(writer);
}

void log_stream(const struct process_context *process, struct json_writer *writer)
{
    char pid[JSON_SCALAR_MAX_BYTES];
    *json_format_u64(pid, (uint64_t)process->unique_pid) = '\0';
    json_start_object_property(writer, "profilingLog");
    json_start_object_property(writer, pid);
    json_start_object_property(writer, "profd");
    stream_identity(process, writer);
    stream_clock(process, writer);
    stream_account(process, writer);
    json_end_object(writer);
    stream_lines(process, writer);
    json_end_object(writer);
    json_end_object(writer);
}
