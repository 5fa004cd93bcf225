/* The CPU time of processes that no sample stands for: each program's is told once, in the range in
 * which the program ended.
 *
 * A range's capture shows only the range's samples, but a process' clock tells all that was ever
 * charged to it. So how much of the clock is accounted for is remembered from range to range for
 * each process that lives, or is not known to have ended. A process that is met when it has lived
 * for a while is accounted for up to then: rather too little is told than something twice. One
 * thread. */
#ifndef PROFD_PROFCTL_PROCESS_RESTS_H
#define PROFD_PROFCTL_PROCESS_RESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "profctl/profile/process_log.h"

#define REST_NOT_ENDED INT64_MAX

/* What a range is; times are on CLOCK_MONOTONIC, in ns, as below. */
struct rests_range {
    int64_t session_ns; /* the beginning of the session */
    int64_t from_ns, to_ns;
};

/* CPU time according to samples, as a capture shows them. */
struct rests_sampled {
    int64_t early_ns; /* before the range */
    int64_t told_ns;  /* in it */
    int64_t late_ns;  /* behind it; the next range tells them */
};

/* One program of a process, as a range's capture shows it. */
struct rest_image {
    double pid;          /* the kernel's */
    double later_images; /* of this pid in the capture */
    bool goes_on;        /* continues as another program, by exec */
    int64_t end_ns;      /* REST_NOT_ENDED: it lives */
    int64_t charged_ns;  /* to the process, until this program ended or the capture; … */
    int64_t before_ns;   /* … of that, what is none of the capture's. Negative: not known */
    struct rests_sampled sampled;
    uint32_t id; /* for the caller */

    int64_t rest_ns; /* to be told in this range */
};

/* A zeroed struct knows no process. */
struct process_rests {
    struct mapped_array known;      /* struct known_clock, sorted, as of the last range … */
    int64_t session_ns, covered_ns; /* … and when its session began, and it ended */
    struct mapped_array next;       /* the same for the range that was settled last … */
    int64_t next_session_ns, next_covered_ns; /* … until it is kept */
};

void process_rests_free(struct process_rests *rests);

/* Returns the image that LOG tells of; its times are ms behind REFERENCE_NS. */
struct rest_image rest_image_of(const struct process_log *log, int64_t reference_ns);

/* Returns whether something of IMAGE may have to be told in RANGE. */
bool process_rests_may_tell(const struct process_rests *rests, const struct rests_range *range,
                            const struct rest_image *image);

/* Sorts IMAGES (struct rest_image), all that the capture of RANGE has, and fills in their rests.
 * Returns 0 or -ENOMEM. */
int process_rests_settle(struct process_rests *rests, const struct rests_range *range,
                         struct mapped_array *images);

/* The range that was settled last is exported; without this call, it is to be settled again. */
void process_rests_keep(struct process_rests *rests);

#endif
