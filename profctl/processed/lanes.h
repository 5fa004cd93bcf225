/* Lanes: processes of one program that ran one after the other, as one process of the profile, with
 * a marker for each of them. A build of thousands of compilers stays a page that people can read.
 * lane_choice.h tells who is in one. One thread. */
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
    double cpu_ns;                     /* that all of its processes used */
    struct mapped_array threads;       /* struct lane_thread */
    struct mapped_array paused_ranges; /* char: elements of an array, … */
    size_t ranges_process;             /* … with those of so many of its processes */
};

struct lanes {
    struct lane_walk walk;     /* to be told of the members of "meta" */
    struct mapped_array lanes; /* struct lane, with the numbers of the walk's */
};

/* The first APART processes that exited are in no lane. */
void lanes_init(struct lanes *lanes, size_t apart);
void lanes_free(struct lanes *lanes);

/* Takes the thread whose samples and markers SOURCE has, if its process is in a lane. 1 when it is,
 * 0, or an error as thread_rows_add(). */
int lanes_take_thread(struct lanes *lanes, const struct payload_source *source);

/* The process at hand has ended, as LOG tells: if it is in a lane, marks it on the lane's first
 * thread. 0 or -ENOMEM. */
int lanes_end_process(struct lanes *lanes, const struct process_log *log,
                      struct shared_tables *tables);

/* The lane with that number, and its thread at INDEX; valid until something is added. */
const struct lane *lanes_at(const struct lanes *lanes, uint32_t lane);
const struct lane_thread *lane_thread_at(const struct lane *lane, uint32_t index);

/* The schema of the markers, a "markerSchema" of a Gecko profile. */
extern const char lane_marker_schema[];

#endif
