/* The blocks that processes lost: each is counted once, in the range in which it was seen.
 *
 * A capture tells of each process how many it has lost since it began. So that is remembered from
 * range to range, also for processes that a capture does not have, since they may be in the next
 * one. Of a process that is met when it has lived for a while, what it lost before is not counted:
 * an exporter before this one may have. Pure. */
#ifndef PROFD_PROFCTL_LOST_BLOCKS_H
#define PROFD_PROFCTL_LOST_BLOCKS_H

#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/export/process_rests.h"
#include "profctl/profile/process_log.h"

/* One program of a process: no other has its pid and beginning. */
struct losing_process {
    double pid;       /* the kernel's */
    int64_t start_ns; /* of its agent, on CLOCK_MONOTONIC */
    uint64_t blocks;  /* lost since then */
};

/* A zeroed struct knows no process. */
struct lost_blocks {
    struct mapped_array known; /* struct known_losses, sorted, as of the last range … */
    int64_t session_ns;        /* … and when its session began */
    struct mapped_array next;  /* the same for the range that was settled last … */
    int64_t next_session_ns;   /* … until it is kept */
};

void lost_blocks_free(struct lost_blocks *losses);

/* Adds what LOG, whose times are ms behind REFERENCE_NS, says to PROCESSES (struct losing_process),
 * if it says which process it is and what that lost. Returns 0 or -ENOMEM. */
int lost_blocks_note(const struct process_log *log, int64_t reference_ns,
                     struct mapped_array *processes);

/* Sorts PROCESSES, all that the capture of RANGE has. *GROWN is how many blocks they lost that were
 * not counted before. Returns 0 or -ENOMEM. */
int lost_blocks_settle(struct lost_blocks *losses, const struct rests_range *range,
                       struct mapped_array *processes, uint64_t *grown);

/* The range that was settled last is exported; without this call, it is to be settled again. */
void lost_blocks_keep(struct lost_blocks *losses);

#endif
