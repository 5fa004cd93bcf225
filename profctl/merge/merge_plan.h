/* Plans how captures are merged: prefixes of process names, corrections of clocks, changes of
 * process ids, and the time span of the result. Pure. */
#ifndef PROFD_PROFCTL_MERGE_PLAN_H
#define PROFD_PROFCTL_MERGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "profctl/failure.h"
#include "profctl/merge/merge_source.h"

enum { MERGE_MAX_SOURCES = 256 };

/* The time line of the merged file. */
struct merge_span {
    double start_unix_ms;    /* the earliest start, clocks corrected */
    double begin_ms, end_ms; /* of all profiling; NAN if a source does not tell */
    double interval_ms;      /* the shortest; NAN: not known */
};

/* Sets the hosts of COUNT sources to NAMES, which are comma-separated and in the order of the
 * sources. An empty name, and every name if NAMES is NULL, is replaced by the file name without its
 * ending, with a number added if another source has the same. Returns false with FAILURE filled. */
bool merge_plan_hosts(struct merge_source *sources, size_t count, const char *names,
                      struct failure *failure);

/* Sets the corrections from a comma-separated list of WHICH:TIME, where WHICH is a host or the
 * number of a source, counted from 1, and TIME has a sign. NULL: no corrections. Returns false with
 * FAILURE filled. */
bool merge_plan_offsets(struct merge_source *sources, size_t count, const char *offsets,
                        struct failure *failure);

/* Sets what is added to the process ids of each source: 0 if none of its processes has an id that
 * another source has, so that ids stay the same if possible. Returns 0 or -ENOMEM. */
int merge_plan_pids(struct merge_source *sources, size_t count);

/* Returns whether the sources can be merged: viewers know only one version and one unit for a file.
 * If not, FAILURE is filled. */
bool merge_plan_check(const struct merge_source *sources, size_t count, struct failure *failure);

struct merge_span merge_plan_span(const struct merge_source *sources, size_t count);

#endif
