/* One range of time after the other from profd to the spool: a capture becomes rows, and rows
 * become batches. Delivering them is another's (delivery.h). One thread. */
#ifndef PROFD_PROFCTL_EXPORTER_H
#define PROFD_PROFCTL_EXPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/label_list.h"
#include "profctl/export/export_health.h"
#include "profctl/export/export_range.h"
#include "profctl/export/export_target.h"
#include "profctl/export/source_labels.h"
#include "profctl/export/spool.h"
#include "profctl/failure.h"
#include "profctl/symbols/symbol_cache.h"

/* Initialised by exporter_init(). */
struct exporter {
    const char *socket; /* profd's; NULL: the usual place */
    uint64_t every_ns;
    uint64_t timeout_ms;
    uint64_t covered_ns;    /* CLOCK_MONOTONIC: what was before is exported, or lost */
    bool is_covered_kept;   /* beside the spool, for the next exporter */
    int64_t clock_offset_s; /* that is added to this machine's time of day */
    struct spool *spool;    /* borrowed */
    struct export_target target;
    struct source_labels source;
    struct symbol_cache *symbols;
    struct export_health health; /* of the next row, as far as it is known */
    uint64_t told_lost_rows, told_lost_batches, told_torn, told_folded; /* in rows so far */
    uint64_t told_lost_blocks, told_cpu_ns, told_left_out, told_unsure;
    uint64_t told_crowded_out; /* in lines of text … */
    bool has_told_left_out;    /* … of which one is enough */
};

/* Exports what is recorded from now on, or since the last exporter with that spool, for a target
 * that is to be set. 0 or -ENOMEM. */
int exporter_init(struct exporter *exporter, const char *socket, const struct label_list *labels,
                  uint64_t every_ns, uint64_t timeout_ms, struct spool *spool);
void exporter_fini(struct exporter *exporter);

/* Both clocks, as rows have them. */
struct export_clocks exporter_clocks(const struct exporter *exporter);

/* Exports RANGE, if profd can be asked, and moves covered_ns behind it. False with FAILURE filled:
 * the range is still to be exported. */
bool exporter_take(struct exporter *exporter, const struct export_range *range,
                   struct failure *failure);

#endif
