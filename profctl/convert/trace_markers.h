/* The markers of a profile as events of a Chrome trace, and the flows that connect them.
 *
 * In a trace, the events of one thread must nest. Markers need not nest, neither with each other
 * nor with calls, so they are put on separate tracks: "main thread: markers" and as many more as
 * overlap. Flows are written at the end, when the first marker of each is known. One thread. */
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
    uint32_t flow; /* index in the names of flows */
    double time_ms;
    struct trace_place place;
};

/* Initialised by trace_markers_init(). */
struct trace_markers {
    struct processed_types types; /* to be filled with those of the profile */
    struct failure_latch latch;
    struct unique_strings flows;
    struct mapped_array points; /* struct trace_flow_point */
    struct marker_spans spans;  /* of the current thread */
    uint32_t tracks;            /* of all threads written so far */
};

/* Where the markers of a thread are put. */
struct trace_marker_place {
    double pid;
    struct mapped_array *tracks; /* struct trace_track: of the previous threads at this place */
};

struct trace_track {
    double until_ms; /* the track is occupied until then */
    uint32_t number;
};

void trace_markers_init(struct trace_markers *markers);
void trace_markers_fini(struct trace_markers *markers);

/* Writes the markers of THREAD at PLACE. Returns 0, -EPROTO for an invalid payload, -ENOMEM, or the
 * error of JSON. */
int trace_markers_put(struct trace_markers *markers, const struct profile_thread *thread,
                      const struct trace_marker_place *place, struct json_writer *json);

/* Writes the flows of all threads. Returns 0 or the first failure. */
int trace_markers_put_flows(struct trace_markers *markers, struct json_writer *json);

#endif
