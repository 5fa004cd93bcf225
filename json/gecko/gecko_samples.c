/* Samples: from entries to rows while the chunks are read, from rows to JSON afterwards.
 *
 * What a thread took of itself has a row with a time of its own (gecko_timed_samples.c). A row of
 * the sampler's ticks is three or four LEB128 numbers: ticks since the thread's previous row, a
 * code for the stack (see below), and for what is not late: ns behind the tick, CPU use in µs. A
 * thread that slept through a tick has no row; the JSON has a sample for it all the same, so rows
 * take a small part of the memory that their JSON would. */
#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"
#include "common/time_units.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_meta.h"
#include "json/gecko/gecko_schema.h"
#include "json/json_format.h"
#include "json/json_writer_room.h"

enum {
    ROW_LATE = 0,
    ROW_NO_STACK = 1,
    ROW_FIRST_STACK = 2, /* plus the index of the stack */
    ROW_MAX_BYTES = 4 * LEB128_MAX_BYTES,
    LOCATION_MAX_BYTES = 4096,
};

static const char truncated_frame[] = "(stack truncated)";

void samples_take_tick(struct process_context *process, uint64_t ticks, uint64_t time_ns)
{
    size_t count = process->ticks.count;
    const uint64_t *times = process->ticks.items;
    /* A tick that found its chunk full goes on in the next. */
    if (count > 0 && ticks == process->last_tick_ticks)
        return;
    if (count > 0 && time_ns < times[count - 1])
        time_ns = times[count - 1];
    uint64_t *added = mapped_array_push(&process->ticks, sizeof(*added));
    if (added == NULL || count >= UINT32_MAX - 1) {
        failure_latch_set(process->latch, -ENOMEM);
        return;
    }
    *added = time_ns;
    process->last_tick_ticks = ticks;
}

static void add_row(struct process_context *process, struct thread_samples *samples, uint64_t code,
                    uint64_t offset_ns, uint64_t cpu_us)
{
    struct mapped_array *rows = &samples->rows;
    int error = mapped_array_reserve(rows, rows->count + ROW_MAX_BYTES, 1);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    uint32_t tick = (uint32_t)process->ticks.count - 1;
    uint8_t *start = rows->items;
    uint8_t *out = start + rows->count;
    out = leb128_write(out, tick - samples->last_tick);
    out = leb128_write(out, code);
    if (code != ROW_LATE) {
        out = leb128_write(out, offset_ns);
        out = leb128_write(out, cpu_us);
    }
    rows->count = (size_t)(out - start);
    samples->last_tick = tick;
}

static void add_current_stack(struct process_context *process, struct thread_samples *samples,
                              uint64_t offset_ns, uint64_t cpu_us)
{
    uint64_t code = samples->current_stack == UNIQUE_NONE
                        ? (uint64_t)ROW_NO_STACK
                        : ROW_FIRST_STACK + (uint64_t)samples->current_stack;
    add_row(process, samples, code, offset_ns, cpu_us);
}

/* The thread that an entry of a tick is about, NULL when the entry cannot be used. */
static struct thread_context *thread_of_entry(struct process_context *process, uint32_t index)
{
    struct thread_context *thread = NULL;
    if (process->ticks.count > 0) {
        const uint64_t *times = process->ticks.items;
        thread = process_thread_at(process, index, times[process->ticks.count - 1]);
    }
    process->bad_entries += thread == NULL;
    return thread;
}

void samples_fini(struct thread_samples *samples)
{
    stack_tracker_free(&samples->tracker);
    mapped_array_free(&samples->rows);
    mapped_array_free(&samples->timed);
    memset(samples, 0, sizeof(*samples));
}

static uint32_t add_frame(struct thread_context *thread, struct frame_key key, const char *location,
                          size_t length, const struct site *site)
{
    struct frame_details details = {
        .location = unique_strings_add(&thread->strings, location, length),
        .line = site != NULL ? site->line : 0,
        .category = site != NULL ? site->category.category : (uint32_t)CATEGORY_NATIVE,
        .subcategory = site != NULL ? site->category.subcategory : 0,
    };
    return unique_stacks_add_frame(&thread->stacks, key, &details);
}

static uint32_t add_native_frame(struct thread_context *thread, struct frame_key key)
{
    char location[JSON_SCALAR_MAX_BYTES];
    char *end = json_format_address(location, key.value);
    return add_frame(thread, key, location, (size_t)(end - location), NULL);
}

/* True when viewers would take the name of a label for an address, a function of a library or a
 * place in a script: "0x…", "… (in …)…", "…:7", "… (a.c:7)". */
static bool looks_like_code(const char *name, size_t length)
{
    if (length == 0 || memmem(name, length, " (in ", 5) != NULL)
        return true;
    char last = name[length - 1];
    bool ends_like_place = last == ')' || last == ']' || (last >= '0' && last <= '9');
    return (ends_like_place && memchr(name, ':', length) != NULL) ||
           (length >= 2 && memcmp(name, "0x", 2) == 0);
}

static char *append(char *out, const char *end, const char *bytes, size_t length)
{
    size_t room = (size_t)(end - out);
    return mempcpy(out, bytes, length < room ? length : room);
}

/* "function (file:line:column)", which viewers take for a function of a script. */
static uint32_t add_language_frame(struct thread_context *thread, struct frame_key key,
                                   const struct site *site)
{
    char location[LOCATION_MAX_BYTES + 3 * JSON_SCALAR_MAX_BYTES];
    const char *end = location + LOCATION_MAX_BYTES;
    char *out = append(location, end, site->name.bytes, site->name.length);
    if (site->file.length > 0) {
        out = append(stpcpy(out, " ("), end + 2, site->file.bytes, site->file.length);
        if (site->line != 0) {
            *out++ = ':';
            out = json_format_u64(out, site->line);
        }
        if (site->line != 0 && site->column != 0) {
            *out++ = ':';
            out = json_format_u64(out, site->column);
        }
        *out++ = ')';
    }
    return add_frame(thread, key, location, (size_t)(out - location), site);
}

/* A label's location is its name; spaces around it keep viewers from reading more into it. */
static uint32_t add_label_frame(const struct process_context *process,
                                struct thread_context *thread, struct frame_key key)
{
    static const char unknown[] = "(unknown label)";
    const struct site *site = process_site(process, (uint32_t)key.value);
    if (site == NULL || key.value > UINT32_MAX)
        return add_frame(thread, key, unknown, sizeof(unknown) - 1, NULL);
    if (site->is_frame)
        return add_language_frame(thread, key, site);
    const char *name = site->name.bytes;
    size_t length = site->name.length;
    if (!looks_like_code(name, length))
        return add_frame(thread, key, name, length, site);

    char location[LOCATION_MAX_BYTES + 2];
    if (length > LOCATION_MAX_BYTES)
        length = LOCATION_MAX_BYTES;
    location[0] = ' ';
    memcpy(location + 1, name, length);
    location[length + 1] = ' ';
    return add_frame(thread, key, location, length + 2, site);
}

static uint32_t frame_index(const struct process_context *process, struct thread_context *thread,
                            const struct stack_frame *frame)
{
    struct frame_key key = { .value = frame->value, .is_label = frame->is_label };
    uint32_t index = unique_stacks_find_frame(&thread->stacks, key);
    if (index != UNIQUE_NONE)
        return index;
    return frame->is_label ? add_label_frame(process, thread, key) : add_native_frame(thread, key);
}

/* What outer frames that are missing are shown as: a root of their own. */
static uint32_t truncated_root(struct thread_context *thread)
{
    struct frame_key key = { .value = UINT64_MAX, .is_label = true };
    uint32_t frame = unique_stacks_find_frame(&thread->stacks, key);
    if (frame == UNIQUE_NONE)
        frame = add_frame(thread, key, truncated_frame, sizeof(truncated_frame) - 1, NULL);
    return unique_stacks_push(&thread->stacks, UNIQUE_NONE, frame);
}

/* Turns the frames from KEPT inwards into unique stacks, and the innermost one into the current. */
static void push_frames(const struct process_context *process, struct thread_context *thread,
                        struct stack_tracker *tracker, uint32_t kept)
{
    uint32_t stack = UNIQUE_NONE;
    if (kept > 0)
        stack = tracker->stacks[kept - 1];
    else if (tracker->is_truncated)
        stack = truncated_root(thread);
    for (uint32_t i = kept; i < tracker->state.depth; i++) {
        uint32_t frame = frame_index(process, thread, &tracker->state.frames[i]);
        stack = unique_stacks_push(&thread->stacks, stack, frame);
        tracker->stacks[i] = stack;
    }
    thread->samples.current_stack = stack;
}

uint32_t samples_add_stack(const struct process_context *process, struct thread_context *thread,
                           uint32_t stack, const struct stack_frame *frames, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stack =
            unique_stacks_push(&thread->stacks, stack, frame_index(process, thread, &frames[i]));
    return stack;
}

uint32_t samples_unique_stack(const struct process_context *process, struct thread_context *thread,
                              const struct stack_state *stack, bool is_truncated)
{
    uint32_t root = is_truncated ? truncated_root(thread) : UNIQUE_NONE;
    return samples_add_stack(process, thread, root, stack->frames, stack->depth);
}

/* Makes the stack of SAMPLE the thread's current one. False: there is none, or no room for it. */
static bool take_stack(struct process_context *process, struct thread_context *thread,
                       const struct sample_entry *sample, bool is_truncated)
{
    struct stack_tracker *tracker = stack_tracker_at(process, &thread->samples.tracker);
    if (tracker == NULL)
        return false;
    if (sample_decode_stack(sample, &tracker->state) < 0) {
        tracker->state.depth = 0;
        thread->samples.current_stack = UNIQUE_NONE;
        process->bad_entries++;
        return false;
    }
    if (!bounds_let(process)) {
        thread->samples.current_stack = UNIQUE_NONE;
        return false;
    }
    uint32_t kept = tracker->is_truncated == is_truncated ? sample->kept : 0;
    tracker->is_truncated = is_truncated;
    push_frames(process, thread, tracker, kept);
    return true;
}

void samples_take_sample(struct process_context *process, const struct sample_entry *sample,
                         uint64_t offset_ns, bool is_truncated)
{
    struct thread_context *thread = thread_of_entry(process, sample->thread_index);
    if (thread == NULL || !take_stack(process, thread, sample, is_truncated))
        return;
    add_current_stack(process, &thread->samples, offset_ns, sample->cpu_us);
    bounds_account(process, thread);
}

/* The thread ran with the stack that it has in this chunk; one that it has not is damage. */
static void take_same_stack(struct process_context *process, struct thread_samples *samples)
{
    if (samples->tracker != NULL && samples->tracker->chunk_number == process->chunk_number)
        return;
    samples->current_stack = UNIQUE_NONE;
    process->bad_entries++;
}

static void add_timed(struct process_context *process, struct thread_context *thread,
                      uint32_t stack, uint64_t time_ns, uint64_t cpu_us)
{
    const struct timed_row row = { .time_ns = time_ns, .cpu_us = cpu_us, .stack = stack };
    timed_samples_add(process, &thread->samples, &row);
    bounds_account(process, thread);
}

void samples_take_timed_sample(struct process_context *process, const struct sample_entry *sample,
                               uint64_t time_ns, bool is_truncated)
{
    struct thread_context *thread = process_thread_at(process, sample->thread_index, time_ns);
    process->bad_entries += thread == NULL;
    if (thread != NULL && take_stack(process, thread, sample, is_truncated))
        add_timed(process, thread, thread->samples.current_stack, time_ns, sample->cpu_us);
}

void samples_take_timed_same(struct process_context *process, const struct sample_entry *sample,
                             uint64_t time_ns)
{
    struct thread_context *thread = process_thread_at(process, sample->thread_index, time_ns);
    process->bad_entries += thread == NULL;
    if (thread == NULL || !bounds_let(process))
        return;
    take_same_stack(process, &thread->samples);
    add_timed(process, thread, thread->samples.current_stack, time_ns, sample->cpu_us);
}

void samples_take_thread_cpu(struct process_context *process, const struct sample_entry *cpu,
                             uint64_t time_ns)
{
    struct thread_context *thread = process_thread_at(process, cpu->thread_index, time_ns);
    process->bad_entries += thread == NULL;
    if (thread != NULL && bounds_let(process))
        add_timed(process, thread, UNIQUE_NONE, time_ns, cpu->cpu_us);
}

void samples_take_same(struct process_context *process, const struct sample_entry *sample,
                       uint64_t offset_ns)
{
    struct thread_context *thread = thread_of_entry(process, sample->thread_index);
    if (thread == NULL)
        return;
    take_same_stack(process, &thread->samples);
    add_current_stack(process, &thread->samples, offset_ns, sample->cpu_us);
}

void samples_take_late(struct process_context *process, uint32_t thread_index)
{
    struct thread_context *thread = thread_of_entry(process, thread_index);
    if (thread != NULL)
        add_row(process, &thread->samples, ROW_LATE, 0, 0);
}

bool samples_exist(const struct thread_context *thread)
{
    return thread->samples.rows.count + thread->samples.timed.count > 0;
}

struct row {
    uint32_t tick;
    uint64_t code, offset_ns, cpu_us;
};

static bool take_number(const uint8_t **in, const uint8_t *end, uint64_t *out)
{
    *in = leb128_read(*in, end, out);
    return *in != NULL;
}

/* Reads the next row into *ROW, whose tick is that of the previous one; false at the end. Rows are
 * our own work, so none should be cut short; *IN is NULL then. */
static bool next_row(const uint8_t **in, const uint8_t *end, struct row *row)
{
    uint64_t ticks_on = 0;
    if (*in == end)
        return false;
    if (!take_number(in, end, &ticks_on) || !take_number(in, end, &row->code))
        return false;
    row->tick += (uint32_t)ticks_on;
    if (row->code == ROW_LATE)
        return true;
    return take_number(in, end, &row->offset_ns) && take_number(in, end, &row->cpu_us);
}

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
        if (!stream->was_timed)
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
    struct row row = { 0 };
    event_delay_cursor_init(&stream.delays, &thread->event_delays);
    uint32_t next_tick = 0;
    for (bool is_first = true; next_row(&in, end, &row); is_first = false) {
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
