/* How far the export got, in a way that no kill doubles a range or loses a part of it: the batches
 * of a range are in the spool as a whole, or the next exporter removes them and exports the range
 * again. One thread. */
#ifndef PROFD_PROFCTL_COVERAGE_H
#define PROFD_PROFCTL_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/spool.h"

struct coverage {
    struct spool *spool; /* borrowed */
    bool is_not_kept;    /* which was said */
};

/* Returns up to when everything is exported, according to the last exporter with SPOOL: NOW_NS if
 * there was none since the machine was started. Removes the batches of a range that it was killed
 * in. Times are on CLOCK_MONOTONIC. */
uint64_t coverage_resume(struct coverage *coverage, struct spool *spool, uint64_t now_ns);

/* Are called before the batches of a range that begins at COVERED_NS are added to the spool, and
 * when all before COVERED_NS is there. Reports if that cannot be kept. */
void coverage_begin(struct coverage *coverage, uint64_t covered_ns);
void coverage_end(struct coverage *coverage, uint64_t covered_ns);

#endif
