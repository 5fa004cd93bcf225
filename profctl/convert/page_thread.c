/* Threads of a page: what they are, their samples and markers. */
#include <errno.h>

#include "common/time_units.h"
#include "profctl/convert/call_function.h"
#include "profctl/convert/call_samples.h"
#include "profctl/convert/page_record.h"

void page_told_init(struct page_told *told, struct page_stream *stream)
{
    *told = (struct page_told){ .stream = stream };
    thread_stacks_init(&told->names);
    unique_strings_init(&told->functions, &told->names.latch);
    page_stacks_init(&told->stacks);
    processed_types_init(&told->types);
}

void page_told_fini(struct page_told *told)
{
    thread_stacks_fini(&told->names);
    unique_strings_fini(&told->functions);
    page_stacks_fini(&told->stacks);
    processed_types_free(&told->types);
    thread_events_free(&told->events);
}

/* With the number of the function, those of one differ in the column alone; times two, and 1 for
 * what is of V8's runtime. */
static int put_new_names(struct page_told *told)
{
    uint32_t count = unique_strings_count(&told->names.names);

    if (count == told->name_count)
        return 0;
    page_put_number(told->stream, PAGE_NAMES);
    page_put_number(told->stream, count - told->name_count);
    for (; told->name_count < count; told->name_count++) {
        size_t length;
        const char *name = unique_strings_get(&told->names.names, told->name_count, &length);
        uint32_t function =
            unique_strings_add(&told->functions, name, call_function_length(name, length));
        if (function == UNIQUE_NONE)
            return -ENOMEM;
        page_put_bytes(told->stream, name, length);
        page_put_number(told->stream,
                        (uint64_t)function * 2 + call_function_is_of_runtime(name, length));
    }
    return 0;
}

static void put_new_stacks(struct page_told *told)
{
    uint32_t count = page_stacks_count(&told->stacks);

    if (count == told->stack_count)
        return;
    page_put_number(told->stream, PAGE_STACKS);
    page_put_number(told->stream, count - told->stack_count);
    for (; told->stack_count < count; told->stack_count++) {
        const struct page_stack stack = page_stacks_at(&told->stacks, told->stack_count);
        page_put_number(told->stream,
                        stack.prefix != TABLE_NONE ? told->stack_count - stack.prefix : 0);
        page_put_number(told->stream, stack.name);
        page_put_number(told->stream, stack.script);
    }
}

static void put_times(struct page_stream *stream, const struct profile_thread *thread)
{
    int64_t time_us = 0;

    for (size_t i = 0; i < thread->sample_count; i++) {
        int64_t next_us = page_us(thread->samples[i].time_ms);
        page_put_difference(stream, next_us - time_us);
        time_us = next_us;
    }
}

/* 0 is none; and behind it how the thread slept before the sample. */
static void put_sample_stacks(const struct page_told *told, const struct profile_thread *thread)
{
    int64_t before = 0;

    for (size_t i = 0; i < thread->sample_count; i++) {
        uint32_t stack = thread->samples[i].stack;
        int64_t number =
            stack != TABLE_NONE ? (int64_t)page_stacks_number(&told->stacks, stack) + 1 : 0;
        page_put_difference(told->stream, (number - before) * 4 + call_samples_sleep(thread, i));
        before = number;
    }
}

/* In µs, of which what is cut off goes to the next sample, so that the sum is right. */
static void put_weights(struct page_stream *stream, const struct profile_thread *thread)
{
    double rest_us = 0;

    for (size_t i = 0; i < thread->sample_count; i++) {
        double weight_us = thread->samples[i].weight_ns / NS_PER_US + rest_us;
        uint64_t whole_us = weight_us > 0 ? (uint64_t)(weight_us + 0.5) : 0;
        page_put_number(stream, whole_us);
        rest_us = weight_us - (double)whole_us;
    }
}

/* Where it changes: how many samples further on, and what it is from there. */
static void put_event_delays(struct page_stream *stream, const struct profile_thread *thread)
{
    int64_t delay_us = 0;
    size_t since = 0;

    for (size_t i = 0; i < thread->sample_count; i++) {
        int64_t next_us = page_us(thread->samples[i].event_delay_ms);
        since++;
        if (next_us == delay_us)
            continue;
        page_put_number(stream, since);
        page_put_number(stream, (uint64_t)next_us);
        delay_us = next_us;
        since = 0;
    }
    page_put_number(stream, 0);
}

static int name_marker(struct page_told *told, const struct profile_thread *thread,
                       const struct table_marker *marker, uint32_t *name)
{
    size_t length;
    const char *text = thread_tables_string(thread->tables, marker->name, &length);

    *name = unique_strings_add(&told->names.names, text, length);
    return *name != UNIQUE_NONE ? 0 : -ENOMEM;
}

static int name_markers(struct page_told *told, const struct profile_thread *thread)
{
    const struct table_marker *markers = thread->markers->markers.items;
    uint32_t name;
    int error = 0;

    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++)
        error = name_marker(told, thread, &markers[i], &name);
    return error;
}

/* Their names were written before. */
static int put_markers(struct page_told *told, const struct profile_thread *thread)
{
    const struct table_marker *markers = thread->markers->markers.items;
    int64_t time_us = 0;
    int error = 0;

    page_put_number(told->stream, thread->markers->markers.count);
    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++) {
        int64_t start_us = page_us(markers[i].start_ms), end_us = page_us(markers[i].end_ms);
        uint32_t name;
        error = name_marker(told, thread, &markers[i], &name);
        page_put_number(told->stream, name);
        page_put_number(told->stream, markers[i].phase);
        page_put_difference(told->stream, start_us - time_us);
        page_put_difference(told->stream, end_us - start_us);
        page_put_bytes(told->stream, thread_markers_data(thread->markers, &markers[i]),
                       markers[i].data_length);
        time_us = start_us;
    }
    return error;
}

/* Each with what it is: 0 for the end of the last that has begun, or 1 and bits of enum
 * profile_event. */
static int put_events(struct page_told *told, const struct profile_thread *thread)
{
    int error = thread_events_take(&told->events, thread, &told->types);
    const struct thread_event *events = told->events.events.items;
    int64_t time_us = 0;

    if (error < 0)
        return error;
    page_put_number(told->stream, told->events.events.count);
    for (size_t i = 0; i < told->events.events.count; i++) {
        int64_t next_us = page_us(events[i].time_ms);
        page_put_difference(told->stream, next_us - time_us);
        page_put_number(told->stream, events[i].is_begin ? events[i].kind + 1 : 0);
        time_us = next_us;
    }
    return 0;
}

static void put_facts(struct page_stream *stream, const struct profile_thread *thread)
{
    page_put_number(stream, PAGE_THREAD);
    page_put_number(stream, thread->is_of_root);
    page_put_text(stream, thread->process_name != NULL ? thread->process_name : "process");
    page_put_text(stream, thread_label_name(thread));
    page_put_real(stream, thread->pid);
    page_put_real(stream, thread->tid);
    page_put_real(stream, thread->register_ms);
    page_put_real(stream, thread->unregister_ms);
    page_put_real(stream, thread->not_sampled_ns / NS_PER_US);
    page_put_real(stream, thread->interval_ns / NS_PER_US);
    page_put_number(stream, thread->knows_cpu);
}

int page_put_thread(struct page_told *told, const struct profile_thread *thread)
{
    int error = thread_stacks_take(&told->names, thread);

    if (error == 0)
        error = page_stacks_take(&told->stacks, &told->names, thread);
    if (error == 0)
        error = name_markers(told, thread);
    if (error == 0)
        error = put_new_names(told);
    if (error < 0)
        return error;
    put_new_stacks(told);
    put_facts(told->stream, thread);
    page_put_number(told->stream, thread->sample_count);
    put_times(told->stream, thread);
    put_sample_stacks(told, thread);
    if (thread->knows_cpu)
        put_weights(told->stream, thread);
    put_event_delays(told->stream, thread);
    error = put_markers(told, thread);
    if (error == 0)
        error = put_events(told, thread);
    return error < 0 ? error : told->stream->error;
}

/* --- Files --- */

static uint32_t count_named(const struct mapped_array *files_of)
{
    uint32_t count = 0;

    for (size_t i = 0; i < files_of->count; i++)
        count += ((const struct name_file *)files_of->items)[i].file_and_1 != 0;
    return count;
}

int page_put_files(struct page_told *told)
{
    const struct thread_stacks *names = &told->names;
    const struct name_file *files = names->files_of.items;
    size_t before = 0;

    page_put_number(told->stream, PAGE_FILES);
    page_put_number(told->stream, unique_strings_count(&names->files));
    for (uint32_t i = 0; i < unique_strings_count(&names->files); i++) {
        size_t length;
        const char *file = unique_strings_get(&names->files, i, &length);
        page_put_bytes(told->stream, file, length);
    }
    page_put_number(told->stream, count_named(&names->files_of));
    for (size_t i = 0; i < names->files_of.count; i++) {
        if (files[i].file_and_1 == 0)
            continue;
        page_put_number(told->stream, i - before);
        page_put_number(told->stream, files[i].file_and_1 - 1);
        before = i;
    }
    return told->stream->error;
}
