#include "profctl/report/calls_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/convert/thread_calls.h"

/* --- Reading --- */

/* A thread's calls on their way into the report. */
struct call_collector {
    struct calls_report *report;
    uint32_t thread;
};

static bool is_longer(const void *left, const void *right)
{
    const struct reported_call *a = left, *b = right;

    if (a->duration_ms != b->duration_ms)
        return a->duration_ms > b->duration_ms;
    return a->self_ms != b->self_ms ? a->self_ms > b->self_ms : a->start_ms < b->start_ms;
}

static void keep_longest(struct calls_report *report)
{
    mapped_array_sort(&report->longest, sizeof(struct reported_call), is_longer);
    if (report->longest.count <= CALLS_REPORT_MAX_LONGEST)
        return;
    report->longest.count = CALLS_REPORT_MAX_LONGEST;
    const struct reported_call *calls = report->longest.items;
    report->shortest_kept_ms = calls[CALLS_REPORT_MAX_LONGEST - 1].duration_ms;
}

static int add_to_longest(struct calls_report *report, const struct reported_call *call)
{
    struct reported_call *place;

    if (call->duration_ms < report->shortest_kept_ms)
        return 0;
    place = mapped_array_push(&report->longest, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    *place = *call;
    if (report->longest.count == 2 * CALLS_REPORT_MAX_LONGEST)
        keep_longest(report);
    return 0;
}

/* By number until all is read. */
static int count_call(struct calls_report *report, const struct reported_call *call)
{
    int error = mapped_array_reserve(&report->functions, (size_t)call->function + 1,
                                     sizeof(struct function_calls));

    if (error < 0)
        return error;
    if (report->functions.count <= call->function)
        report->functions.count = (size_t)call->function + 1; /* new memory is zeroed */
    struct function_calls *function =
        (struct function_calls *)report->functions.items + call->function;
    function->function = call->function;
    function->count++;
    function->total_ms += call->duration_ms;
    if (call->duration_ms > function->longest_ms)
        function->longest_ms = call->duration_ms;
    return 0;
}

static int on_call(void *owner, const struct profile_call *call)
{
    struct call_collector *collector = owner;
    struct calls_report *report = collector->report;
    const struct reported_call reported = { .function = call->frame.function,
                                            .thread = collector->thread,
                                            .start_ms = call->start_ms,
                                            .duration_ms = call->end_ms - call->start_ms,
                                            .self_ms = call->self_ms };
    const struct drawn_call drawn = { call->frame.function, (float)reported.duration_ms };
    int error = count_call(report, &reported);

    if (error == 0)
        error = add_to_longest(report, &reported);
    report->calls++;
    return error < 0 ? error : drawn_calls_add(&report->drawn, &drawn);
}

static int name_thread(struct calls_report *report, const struct profile_thread *thread,
                       uint32_t *out)
{
    char process[THREAD_LABEL_BYTES], name[2 * THREAD_LABEL_BYTES];

    thread_label_process(thread, process);
    int length = snprintf(name, sizeof(name), "%s: %s", process, thread_label_name(thread));
    size_t bytes = (size_t)length < sizeof(name) ? (size_t)length : sizeof(name) - 1;
    *out = unique_strings_add(&report->threads, name, bytes);
    return *out != UNIQUE_NONE ? 0 : -ENOMEM;
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct call_collector collector = { .report = owner };

    if (thread->sample_count == 0)
        return 0;
    int error = name_thread(collector.report, thread, &collector.thread);
    if (error == 0)
        error = thread_stacks_take(&collector.report->stacks, thread);
    return error < 0 ? error
                     : thread_calls_tell(&collector.report->stacks, thread,
                                         &collector.report->types, on_call, &collector);
}

static int on_meta(void *owner, const char *name, const char *json, size_t length)
{
    struct calls_report *report = owner;

    return strcmp(name, "markerSchema") == 0 ? processed_types_take(&report->types, json, length)
                                             : 0;
}

/* --- By function --- */

static bool has_more_time(const void *left, const void *right)
{
    const struct function_calls *a = left, *b = right;

    return a->total_ms != b->total_ms ? a->total_ms > b->total_ms : a->function < b->function;
}

/* While functions are in the order of their numbers. */
static void find_quantiles(struct calls_report *report)
{
    struct function_calls *functions = report->functions.items;
    size_t total = report->drawn.calls.count, end;

    drawn_calls_sort(&report->drawn);
    const struct drawn_call *calls = report->drawn.calls.items;
    for (size_t first = 0; first < total; first = end) {
        struct function_calls *function = &functions[calls[first].function];
        for (end = first + 1; end < total && calls[end].function == calls[first].function;)
            end++;
        function->median_ms = drawn_calls_quantile(calls + first, end - first, 0.5);
        function->p99_ms = drawn_calls_quantile(calls + first, end - first, 0.99);
    }
}

/* Functions that are no more than names have no calls. */
static void sort_functions(struct calls_report *report)
{
    struct function_calls *functions = report->functions.items;
    size_t kept = 0;

    for (size_t i = 0; i < report->functions.count; i++) {
        if (functions[i].count > 0)
            functions[kept++] = functions[i];
    }
    report->functions.count = kept;
    mapped_array_sort(&report->functions, sizeof(struct function_calls), has_more_time);
}

int calls_report_read(struct json_reader *reader, struct calls_report *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_meta = on_meta,
                                                       .wants_markers = true };
    struct profile_facts facts;

    *out = (struct calls_report){ 0 };
    thread_stacks_init(&out->stacks);
    processed_types_init(&out->types);
    unique_strings_init(&out->threads, &out->stacks.latch);
    int error = profile_walk(reader, &events, out, &facts);
    find_quantiles(out);
    sort_functions(out);
    keep_longest(out);
    return error;
}

void calls_report_free(struct calls_report *report)
{
    thread_stacks_fini(&report->stacks);
    processed_types_free(&report->types);
    unique_strings_fini(&report->threads);
    mapped_array_free(&report->longest);
    drawn_calls_free(&report->drawn);
    mapped_array_free(&report->functions);
}
