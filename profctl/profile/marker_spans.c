#include "profctl/profile/marker_spans.h"

#include <errno.h>
#include <string.h>

static int push_span(struct mapped_array *spans, const struct marker_span *span)
{
    struct marker_span *place = mapped_array_push(spans, sizeof(*place));

    if (place == NULL)
        return -ENOMEM;
    *place = *span;
    return 0;
}

/* The one of NAME that began last and has not ended; NULL: there is none. */
static struct marker_span *find_open(const struct marker_spans *spans, uint32_t name)
{
    struct marker_span *open = spans->open.items;

    for (size_t i = spans->open.count; i-- > 0;) {
        if (open[i].name == name)
            return &open[i];
    }
    return NULL;
}

static int end_span(struct marker_spans *spans, const struct marker_span *end)
{
    struct marker_span *start = find_open(spans, end->name);
    struct marker_span span = start != NULL ? *start : *end;

    span.is_instant = start == NULL;
    span.end_ms = end->end_ms;
    if (start != NULL) {
        const struct marker_span *all = spans->open.items;
        spans->open.count--;
        memmove(start, start + 1, (spans->open.count - (size_t)(start - all)) * sizeof(*start));
    }
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
        return push_span(&spans->open, &span);
    return marker->phase == PHASE_END ? end_span(spans, &span) : push_span(&spans->spans, &span);
}

static int end_open(struct marker_spans *spans, const struct profile_thread *thread)
{
    struct marker_span *open = spans->open.items;
    size_t samples = thread->sample_count;
    double last_ms = samples > 0 ? thread->samples[samples - 1].time_ms : 0;
    int err = 0;

    for (size_t i = 0; i < spans->open.count && err == 0; i++) {
        open[i].end_ms = last_ms > open[i].start_ms ? last_ms : open[i].start_ms;
        err = push_span(&spans->spans, &open[i]);
    }
    return err;
}

int marker_spans_take(struct marker_spans *spans, const struct profile_thread *thread)
{
    const struct table_marker *markers = thread->markers->markers.items;
    int err = 0;

    spans->spans.count = spans->open.count = 0;
    for (size_t i = 0; i < thread->markers->markers.count && err == 0; i++)
        err = take_marker(spans, &markers[i], (uint32_t)i);
    return err < 0 ? err : end_open(spans, thread);
}

void marker_spans_free(struct marker_spans *spans)
{
    mapped_array_free(&spans->spans);
    mapped_array_free(&spans->open);
}
