/* Lanes: processes of one program that ran one after the other, shown as one process of the profile
 * with a marker for each. They keep a build with thousands of compilers readable. lane_choice.h
 * decides which processes are in one. One thread. */
#ifndef PROFD_PROFCTL_LANES_H
#define PROFD_PROFCTL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/processed/lane_walk.h"
#include "profctl/processed/thread_rows.h"
#include "profctl/profile/process_log.h"

/* A thread of a lane, on the track of the same number. */
struct lane_thread {
    double register_ms, unregister_ms;
    struct thread_rows rows;
};

struct lane {
    double cpu_ns;                     /* used by all of its processes */
    struct mapped_array threads;       /* struct lane_thread */
    struct mapped_array paused_ranges; /* char: elements of an array, … */
    size_t ranges_process;             /* … from this many of its processes */
};

struct lanes {
    struct lane_walk walk;     /* needs the members of "meta" */
    struct mapped_array lanes; /* struct lane, numbered as in the walk */
};

/* Initializes LANES. The first APART processes that exited are in no lane. */
void lanes_init(struct lanes *lanes, size_t apart);
void lanes_free(struct lanes *lanes);

/* Takes the thread of SOURCE with its samples and markers, if its process is in a lane. Returns 1
 * if so, 0 if not, or an error of thread_rows_add(). */
int lanes_take_thread(struct lanes *lanes, const struct payload_source *source);

/* Called at the end of the current process, which LOG describes: if it is in a lane, adds a marker
 * for it to the lane's first thread. Returns 0 or -ENOMEM. */
int lanes_end_process(struct lanes *lanes, const struct process_log *log,
                      struct shared_tables *tables);

/* Return the lane with that number, and its thread at INDEX; valid until something is added. */
const struct lane *lanes_at(const struct lanes *lanes, uint32_t lane);
const struct lane_thread *lane_thread_at(const struct lane *lane, uint32_t index);

/* The schema of the markers, a "markerSchema" of a Gecko profile. */
extern const char lane_marker_schema[];

#endif
