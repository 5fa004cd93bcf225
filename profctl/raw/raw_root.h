/* The beginning and the end of the JSON of a raw capture whose own are missing. One thread. */
#ifndef PROFD_PROFCTL_RAW_ROOT_H
#define PROFD_PROFCTL_RAW_ROOT_H

#include <stdint.h>

#include "json/json_writer.h"

/* What processes tell of the whole. Times are CLOCK_MONOTONIC ns. */
struct raw_root {
    uint64_t reference_ns, reference_unix_ns; /* the capture's time zero */
    uint64_t capture_ns;                      /* of the last process; 0: not known */
};

/* Writes what stands before the first element of "processes": a root that has nothing of its own.
 * Errors go to the writer's latch. */
void raw_root_begin(struct json_writer *writer);

/* Writes what stands behind the last element of "processes", with a "meta" that tells no more than
 * ROOT. Errors go to the writer's latch. */
void raw_root_end(struct json_writer *writer, const struct raw_root *root);

#endif
