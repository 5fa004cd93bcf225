/* The markers of a profile as events of a Chrome trace, and the flows that tie them together.
 *
 * Events of one thread must nest there, and markers need not, nor do they nest with calls: so they
 * stand on tracks of their own, "main thread: markers" and as many more as overlap. Flows are told
 * at the end, when it is known which marker of each is the first. One thread. */
#ifndef PROFD_PROFCTL_TRACE_MARKERS_H
#define PROFD_PROFCTL_TRACE_MARKERS_H

#include <stdint.h>

#include "json/failure_latch.h"
#include "json/unique_strings.h"
#include "profctl/convert/trace_event.h"
#include "profctl/processed/processed_types.h"
#include "profctl/profile/marker_spans.h"

/* A marker that is part of a flow. */
struct trace_flow_point {
    uint32_t flow; /* of the flows' names */
    double time_ms;
    struct trace_place place;
};

/* Zeroed but for trace_markers_init(). */
struct trace_markers {
    struct processed_types types; /* to be given the profile's */
    struct failure_latch latch;
    struct unique_strings flows;
    struct mapped_array points; /* struct trace_flow_point */
    struct marker_spans spans;  /* of the thread at hand */
    uint32_t tracks;            /* of all threads that were written */
};

/* Where the markers of a thread go. */
struct trace_marker_place {
    double pid;
    struct mapped_array *tracks; /* struct trace_track: of the threads that had this place before */
};

struct trace_track {
    double until_ms; /* it is taken */
    uint32_t number;
};

void trace_markers_init(struct trace_markers *markers);
void trace_markers_fini(struct trace_markers *markers);

/* Writes the markers of THREAD at PLACE. 0, -EPROTO for a payload that is none, -ENOMEM, or the
 * error of JSON. */
int trace_markers_put(struct trace_markers *markers, const struct profile_thread *thread,
                      const struct trace_marker_place *place, struct json_writer *json);

/* Writes the flows of all threads. 0 or the first failure. */
int trace_markers_put_flows(struct trace_markers *markers, struct json_writer *json);

#endif
