/* Which range of time is exported next. Ranges follow each other without gap or overlap on
 * CLOCK_MONOTONIC, and end where minutes of the wall clock do: when that one is set, the rows of
 * the next range begin elsewhere, and nothing is counted twice. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_RANGE_H
#define PROFD_PROFCTL_EXPORT_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Readings of both clocks, taken together. */
struct export_clocks {
    uint64_t monotonic_ns;
    int64_t unix_ns; /* as the exported rows have it */
};

struct export_range {
    uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
    uint64_t ask_last_ms;    /* of profd: the range, and a little before it */
    uint64_t lost_ms;        /* before FROM_NS: too long ago to be asked for */
};

enum {
    EXPORT_GRACE_MS = 1500,   /* until what a minute recorded can be read */
    EXPORT_OVERLAP_MS = 2000, /* what the weights of a range's first samples need */
    /* That profd is asked for at once; two minutes of EVERY_NS where those are longer. */
    EXPORT_MAX_MS = 10 * 60 * 1000,
};

/* The range from COVERED_NS to the end of the last minute of EVERY_NS that is over. False: there is
 * none yet, or less than half a minute, which is the clocks' disagreement or comes with the next.
 */
bool export_range_next(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out);

/* What is left of it at the end of an exporter: up to NOW. False: nothing. */
bool export_range_rest(uint64_t covered_ns, uint64_t every_ns, const struct export_clocks *now,
                       struct export_range *out);

/* How long until that is worth another look, in ms; at least 1. */
uint64_t export_range_wait_ms(uint64_t every_ns, const struct export_clocks *now);

#endif
