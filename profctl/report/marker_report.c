#include "profctl/report/marker_report.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/time_units.h"

static struct marker_row *row_at(const struct marker_report *report, uint32_t name)
{
    return (struct marker_row *)report->rows.items + name;
}

/* --- A thread's markers --- */

/* Gives SPAN the number of its name in the report. */
static int find_row(struct marker_report *report, const struct thread_tables *tables,
                    struct marker_span *span)
{
    size_t length;
    const char *text = thread_tables_string(tables, span->name, &length);

    span->name = unique_strings_add(&report->names, text, length);
    if (span->name == UNIQUE_NONE)
        return -ENOMEM;
    if (span->name < report->rows.count)
        return 0;
    struct marker_row *row = mapped_array_push(&report->rows, sizeof(*row));
    if (row == NULL)
        return -ENOMEM;
    *row = (struct marker_row){ .name = span->name };
    return 0;
}

static int count_span(struct marker_report *report, const struct marker_span *span)
{
    double duration_ms = span->end_ms > span->start_ms ? span->end_ms - span->start_ms : 0;
    struct marker_row *row = row_at(report, span->name);

    report->markers++;
    row->count++;
    row->instants += span->is_instant;
    row->total_ms += duration_ms;
    if (span->is_instant)
        return 0;
    struct marker_duration *duration = mapped_array_push(&report->durations, sizeof(*duration));
    if (duration == NULL)
        return -ENOMEM;
    *duration = (struct marker_duration){ span->name, duration_ms };
    return 0;
}

/* --- What its time was --- */

static bool is_before_in_thread(const void *left, const void *right)
{
    const struct marker_span *a = left, *b = right;

    return a->name != b->name ? a->name < b->name : a->start_ms < b->start_ms;
}

/* The start of the time that the sample at INDEX covers. */
static double begin_of(const struct profile_thread *thread, size_t index)
{
    if (index > 0)
        return thread->samples[index - 1].time_ms;
    if (!isnan(thread->register_ms))
        return thread->register_ms;
    return thread->samples[0].time_ms - thread->samples[0].cpu_ns / NS_PER_MS;
}

/* Of what the sample at INDEX tells, since the one before it, the part in [START_MS, END_MS]. */
static double cpu_within(const struct profile_thread *thread, size_t index, double start_ms,
                         double end_ms)
{
    const struct profile_sample *sample = &thread->samples[index];
    double before_ms = begin_of(thread, index);
    double from_ms = start_ms > before_ms ? start_ms : before_ms;
    double to_ms = end_ms < sample->time_ms ? end_ms : sample->time_ms;

    if (sample->time_ms <= before_ms)
        return sample->time_ms >= start_ms && sample->time_ms <= end_ms ? sample->cpu_ns : 0;
    return to_ms > from_ms ? sample->cpu_ns * (to_ms - from_ms) / (sample->time_ms - before_ms) : 0;
}

/* The first sample at or behind TIME_MS. */
static size_t find_sample(const struct profile_thread *thread, double time_ms)
{
    size_t first = 0, end = thread->sample_count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (thread->samples[middle].time_ms < time_ms)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

double marker_report_cpu_ns(const struct profile_thread *thread, const struct marker_span *spans,
                            size_t count)
{
    double sum_ns = 0, done_ms = 0;

    for (size_t i = 0; i < count; i++) {
        double start_ms = i > 0 && done_ms > spans[i].start_ms ? done_ms : spans[i].start_ms;
        if (spans[i].end_ms <= start_ms)
            continue;
        for (size_t j = find_sample(thread, start_ms); j < thread->sample_count; j++) {
            sum_ns += cpu_within(thread, j, start_ms, spans[i].end_ms);
            if (thread->samples[j].time_ms >= spans[i].end_ms)
                break;
        }
        done_ms = spans[i].end_ms;
    }
    return sum_ns;
}

static void add_cpu_time(struct marker_report *report, const struct profile_thread *thread)
{
    const struct marker_span *spans = report->spans.spans.items;
    size_t count = report->spans.spans.count, end;

    mapped_array_sort(&report->spans.spans, sizeof(*spans), is_before_in_thread);
    for (size_t first = 0; first < count; first = end) {
        for (end = first; end < count && spans[end].name == spans[first].name;)
            end++;
        row_at(report, spans[first].name)->cpu_ns +=
            marker_report_cpu_ns(thread, &spans[first], end - first);
    }
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct marker_report *report = owner;
    int error = marker_spans_take(&report->spans, thread);
    struct marker_span *spans = report->spans.spans.items;

    report->knows_cpu |= thread->knows_cpu && thread->sample_count > 0;
    for (size_t i = 0; i < report->spans.spans.count && error == 0; i++) {
        error = find_row(report, thread->tables, &spans[i]);
        if (error == 0)
            error = count_span(report, &spans[i]);
    }
    if (error == 0)
        add_cpu_time(report, thread);
    return error;
}

/* --- All of them --- */

static bool is_shorter_in_name(const void *left, const void *right)
{
    const struct marker_duration *a = left, *b = right;

    return a->name != b->name ? a->name < b->name : a->ms < b->ms;
}

/* The one below which SHARE of COUNT are; they are sorted. */
static double find_quantile(const struct marker_duration *durations, size_t count, double share)
{
    size_t index = (size_t)(share * (double)count);

    return durations[index < count ? index : count - 1].ms;
}

static void find_quantiles(struct marker_report *report)
{
    const struct marker_duration *durations = report->durations.items;
    size_t total = report->durations.count, end;

    mapped_array_sort(&report->durations, sizeof(*durations), is_shorter_in_name);
    for (size_t first = 0; first < total; first = end) {
        struct marker_row *row = row_at(report, durations[first].name);
        for (end = first; end < total && durations[end].name == durations[first].name;)
            end++;
        row->median_ms = find_quantile(&durations[first], end - first, 0.5);
        row->p99_ms = find_quantile(&durations[first], end - first, 0.99);
        row->longest_ms = durations[end - 1].ms;
    }
}

static bool lasts_longer(const void *left, const void *right)
{
    const struct marker_row *a = left, *b = right;

    if (a->total_ms != b->total_ms)
        return a->total_ms > b->total_ms;
    return a->count != b->count ? a->count > b->count : a->name < b->name;
}

int marker_report_read(struct json_reader *reader, struct marker_report *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .wants_markers = true };
    struct profile_facts facts;

    *out = (struct marker_report){ 0 };
    failure_latch_init(&out->latch);
    unique_strings_init(&out->names, &out->latch);
    int error = profile_walk(reader, &events, out, &facts);
    if (error < 0)
        return error;
    find_quantiles(out);
    mapped_array_sort(&out->rows, sizeof(struct marker_row), lasts_longer);
    return 0;
}

void marker_report_free(struct marker_report *report)
{
    unique_strings_fini(&report->names);
    mapped_array_free(&report->rows);
    mapped_array_free(&report->durations);
    marker_spans_free(&report->spans);
}
