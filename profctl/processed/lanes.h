/* Lanes: processes of one program that ran one after the other, as one process of the profile, with
 * a marker for each of them. A build of thousands of compilers stays a page that people can read.
 *
 * Who still runs has a process of its own, and so have those that exited first, as many as are
 * to be seen apart. One thread. */
#ifndef PROFD_PROFCTL_LANES_H
#define PROFD_PROFCTL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/processed/thread_rows.h"
#include "profctl/profile/process_log.h"
#include "json/mapped_array.h"

/* A thread of a lane: those of its processes that have one name and come at one place. */
struct lane_thread {
    char *name; /* owned; NULL: it has none */
    double tid; /* of the first */
    double register_ms, unregister_ms;
    size_t process; /* of the lane, whose thread was added last */
    struct thread_rows rows;
};

struct lane {
    char *program;                     /* owned */
    size_t processes;                  /* in it, … */
    double pid, last_pid;              /* … the ids of the first and the last of them, … */
    double since_ms, until_ms;         /* … and when the last one began and ended */
    double cpu_ns;                     /* that the kernel charged to all of them */
    struct mapped_array threads;       /* struct lane_thread */
    bool has_ranges;                   /* of the last one, below */
    struct mapped_array paused_ranges; /* char: elements of an array */
};

struct lanes {
    struct mapped_array lanes; /* struct lane */
    size_t apart;              /* so many that exit next are in none */
};

/* The first APART processes that exited are in no lane. */
void lanes_init(struct lanes *lanes, size_t apart);
void lanes_free(struct lanes *lanes);

/* Whether the process whose first thread is THREAD, and which ended at END_MS (NAN: it did not), is
 * in a lane, whose number is then in *LANE. 1, 0, or -ENOMEM. */
int lanes_enter(struct lanes *lanes, const struct profile_thread *thread, double end_ms,
                uint32_t *lane);

/* Adds a thread of the process that entered LANE last, whose samples and markers SOURCE has. 0 or
 * an error as thread_rows_add(). */
int lanes_add_thread(struct lanes *lanes, uint32_t lane, const struct payload_source *source);

/* That process has ended, as LOG tells: marks it on the lane's first thread. 0 or -ENOMEM. */
int lanes_mark_process(struct lanes *lanes, uint32_t lane, const struct process_log *log,
                       struct shared_tables *tables);

/* The lane with that number, and its thread at INDEX; valid until something is added. */
const struct lane *lanes_at(const struct lanes *lanes, size_t lane);
const struct lane_thread *lane_thread_at(const struct lane *lane, size_t index);

/* What the lane's processes are called: "cc1", or "cc1 (31 processes)", in BUFFER of BYTES. */
void lane_name(const struct lane *lane, char *buffer, size_t bytes);

/* The schema of the markers, a "markerSchema" of a Gecko profile. */
extern const char lane_marker_schema[];

#endif
