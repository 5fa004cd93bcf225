#include "profctl/convert/thread_events.h"

#include <errno.h>

#include "profctl/convert/profile_calls.h"
#include "profctl/processed/processed_payload.h"

static int push_event(struct thread_events *events, double time_ms, bool is_begin, unsigned kind)
{
    struct thread_event *event = mapped_array_push(&events->events, sizeof(*event));

    if (event == NULL)
        return -ENOMEM;
    *event = (struct thread_event){ .time_ms = time_ms, .is_begin = is_begin, .kind = kind };
    return 0;
}

static double last_end(const struct thread_events *events)
{
    return ((const double *)events->open.items)[events->open.count - 1];
}

/* Those that have ended by TIME_MS end. */
static int end_until(struct thread_events *events, double time_ms)
{
    int error = 0;

    while (events->open.count > 0 && last_end(events) <= time_ms && error == 0) {
        error = push_event(events, last_end(events), false, 0);
        events->open.count--;
    }
    return error;
}

static int begin_span(struct thread_events *events, const struct marker_span *span, unsigned kind)
{
    int error = end_until(events, span->start_ms);
    double end_ms = span->end_ms;

    if (events->open.count > 0 && last_end(events) < end_ms)
        end_ms = last_end(events);
    if (error == 0)
        error = push_event(events, span->start_ms, true, kind);
    double *open = error == 0 ? mapped_array_push(&events->open, sizeof(*open)) : NULL;
    if (open == NULL)
        return error < 0 ? error : -ENOMEM;
    *open = end_ms;
    return 0;
}

/* What the type of SPAN's marker says that it is; 0: nothing that bounds calls. */
static int find_kind(const struct profile_thread *thread, const struct processed_types *types,
                     const struct marker_span *span, unsigned *kind)
{
    const struct table_marker *marker =
        (const struct table_marker *)thread->markers->markers.items + span->marker;
    const char *data = thread_markers_data(thread->markers, marker);
    uint64_t type = 0;
    int error = data != NULL ? payload_find_type(data, marker->data_length, &type) : 0;

    *kind = (processed_types_is_task(types, type) ? PROFILE_EVENT_TASK : 0) |
            (processed_types_is_stack_based(types, type) ? PROFILE_EVENT_FUNCTION_CALL : 0);
    return error;
}

static bool is_before(const void *left, const void *right)
{
    const struct marker_span *a = left, *b = right;

    if (a->start_ms != b->start_ms)
        return a->start_ms < b->start_ms;
    return a->end_ms != b->end_ms ? a->end_ms > b->end_ms : a->marker < b->marker;
}

int thread_events_take(struct thread_events *events, const struct profile_thread *thread,
                       const struct processed_types *types)
{
    events->events.count = events->open.count = 0;
    if (!processed_types_have_events(types))
        return 0;
    int error = marker_spans_take(&events->spans, thread);
    if (error < 0)
        return error;
    const struct marker_span *spans = events->spans.spans.items;
    mapped_array_sort(&events->spans.spans, sizeof(*spans), is_before);
    for (size_t i = 0; i < events->spans.spans.count && error == 0; i++) {
        unsigned kind = 0;
        if (spans[i].end_ms > spans[i].start_ms)
            error = find_kind(thread, types, &spans[i], &kind);
        if (error == 0 && kind != 0)
            error = begin_span(events, &spans[i], kind);
    }
    return error < 0 || events->open.count == 0
               ? error
               : end_until(events, ((const double *)events->open.items)[0]);
}

void thread_events_free(struct thread_events *events)
{
    mapped_array_free(&events->events);
    mapped_array_free(&events->open);
    marker_spans_free(&events->spans);
}
