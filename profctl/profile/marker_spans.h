/* The markers of a thread as spans of time: those that tell a begin and an end, and those that were
 * told in two, each start with the next end of its name. One thread. */
#ifndef PROFD_PROFCTL_MARKER_SPANS_H
#define PROFD_PROFCTL_MARKER_SPANS_H

#include <stdbool.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/profile/profile_walk.h"

struct marker_span {
    uint32_t name;   /* a string of the thread's */
    uint32_t marker; /* the number of the one that tells it, or its start */
    bool is_instant; /* it has no duration: also an end whose start was not recorded */
    double start_ms, end_ms;
};

/* A zeroed struct is empty; memory is kept from thread to thread. */
struct marker_spans {
    struct mapped_array spans; /* struct marker_span */
    struct mapped_array open;  /* struct open_span: begun; some have ended */
    struct mapped_array
        tops; /* uint32_t, by name: the last open one's index + 1; 0: there is none */
};

/* Reads those of THREAD, in the order in which they end; those that never end extend to the last
 * sample. What was here is forgotten. 0 or -ENOMEM. */
int marker_spans_take(struct marker_spans *spans, const struct profile_thread *thread);
void marker_spans_free(struct marker_spans *spans);

#endif
