#include "profctl/profile/marker_spans.h"

#include <errno.h>

static int push_span(struct mapped_array *spans, const struct marker_span *span)
{
    struct marker_span *place = mapped_array_push(spans, sizeof(*place));

    if (place == NULL)
        return -ENOMEM;
    *place = *span;
    return 0;
}

/* Those of one name are a chain, the last to begin first. */
struct open_span {
    struct marker_span span;
    uint32_t below; /* the one that began before, as in tops */
    bool has_ended;
};

static int begin_span(struct marker_spans *spans, const struct marker_span *span)
{
    int error = mapped_array_reserve(&spans->tops, (size_t)span->name + 1, sizeof(uint32_t));
    struct open_span *place;

    if (error < 0)
        return error;
    place = mapped_array_push(&spans->open, sizeof(*place));
    if (place == NULL)
        return -ENOMEM;
    uint32_t *top = (uint32_t *)spans->tops.items + span->name;
    *place = (struct open_span){ .span = *span, .below = *top };
    *top = (uint32_t)spans->open.count;
    return 0;
}

/* Ends the one of NAME that began last and is open, for good. NULL: there is none. */
static const struct marker_span *pop_open(struct marker_spans *spans, uint32_t name)
{
    struct open_span *open = spans->open.items;
    uint32_t *tops = spans->tops.items;

    if (name >= spans->tops.capacity || tops[name] == 0)
        return NULL;
    struct open_span *ended = &open[tops[name] - 1];
    ended->has_ended = true;
    tops[name] = ended->below;
    while (spans->open.count > 0 && open[spans->open.count - 1].has_ended)
        spans->open.count--;
    return &ended->span;
}

static int end_span(struct marker_spans *spans, const struct marker_span *end)
{
    const struct marker_span *start = pop_open(spans, end->name);
    struct marker_span span = start != NULL ? *start : *end;

    span.is_instant = start == NULL;
    span.end_ms = end->end_ms;
    return push_span(&spans->spans, &span);
}

static int take_marker(struct marker_spans *spans, const struct table_marker *marker,
                       uint32_t number)
{
    struct marker_span span = { .name = marker->name,
                                .marker = number,
                                .is_instant = marker->phase == PHASE_INSTANT,
                                .start_ms = marker->start_ms,
                                .end_ms = marker->end_ms };

    if (marker->phase == PHASE_START)
        return begin_span(spans, &span);
    return marker->phase == PHASE_END ? end_span(spans, &span) : push_span(&spans->spans, &span);
}

static int end_open(struct marker_spans *spans, const struct profile_thread *thread)
{
    struct open_span *open = spans->open.items;
    size_t samples = thread->sample_count;
    double last_ms = samples > 0 ? thread->samples[samples - 1].time_ms : 0;
    int error = 0;

    for (size_t i = 0; i < spans->open.count && error == 0; i++) {
        struct marker_span *span = &open[i].span;
        span->end_ms = last_ms > span->start_ms ? last_ms : span->start_ms;
        if (!open[i].has_ended)
            error = push_span(&spans->spans, span);
    }
    return error;
}

static void forget_open(struct marker_spans *spans)
{
    const struct open_span *open = spans->open.items;

    for (size_t i = 0; i < spans->open.count; i++)
        ((uint32_t *)spans->tops.items)[open[i].span.name] = 0;
    spans->open.count = 0;
}

int marker_spans_take(struct marker_spans *spans, const struct profile_thread *thread)
{
    const struct table_marker *markers = thread->markers->markers.items;
    int error = 0;

    forget_open(spans);
    spans->spans.count = 0;
    for (size_t i = 0; i < thread->markers->markers.count && error == 0; i++)
        error = take_marker(spans, &markers[i], (uint32_t)i);
    return error < 0 ? error : end_open(spans, thread);
}

void marker_spans_free(struct marker_spans *spans)
{
    mapped_array_free(&spans->spans);
    mapped_array_free(&spans->open);
    mapped_array_free(&spans->tops);
}
