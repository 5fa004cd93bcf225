/* Decides which range of time is exported next. Ranges follow each other without gap or overlap on
 * CLOCK_MONOTONIC, and end at minutes of the wall clock. If the wall clock is set, the rows of the
 * next range begin elsewhere, and nothing is counted twice. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_RANGE_H
#define PROFD_PROFCTL_EXPORT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Readings of both clocks, taken together. */
struct export_clocks {
    uint64_t monotonic_ns;
    int64_t unix_ns; /* as in the exported rows */
};

struct export_range {
    uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
    uint64_t ask_last_ms;    /* how far back to ask profd: the range, and a little before it */
    uint64_t lost_ms;        /* before FROM_NS: too long ago to be requested */
};

enum {
    EXPORT_GRACE_MS = 1500,   /* delay until the recordings of a minute can be read */
    EXPORT_OVERLAP_MS = 2000, /* needed to weigh the first samples of a range */
    /* The most that is requested from profd at once; or two minutes of EVERY_NS, if those are
     * longer. */
    EXPORT_MAX_MS = 10 * 60 * 1000,
};

/* Computes the range from COVERED_NS to the end of the last complete minute of EVERY_NS. Returns
 * false if there is none yet, or less than half a minute, which is either due to a difference of
 * the clocks or is exported with the next range. */
bool export_range_next(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out);

/* Computes the range up to NOW, for the end of an exporter. Returns false if it is empty. */
bool export_range_rest(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out);

/* Returns after how many ms to try again; at least 1. */
uint64_t export_range_wait_ms(uint64_t every_ns, const struct export_clocks *now);

#endif
