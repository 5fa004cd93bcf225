/* Keeps track of lanes (lane_choice.h) during a walk over a profile: the current process, and
 * whether it is in a lane. The functions are for the events of profile_walk.h. One thread. */
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
    double shutdown_ms;         /* of the current process, on its own time line; NAN: not known */
    enum lane_walk_place place; /* of the current inner process, … */
    uint32_t lane;              /* … and its lane */
    struct failure_latch latch;
    struct unique_strings pids; /* doubles, as bytes … */
    struct mapped_array earlier; /* … and struct process_life: the last program of each process that
                                  * continued as another one */
};

/* Initializes WALK. The first APART processes that exited are in no lane. */
void lane_walk_init(struct lane_walk *walk, size_t apart);
void lane_walk_free(struct lane_walk *walk);

/* Takes a member of "meta". */
void lane_walk_take_meta(struct lane_walk *walk, const char *name, const char *json, size_t length);

/* Returns 1 if THREAD is in the lane WALK->lane, 0 if not, or -ENOMEM. */
int lane_walk_take_thread(struct lane_walk *walk, const struct profile_thread *thread);

/* Returns the lane of the current process, whose threads came before; NULL: none. */
const struct lane_slot *lane_walk_slot(const struct lane_walk *walk);

/* Returns the CPU time in ms that the current process used as this program, from LOG, if its
 * earlier programs came before; negative: not known. */
double lane_walk_cpu_ms(const struct lane_walk *walk, const struct process_log *log);

/* Called at the end of a process, which LOG describes. Returns 0 or -ENOMEM. */
int lane_walk_end_process(struct lane_walk *walk, const struct process_log *log);

#endif
