/* How captures become one: whose processes are called what, by how much clocks are corrected, which
 * ids are taken, and from when to when the whole is. Pure. */
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
    double begin_ms, end_ms; /* of all profiling; NAN where somebody does not tell */
    double interval_ms;      /* the shortest; NAN: not known */
};

/* Sets the hosts of COUNT sources: those of NAMES, separated by commas, in the order of the
 * sources; one that is empty, and all without NAMES (NULL), is the name of the file without its
 * ending, and with a number where another has it. False with FAILURE filled. */
bool merge_plan_hosts(struct merge_source *sources, size_t count, const char *names,
                      struct failure *failure);

/* Sets the corrections, from a list with commas of WHICH:TIME, where WHICH is a host or the number
 * of a source, from 1 on, and TIME has a sign. NULL: none is corrected. False with FAILURE
 * filled. */
bool merge_plan_offsets(struct merge_source *sources, size_t count, const char *offsets,
                        struct failure *failure);

/* Sets what is added to the process ids of each source: 0 where none of its processes has an id
 * that another source has, so that ids stay what they are where they can. 0 or -ENOMEM. */
int merge_plan_pids(struct merge_source *sources, size_t count);

/* Whether the sources can be one file: viewers know one version and one unit for all of it. False
 * with FAILURE filled. */
bool merge_plan_check(const struct merge_source *sources, size_t count, struct failure *failure);

struct merge_span merge_plan_span(const struct merge_source *sources, size_t count);

#endif
