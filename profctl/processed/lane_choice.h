/* Which lane a process that exited goes to: the processes of one program share lanes, in each of
 * which they come one after the other. Who still runs is in none, and so are those that exited
 * first, as many as are to be seen apart. What a lane holds is its user's.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_LANE_CHOICE_H
#define PROFD_PROFCTL_LANE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/profile/profile_walk.h"

/* How many exited processes have a lane of their own by default. */
enum { LANES_APART = 200 };

/* What the processes of a lane have threads for: those that have one name and come at one place. */
struct lane_track {
    char *name;     /* owned; NULL: it has none */
    double tid;     /* of the first process that has it */
    size_t process; /* of the lane, whose thread is on it now */
};

struct lane_slot {
    char *program;              /* owned */
    size_t processes;           /* in it, … */
    double pid, last_pid;       /* … the ids of the first and the last of them, … */
    double since_ms, until_ms;  /* … and when the last one began and ended */
    struct mapped_array tracks; /* struct lane_track */
};

/* Zeroed but for `apart`. */
struct lane_choice {
    struct mapped_array slots; /* struct lane_slot: a lane's number is its index */
    size_t apart;              /* so many that exit next are in none */
};

void lane_choice_free(struct lane_choice *choice);

/* Whether the process whose first thread is THREAD, and which ended at END_MS (NAN: it did not), is
 * in a lane, whose number is then in *LANE: one that was there before, or the next. 1, 0, or
 * -ENOMEM. */
int lane_choice_enter(struct lane_choice *choice, const struct profile_thread *thread,
                      double end_ms, uint32_t *lane);

/* The track of THREAD, of the process that entered LANE last, is in *TRACK: one that was there
 * before, or the next. The lane is taken until the last of its samples, which may be told later
 * than the end of the process. 0 or -ENOMEM. */
int lane_choice_add_thread(struct lane_choice *choice, uint32_t lane,
                           const struct profile_thread *thread, uint32_t *track);

/* The lane with that number, and its track at INDEX; valid until something is added. */
const struct lane_slot *lane_choice_at(const struct lane_choice *choice, uint32_t lane);
const struct lane_track *lane_track_at(const struct lane_slot *slot, uint32_t index);

/* What the processes of SLOT are called: "cc1", or "cc1 (31 processes)", in BUFFER of BYTES. */
void lane_slot_name(const struct lane_slot *slot, char *buffer, size_t bytes);

#endif
