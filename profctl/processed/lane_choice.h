/* Chooses the lane of a process that has exited: the processes of one program share lanes, in each
 * of which they follow one another. Running processes are in no lane, and neither are the first
 * exited ones, as many as are to be shown separately. The contents of lanes are up to the user.
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_LANE_CHOICE_H
#define PROFD_PROFCTL_LANE_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/profile/profile_walk.h"

/* How many exited processes are shown separately by default. */
enum { LANES_APART = 200 };

/* A track of a lane: threads of its processes that have the same name and the same position. */
struct lane_track {
    char *name;     /* owned; NULL: it has none */
    double tid;     /* of its thread in the first process */
    size_t process; /* number of the process in the lane that used the track last */
};

struct lane_slot {
    char *program;              /* owned */
    size_t processes;           /* number of processes in it, … */
    double pid, last_pid;       /* … the ids of the first and the last one, … */
    double since_ms, until_ms;  /* … and begin and end of the last one */
    struct mapped_array tracks; /* struct lane_track */
};

/* Zeroed except for `apart`. */
struct lane_choice {
    struct mapped_array slots; /* struct lane_slot; the index is the number of the lane */
    size_t apart;              /* how many of the next exited processes are in no lane */
};

void lane_choice_free(struct lane_choice *choice);

/* Returns 1 if a process is in a lane, 0 if not, or -ENOMEM. THREAD is its first thread, and END_MS
 * (NAN: it has not ended) its end. *LANE is the number of the lane, which is an existing or the
 * next one. */
int lane_choice_enter(struct lane_choice *choice, const struct profile_thread *thread,
                      double end_ms, uint32_t *lane);

/* Stores the track of THREAD, of the process that entered LANE last, in *TRACK; it is an existing
 * or the next one. The lane is occupied until the last sample of the thread, which may be later
 * than the end of the process. Returns 0 or -ENOMEM. */
int lane_choice_add_thread(struct lane_choice *choice, uint32_t lane,
                           const struct profile_thread *thread, uint32_t *track);

/* Return the lane with that number, and its track at INDEX; valid until something is added. */
const struct lane_slot *lane_choice_at(const struct lane_choice *choice, uint32_t lane);
const struct lane_track *lane_track_at(const struct lane_slot *slot, uint32_t index);

/* Writes the name of the processes of SLOT, "cc1" or "cc1 (31 processes)", to BUFFER of BYTES. */
void lane_slot_name(const struct lane_slot *slot, char *buffer, size_t bytes);

#endif
