/* How profd and a salvage worker communicate: through a memory file that they share.
 *
 * The file is an array of jobs. The worker goes through them in order, writes each process's JSON
 * to its output (separated by commas), and marks the job. If the worker dies, the marks show how
 * far it got; its answers are checked against the output before they are used. */
#ifndef PROFD_DAEMON_SALVAGE_JOB_H
#define PROFD_DAEMON_SALVAGE_JOB_H

#include <stdint.h>

#include "json/gecko/gecko_process.h"

/* The descriptors that a worker starts with. */
enum {
    SALVAGE_JOBS_FD = 3,
    SALVAGE_OUTPUT_FD = 4,
    SALVAGE_STORE_FD = 5, /* the exit store, or the arena of one living process */
    SALVAGE_FDS = 3,      /* their number, from SALVAGE_JOBS_FD on */
};

enum { SALVAGE_REASON_BYTES = 120, SALVAGE_FILTERS_BYTES = 4096 + 1 };

enum salvage_mark {
    SALVAGE_NOT_DONE = 0,
    SALVAGE_WRITTEN = 1,
    SALVAGE_SKIPPED = 2, /* was empty, and could be left out */
    SALVAGE_FAILED = 3,  /* `error` says why; nothing of it is in the output */
};

struct salvage_job {
    uint64_t offset,
        bytes; /* of the arena in SALVAGE_STORE_FD, mapped from there; bytes 0: the whole file */
    uint64_t reference_ns, reference_unix_ns, capture_ns, since_ns, process_start_ns, end_ns;
    struct process_cpu_time cpu_time;
    uint32_t verdict; /* enum process_verdict */
    uint32_t outcome; /* the same */
    int32_t code;
    uint32_t later_images;
    uint32_t may_skip;                 /* leave it out if it has no samples or markers */
    uint32_t is_lost;                  /* the program that it became by exec ended unheard */
    char reason[SALVAGE_REASON_BYTES]; /* terminated; "": none */
    char title[ARENA_TITLE_BYTES];     /* terminated; "": as the arena says */
    char thread_filters[SALVAGE_FILTERS_BYTES]; /* terminated; "": all */
    /* The worker's answer. `mark` is stored last. */
    uint64_t output_end; /* where its JSON ends in the output */
    int32_t error;
    uint32_t mark;
};

#endif
