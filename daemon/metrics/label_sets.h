/* A bounded collection of label sets (metric_text.h): readers of metrics keep each set for ever, so
 * their number must be limited. The first MOST sets get an index of their own; all others share
 * that of "other", and are counted.
 *
 * One thread. */
#ifndef PROFD_DAEMON_LABEL_SETS_H
#define PROFD_DAEMON_LABEL_SETS_H

#include <stdint.h>

#include "daemon/metrics/metric_text.h"
#include "json/failure_latch.h"
#include "json/unique_strings.h"

enum {
    LABEL_SETS_OTHER = 0, /* the index of all sets without one */
    LABEL_SETS_MOST_COUNTED = 1 << 16,
};

struct label_sets {
    struct unique_strings texts;
    struct failure_latch latch; /* if memory runs out, new sets are "other" */
    uint32_t most;              /* besides "other" */
    struct mapped_array folded; /* hashes of the "other" sets: a set of uint64_t */
    uint64_t folded_count;      /* up to LABEL_SETS_MOST_COUNTED */
};

/* OTHER is the label set for all that find no place. Returns 0 or -ENOMEM. label_sets_fini() is
 * needed either way. */
int label_sets_init(struct label_sets *sets, uint32_t most, const struct metric_labels *other);
/* Frees it; safe on a zeroed one. */
void label_sets_fini(struct label_sets *sets);

/* The index of LABELS, which never changes. */
uint32_t label_sets_place(struct label_sets *sets, const struct metric_labels *labels);

/* The number of indices in use, from 0 on. */
uint32_t label_sets_count(const struct label_sets *sets);

/* Copies the text at INDEX. */
void label_sets_get(const struct label_sets *sets, uint32_t index, struct metric_labels *out);

#endif
