/* The markers of a thread as spans of time: markers with a begin and an end, and pairs of markers,
 * where each start is paired with the next end of the same name. One thread. */
#ifndef PROFD_PROFCTL_MARKER_SPANS_H
#define PROFD_PROFCTL_MARKER_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/profile/profile_walk.h"

struct marker_span {
    uint32_t name;   /* a string of the thread */
    uint32_t marker; /* the number of the marker, or of its start */
    bool is_instant; /* it has no duration; also an end whose start was not recorded */
    double start_ms, end_ms;
};

/* A zeroed struct is empty. Memory is reused for the next thread. */
struct marker_spans {
    struct mapped_array spans; /* struct marker_span */
    struct mapped_array open;  /* struct open_span: started; some have ended */
    struct mapped_array tops;  /* uint32_t, by name: index of the last open span plus 1; 0: none */
};

/* Reads the spans of THREAD, in order of their ends; spans that never end extend to the last
 * sample. Previous spans are dropped. Returns 0 or -ENOMEM. */
int marker_spans_take(struct marker_spans *spans, const struct profile_thread *thread);
void marker_spans_free(struct marker_spans *spans);

#endif
