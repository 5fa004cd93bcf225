/* What a session is asked to be. */
#ifndef PROFD_AGENT_SESSION_SETTINGS_H
#define PROFD_AGENT_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sampling_clock.h"
#include "common/trigger.h"

enum { SESSION_FILTERS_BYTES = 4096 };

/* Of a session that the process has by itself, whose settings say so; profd counts from 1. */
#define SESSION_OWN_GENERATION UINT32_MAX

struct session_settings {
    uint32_t generation; /* never 0 */
    uint32_t revision;   /* of what follows, which may change meanwhile; see session_word.h */
    uint64_t interval_ns;
    uint64_t limit_bytes;
    uint64_t features;                  /* enum feature */
    enum sampling_clock clock;          /* asked for */
    uint64_t allocation_interval_bytes; /* between sampled allocations; 0: the default */
    bool is_paused;
    bool is_sampling_paused; /* samples and counters alone */
    char filters[SESSION_FILTERS_BYTES];
    char marker_triggers[TRIGGER_LINES_BYTES]; /* lines of common/trigger.h */
};

#endif
