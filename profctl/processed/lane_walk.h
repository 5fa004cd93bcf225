/* The lanes of a profile's processes (lane_choice.h), as it is walked over: whose turn it is, and
 * whether its process is in a lane. The functions are for the events of profile_walk.h. One thread.
 */
#ifndef PROFD_PROFCTL_LANE_WALK_H
#define PROFD_PROFCTL_LANE_WALK_H

#include <stdbool.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/processed/lane_choice.h"
#include "profctl/profile/process_lives.h"

enum lane_walk_place { LANE_WALK_UNKNOWN, LANE_WALK_APART, LANE_WALK_IN_LANE };

struct lane_walk {
    struct lane_choice choice;
    double shutdown_ms;         /* of the process at hand, on its own time line; NAN: not told */
    enum lane_walk_place place; /* of the inner process at hand, … */
    uint32_t lane;              /* … and its lane */
    struct failure_latch latch;
    struct unique_strings pids;  /* doubles, as bytes … */
    struct mapped_array earlier; /* … and struct process_life, the last program of each that went
                                  * on as another */
};

/* The first APART processes that exited are in no lane. */
void lane_walk_init(struct lane_walk *walk, size_t apart);
void lane_walk_free(struct lane_walk *walk);

/* A member of "meta". */
void lane_walk_take_meta(struct lane_walk *walk, const char *name, const char *json, size_t length);

/* Whether THREAD is in the lane WALK->lane. 1, 0, or -ENOMEM. */
int lane_walk_take_thread(struct lane_walk *walk, const struct profile_thread *thread);

/* The lane of the process at hand, whose threads came before; NULL: it is in none. */
const struct lane_slot *lane_walk_slot(const struct lane_walk *walk);

/* The CPU time in ms that the process at hand used as the program that it is, as LOG tells, where
 * its earlier programs came before; below 0: not known. */
double lane_walk_cpu_ms(const struct lane_walk *walk, const struct process_log *log);

/* All of a process was read, of which LOG tells. 0 or -ENOMEM. */
int lane_walk_end_process(struct lane_walk *walk, const struct process_log *log);

#endif
