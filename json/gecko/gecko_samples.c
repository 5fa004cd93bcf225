/* Samples, while the chunks are read: from entries to rows. What a thread took of itself has a row
 * with a time of its own (gecko_timed_samples.c). */
#include <errno.h>
#include <string.h>

#include "buffer/leb128.h"
#include "json/gecko/gecko_context.h"
#include "json/gecko/gecko_sample_rows.h"

void samples_take_tick(struct process_context *process, uint64_t ticks, uint64_t time_ns)
{
    size_t count = process->ticks.count;
    const uint64_t *times = process->ticks.items;
    /* A tick that found its chunk full continues in the next. */
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
    int error = mapped_array_reserve(rows, rows->count + SAMPLE_ROW_MAX_BYTES, 1);
    if (error < 0) {
        failure_latch_set(process->latch, error);
        return;
    }
    process->recorded_cpu_us += cpu_us;
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
    if (!bounds_allow(process)) {
        thread->samples.current_stack = UNIQUE_NONE;
        return false;
    }
    bool keeps =
        tracker->is_truncated == is_truncated && tracker->library_epoch == process->library_epoch;
    uint32_t kept = keeps ? sample->kept : 0;
    tracker->is_truncated = is_truncated;
    tracker->library_epoch = process->library_epoch;
    thread->samples.current_stack = stacks_track(process, thread, tracker, kept);
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

/* The thread ran with the stack that it has in this chunk; one that it has not is damage. The same
 * addresses may be another library's by now. */
static void take_same_stack(struct process_context *process, struct thread_context *thread)
{
    struct stack_tracker *tracker = thread->samples.tracker;
    if (tracker == NULL || tracker->chunk_number != process->chunk_number) {
        thread->samples.current_stack = UNIQUE_NONE;
        process->bad_entries++;
        return;
    }
    if (tracker->library_epoch == process->library_epoch || !bounds_allow(process))
        return;
    tracker->library_epoch = process->library_epoch;
    thread->samples.current_stack = stacks_track(process, thread, tracker, 0);
}

static void add_timed(struct process_context *process, struct thread_context *thread,
                      uint32_t stack, uint64_t time_ns, uint64_t cpu_us)
{
    const struct timed_row row = { .time_ns = time_ns, .cpu_us = cpu_us, .stack = stack };
    process->recorded_cpu_us += cpu_us;
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
    if (thread == NULL || !bounds_allow(process))
        return;
    take_same_stack(process, thread);
    add_timed(process, thread, thread->samples.current_stack, time_ns, sample->cpu_us);
}

void samples_take_thread_cpu(struct process_context *process, const struct sample_entry *cpu,
                             uint64_t time_ns)
{
    struct thread_context *thread = process_thread_at(process, cpu->thread_index, time_ns);
    process->bad_entries += thread == NULL;
    if (thread != NULL && bounds_allow(process))
        add_timed(process, thread, UNIQUE_NONE, time_ns, cpu->cpu_us);
}

void samples_take_same(struct process_context *process, const struct sample_entry *sample,
                       uint64_t offset_ns)
{
    struct thread_context *thread = thread_of_entry(process, sample->thread_index);
    if (thread == NULL)
        return;
    take_same_stack(process, thread);
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
