/* Exports one range of time after the other from profd to the spool: a capture becomes rows, and
 * rows become batches. delivery.h delivers them. One thread. */
#ifndef PROFD_PROFCTL_EXPORTER_H
#define PROFD_PROFCTL_EXPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/label_list.h"
#include "profctl/export/coverage.h"
#include "profctl/export/export_health.h"
#include "profctl/export/export_range.h"
#include "profctl/export/export_target.h"
#include "profctl/export/lost_blocks.h"
#include "profctl/export/process_rests.h"
#include "profctl/export/source_labels.h"
#include "profctl/export/spool.h"
#include "profctl/failure.h"
#include "profctl/symbols/symbol_cache.h"

/* Initialised by exporter_init(). */
struct exporter {
    const char *socket; /* profd's; NULL: the default */
    uint64_t every_ns;
    uint64_t timeout_ms;
    uint64_t covered_ns;    /* CLOCK_MONOTONIC: everything before is exported or lost */
    int64_t clock_offset_s; /* added to this machine's wall clock */
    struct spool *spool;    /* borrowed */
    struct coverage coverage;
    struct export_target target;
    struct source_labels source;
    struct process_rests rests;
    struct lost_blocks losses;
    struct symbol_cache *symbols;
    struct export_health health; /* for the next row, as far as it is known */
    uint64_t told_lost_rows, told_lost_batches, told_torn,
        told_folded; /* reported in rows so far */
    uint64_t told_cpu_ns, told_left_out, told_unsure;
    uint64_t told_crowded_out, told_dropped; /* reported in messages … */
    bool has_told_left_out;                  /* … of which one is enough */
};

/* Initializes EXPORTER to export what is recorded from now on, or since the last exporter with that
 * spool stopped. The target is to be set by the caller. Returns 0 or -ENOMEM. */
int exporter_init(struct exporter *exporter, const char *socket, const struct label_list *labels,
                  uint64_t every_ns, uint64_t timeout_ms, struct spool *spool);
void exporter_fini(struct exporter *exporter);

/* Reads both clocks, as used in rows. */
struct export_clocks exporter_clocks(const struct exporter *exporter);

/* Exports RANGE, if profd can be reached, and advances covered_ns past it. Returns false with
 * FAILURE filled if the range is still to be exported. */
bool exporter_take(struct exporter *exporter, const struct export_range *range,
                   struct failure *failure);

#endif
