/* A bounded set of sets of labels (metric_text.h): who reads metrics keeps each for ever, so there
 * may only be so many. The first MOST that come have an index of their own; all others share that
 * of "other", and are counted.
 *
 * One thread. */
#ifndef PROFD_DAEMON_LABEL_SETS_H
#define PROFD_DAEMON_LABEL_SETS_H

#include <stdint.h>

#include "daemon/metrics/metric_text.h"
#include "json/failure_latch.h"
#include "json/unique_strings.h"

enum {
    LABEL_SETS_OTHER = 0, /* the index of all that have none */
    LABEL_SETS_MOST_COUNTED = 1 << 16,
};

struct label_sets {
    struct unique_strings texts;
    struct failure_latch latch; /* without memory all that is new is "other" */
    uint32_t most;              /* besides "other" */
    struct mapped_array folded; /* hashes of those that are "other"; a set of uint64_t */
    uint64_t folded_count;      /* up to LABEL_SETS_MOST_COUNTED */
};

/* OTHER is the set of all that find no place. 0 or -ENOMEM. Needs label_sets_fini() either way. */
int label_sets_init(struct label_sets *sets, uint32_t most, const struct metric_labels *other);
/* Frees it; safe on a zeroed one. */
void label_sets_fini(struct label_sets *sets);

/* The index of LABELS, which stays. */
uint32_t label_sets_place(struct label_sets *sets, const struct metric_labels *labels);

/* From 0 on; those below are in use. */
uint32_t label_sets_count(const struct label_sets *sets);

/* Copies the text at INDEX. */
void label_sets_get(const struct label_sets *sets, uint32_t index, struct metric_labels *out);

#endif
