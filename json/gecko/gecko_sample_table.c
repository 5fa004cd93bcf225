/* The table of a thread's samples: from rows to JSON, with a sample for every tick that the thread
 * lived through. */
#include <errno.h>
#include <string.h>

#include "common/time_units.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_sample_rows.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"
#include "json/json_writer_room.h"

/* The longest tick of a kernel, at which timed samples are taken. */
enum { MOST_COVERED_NS = 10 * 1000 * 1000 };

/* Where the table is being written: the stack and the time of the last sample. */
struct sample_stream {
    const struct process_context *process;
    struct json_writer *writer;
    const struct timed_row *timed, *timed_end; /* those still to come */
    bool was_timed;                            /* the last sample */
    uint64_t code;
    uint64_t last_ns;
    uint64_t count; /* of samples that are not too old */
    struct event_delay_cursor delays;
    uint64_t delay_us; /* at the last tick */
};

/* Whether a viewer, which lets a sample's CPU time begin where the sample before it is, has to draw
 * that of the next timed one across TIME_NS. */
static bool is_covered(const struct sample_stream *stream, uint64_t time_ns)
{
    if (stream->timed == stream->timed_end || stream->timed->stack == UNIQUE_NONE)
        return false;
    uint64_t cpu_ns = stream->timed->cpu_us * NS_PER_US;
    if (cpu_ns > MOST_COVERED_NS)
        cpu_ns = MOST_COVERED_NS;
    return time_ns < stream->timed->time_ns && stream->timed->time_ns - time_ns < cpu_ns;
}

/* [stack, time, eventDelay, threadCPUDelta] */
static void stream_sample(struct sample_stream *stream, uint64_t time_ns, uint64_t delay_us,
                          uint64_t cpu_us)
{
    if (time_ns < stream->last_ns)
        time_ns = stream->last_ns;
    stream->last_ns = time_ns;
    if (time_ns < stream->process->options.since_ns)
        return;
    stream->count++;
    char *out = json_value_room(stream->writer);
    *out++ = '[';
    if (stream->code < ROW_FIRST_STACK) {
        memcpy(out, "null", 4);
        out += 4;
    } else {
        out = json_format_u64(out, stream->code - ROW_FIRST_STACK);
    }
    *out++ = ',';
    out = json_format_time_ms(out, process_relative_ns(stream->process, time_ns));
    *out++ = ',';
    json_wrote(stream->writer, out);
    out = json_room(stream->writer);
    out = json_format_time_ms(out, (int64_t)(delay_us * NS_PER_US));
    *out++ = ',';
    out = json_format_u64(out, cpu_us);
    *out++ = ']';
    json_wrote(stream->writer, out);
}

/* What the thread took of itself up to TIME_NS. */
static void stream_timed(struct sample_stream *stream, uint64_t time_ns, uint64_t end_ns)
{
    for (; stream->timed < stream->timed_end && stream->timed->time_ns <= time_ns;
         stream->timed++) {
        const struct timed_row *row = stream->timed;
        stream->was_timed = true;
        stream->code = row->stack == UNIQUE_NONE ? (uint64_t)ROW_NO_STACK
                                                 : ROW_FIRST_STACK + (uint64_t)row->stack;
        stream_sample(stream, row->time_ns < end_ns ? row->time_ns : end_ns, stream->delay_us,
                      row->cpu_us);
    }
}

/* Samples of a thread that slept through the ticks from FROM up to before TO. Nothing is known of
 * one that wrote of itself that it ran, and was not looked at since. */
static void stream_idle(struct sample_stream *stream, uint32_t from, uint32_t to, uint64_t end_ns)
{
    const uint64_t *times = stream->process->ticks.items;
    for (uint32_t tick = from; tick < to && times[tick] <= end_ns; tick++) {
        stream_timed(stream, times[tick], end_ns);
        stream->delay_us = event_delay_at(&stream->delays, tick);
        if (!stream->was_timed && !is_covered(stream, times[tick]))
            stream_sample(stream, times[tick], stream->delay_us, 0);
    }
}

static uint64_t thread_end_ns(const struct process_context *process,
                              const struct thread_context *thread)
{
    uint64_t end_ns = process_end_ns(process);
    return thread->end_ns != 0 && thread->end_ns < end_ns ? thread->end_ns : end_ns;
}

/* Returns how many there are. */
static uint64_t stream_rows(const struct process_context *process,
                            const struct thread_context *thread, struct json_writer *writer)
{
    const uint64_t *times = process->ticks.items;
    const uint8_t *in = thread->samples.rows.items;
    const uint8_t *end = in + thread->samples.rows.count;
    uint64_t end_ns = thread_end_ns(process, thread);
    const struct timed_row *timed = thread->samples.timed.items;
    struct sample_stream stream = { .process = process,
                                    .writer = writer,
                                    .timed = timed,
                                    .timed_end = timed + thread->samples.timed.count,
                                    .was_timed = thread->samples.timed.count > 0,
                                    .code = ROW_NO_STACK };
    struct sample_row row = { 0 };
    event_delay_cursor_init(&stream.delays, &thread->event_delays);
    uint32_t next_tick = 0;
    for (bool is_first = true; sample_row_next(&in, end, &row); is_first = false) {
        if (!is_first || stream.was_timed)
            stream_idle(&stream, next_tick, row.tick, end_ns);
        next_tick = row.tick + 1;
        if (row.code == ROW_LATE)
            continue;
        /* One that was taken before the thread's end may be found at the tick after it. */
        uint64_t time_ns = times[row.tick] + row.offset_ns;
        stream_timed(&stream, time_ns, end_ns);
        stream.was_timed = false;
        stream.code = row.code;
        stream.delay_us = event_delay_at(&stream.delays, row.tick);
        if (row.cpu_us == 0 && is_covered(&stream, time_ns))
            continue;
        stream_sample(&stream, time_ns < end_ns ? time_ns : end_ns, stream.delay_us, row.cpu_us);
    }
    if (in != end)
        failure_latch_set(process->latch, -EBADMSG);
    stream_idle(&stream, next_tick, (uint32_t)process->ticks.count, end_ns);
    stream_timed(&stream, UINT64_MAX, end_ns);
    return stream.count;
}

/* Viewers cannot place a thread without any sample. */
static void stream_only_sample(const struct process_context *process,
                               const struct thread_context *thread, struct json_writer *writer)
{
    struct sample_stream stream = { .process = process, .writer = writer, .code = ROW_NO_STACK };
    uint64_t time_ns = thread->start_ns;
    if (time_ns < process->info.session_start_ns)
        time_ns = process->info.session_start_ns;
    if (time_ns < process->options.reference_ns)
        time_ns = process->options.reference_ns;
    if (time_ns < process->options.since_ns)
        time_ns = process->options.since_ns;
    stream_sample(&stream, time_ns, 0, 0);
}

void samples_stream(const struct process_context *process, struct thread_context *thread,
                    struct json_writer *writer)
{
    timed_samples_sort(&thread->samples);
    gecko_start_table(writer, gecko_sample_columns);
    if (!samples_exist(thread) || stream_rows(process, thread, writer) == 0)
        stream_only_sample(process, thread, writer);
    gecko_end_table(writer);
}
