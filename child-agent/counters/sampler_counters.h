/* Counters as the sampler records them: the changes since its last reading.
 *
 * Every chunk of the sampler contains the totals of all counters once, so that it can be read
 * alone, and after that only changes. Called under the sampler's lock. */
#ifndef PROFD_AGENT_SAMPLER_COUNTERS_H
#define PROFD_AGENT_SAMPLER_COUNTERS_H

#include "buffer/sample_encoder.h"
#include "buffer/sampler_entry.h"
#include "child-agent/counters/process_counters.h"

struct sampler_counters {
    uint64_t epoch; /* epoch of the chunk that has the totals; 0: none */
    struct counter_total written[COUNTERS_MAX];
    struct counter_total now[COUNTERS_MAX];
    struct process_counters process;
    uint8_t entry[COUNTERS_ENTRY_MAX_BYTES];
};

/* Starts the counters of a session with FEATURES. What was counted earlier does not belong to the
 * session. *COUNTERS is zeroed memory. */
void sampler_counters_begin(struct sampler_counters *counters, uint64_t features);

/* Reads all counters and writes those that changed after the latest tick; writes nothing before the
 * first tick. A change that finds no chunk is written with a later change. All signals must be
 * blocked. */
void sampler_counters_record(struct sampler_counters *counters, struct sample_encoder *encoder);

#endif
