#include "profctl/report/calls_report.h"

#include <errno.h>
#include <stdlib.h>

#include "profctl/convert/thread_calls.h"

/* --- Reading --- */

/* A thread's calls on their way into the report. */
struct telling {
    struct calls_report *report;
    uint32_t thread;
};

static int on_call(void *owner, const struct profile_call *call)
{
    struct telling *telling = owner;
    struct reported_call *place =
        mapped_array_push(&telling->report->calls, sizeof(struct reported_call));

    if (place == NULL)
        return -ENOMEM;
    *place = (struct reported_call){ .function = call->function,
                                     .thread = telling->thread,
                                     .start_ms = call->start_ms,
                                     .duration_ms = call->end_ms - call->start_ms,
                                     .self_ms = call->self_ms };
    return 0;
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
    struct telling telling = { .report = owner };

    if (thread->sample_count == 0)
        return 0;
    int err = name_thread(telling.report, thread, &telling.thread);
    if (err == 0)
        err = thread_stacks_take(&telling.report->stacks, thread);
    return err < 0 ? err : thread_calls_tell(&telling.report->stacks, thread, on_call, &telling);
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    (void)owner, (void)is_root, (void)log;
    return 0;
}

/* --- By function --- */

static bool is_before_by_function(const void *left, const void *right)
{
    const struct reported_call *a = left, *b = right;

    return a->function != b->function ? a->function < b->function : a->duration_ms < b->duration_ms;
}

static bool is_longer(const void *left, const void *right)
{
    const struct reported_call *a = left, *b = right;

    if (a->duration_ms != b->duration_ms)
        return a->duration_ms > b->duration_ms;
    return a->self_ms != b->self_ms ? a->self_ms > b->self_ms : a->start_ms < b->start_ms;
}

static bool has_more_time(const void *left, const void *right)
{
    const struct function_calls *a = left, *b = right;

    return a->total_ms != b->total_ms ? a->total_ms > b->total_ms : a->function < b->function;
}

double calls_report_quantile(const struct reported_call *calls, size_t count, double share)
{
    size_t index = (size_t)((double)count * share);

    return calls[index < count ? index : count - 1].duration_ms;
}

/* COUNT calls of one function, the shortest first. */
static int add_function(struct calls_report *report, const struct reported_call *calls,
                        size_t count)
{
    struct function_calls *place =
        mapped_array_push(&report->functions, sizeof(struct function_calls));

    if (place == NULL)
        return -ENOMEM;
    *place = (struct function_calls){ .function = calls->function,
                                      .count = count,
                                      .median_ms = calls_report_quantile(calls, count, 0.5),
                                      .p99_ms = calls_report_quantile(calls, count, 0.99),
                                      .longest_ms = calls[count - 1].duration_ms };
    for (size_t i = 0; i < count; i++)
        place->total_ms += calls[i].duration_ms;
    return 0;
}

static int add_functions(struct calls_report *report)
{
    size_t total = report->calls.count, end;
    int err = 0;

    mapped_array_sort(&report->calls, sizeof(struct reported_call), is_before_by_function);
    const struct reported_call *calls = report->calls.items;
    for (size_t first = 0; first < total && err == 0; first = end) {
        for (end = first + 1; end < total && calls[end].function == calls[first].function;)
            end++;
        err = add_function(report, calls + first, end - first);
    }
    mapped_array_sort(&report->functions, sizeof(struct function_calls), has_more_time);
    mapped_array_sort(&report->calls, sizeof(struct reported_call), is_longer);
    return err;
}

int calls_report_read(struct json_reader *reader, struct calls_report *out)
{
    static const struct profile_walk_events events = { on_thread, on_process };
    struct profile_facts facts;

    *out = (struct calls_report){ 0 };
    thread_stacks_init(&out->stacks);
    unique_strings_init(&out->threads, &out->stacks.latch);
    int err = profile_walk(reader, &events, out, &facts);
    return err < 0 ? err : add_functions(out);
}

void calls_report_free(struct calls_report *report)
{
    thread_stacks_fini(&report->stacks);
    unique_strings_fini(&report->threads);
    mapped_array_free(&report->calls);
    mapped_array_free(&report->functions);
}
