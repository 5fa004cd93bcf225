/* Lanes (processed/lane_walk.h) in a Chrome trace: a lane's processes share the ids of its first,
 * each has an event of its own around its calls, and a lane's markers share tracks. One thread. */
#ifndef PROFD_PROFCTL_TRACE_LANES_H
#define PROFD_PROFCTL_TRACE_LANES_H

#include "profctl/convert/trace_event.h"
#include "profctl/processed/lane_walk.h"

struct trace_lanes {
    struct lane_walk walk;     /* to be told of the members of "meta" */
    struct mapped_array lanes; /* struct mapped_array: of struct mapped_array, for each of its
                                  threads: the tracks of its markers (trace_markers.h) */
};

/* The first APART processes that exited are in no lane. */
void trace_lanes_init(struct trace_lanes *lanes, size_t apart);
void trace_lanes_free(struct trace_lanes *lanes);

/* Whether THREAD is in a lane: then *PLACE is where it stands, and *TRACKS, valid until the next
 * call, are those of its markers. 1, 0, or -ENOMEM. */
int trace_lanes_take_thread(struct trace_lanes *lanes, const struct profile_thread *thread,
                            struct trace_place *place, struct mapped_array **tracks);

/* The process at hand has ended, as LOG tells. 0 or -ENOMEM. */
int trace_lanes_end_process(struct trace_lanes *lanes, const struct process_log *log,
                            struct json_writer *json);

/* Writes what lanes and their threads are called. */
void trace_lanes_put_names(const struct trace_lanes *lanes, struct json_writer *json);

#endif
