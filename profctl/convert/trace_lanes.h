/* Lanes (processed/lane_walk.h) in a Chrome trace: the processes of a lane share the ids of the
 * first one, each has an event around its calls, and their markers share tracks. One thread. */
#ifndef PROFD_PROFCTL_TRACE_LANES_H
#define PROFD_PROFCTL_TRACE_LANES_H

#include "profctl/convert/trace_event.h"
#include "profctl/processed/lane_walk.h"

struct trace_lanes {
    struct lane_walk walk;     /* needs the members of "meta" */
    struct mapped_array lanes; /* struct mapped_array of struct mapped_array: for each thread, the
                                * tracks of its markers (trace_markers.h) */
};

/* Initializes LANES. The first APART processes that exited are in no lane. */
void trace_lanes_init(struct trace_lanes *lanes, size_t apart);
void trace_lanes_free(struct trace_lanes *lanes);

/* Returns 1 if THREAD is in a lane, 0 if not, or -ENOMEM. In a lane, *PLACE is set to its place and
 * *TRACKS to the tracks of its markers, valid until the next call. */
int trace_lanes_take_thread(struct trace_lanes *lanes, const struct profile_thread *thread,
                            struct trace_place *place, struct mapped_array **tracks);

/* Called at the end of the current process, which LOG describes. Returns 0 or -ENOMEM. */
int trace_lanes_end_process(struct trace_lanes *lanes, const struct process_log *log,
                            struct json_writer *json);

/* Writes the names of lanes and their threads. */
void trace_lanes_put_names(const struct trace_lanes *lanes, struct json_writer *json);

#endif
