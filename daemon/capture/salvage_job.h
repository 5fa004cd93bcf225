/* What profd tells a salvage worker, and what the worker tells profd: one file of memory they
 * share.
 *
 * An array of jobs; the worker goes through them in order, writes each process's JSON to its output
 * (with a comma between two), and marks the job. When the worker dies in the middle, the marks tell
 * how far it came; what it says is checked against the output before it is used. */
#ifndef PROFD_DAEMON_SALVAGE_JOB_H
#define PROFD_DAEMON_SALVAGE_JOB_H

#include <stdint.h>

#include "json/gecko/gecko_process.h"

/* The descriptors of a worker, as it finds them. */
enum {
    SALVAGE_JOBS_FD = 3,
    SALVAGE_OUTPUT_FD = 4,
    SALVAGE_STORE_FD = 5, /* the exit store, or the one arena of a process that lives */
    SALVAGE_FDS = 3,      /* so many, from SALVAGE_JOBS_FD on */
};

enum { SALVAGE_REASON_BYTES = 120, SALVAGE_FILTERS_BYTES = 4096 + 1 };

enum salvage_mark {
    SALVAGE_NOT_DONE = 0,
    SALVAGE_WRITTEN = 1,
    SALVAGE_SKIPPED = 2, /* held nothing, and was allowed to be left out */
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
    uint32_t may_skip;                 /* leave it out when it holds neither samples nor markers */
    uint32_t is_lost;                  /* what it became by exec is gone without a word */
    char reason[SALVAGE_REASON_BYTES]; /* terminated; "": none */
    char title[ARENA_TITLE_BYTES];     /* terminated; "": as the arena says */
    char thread_filters[SALVAGE_FILTERS_BYTES]; /* terminated; "": all */
    /* The worker's answer. `mark` is stored last. */
    uint64_t output_end; /* where its JSON ends in the output */
    int32_t error;
    uint32_t mark;
};

#endif
