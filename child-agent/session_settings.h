/* The settings of a session. */
#ifndef PROFD_AGENT_SESSION_SETTINGS_H
#define PROFD_AGENT_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/sampling_clock.h"
#include "common/trigger.h"

enum { SESSION_FILTERS_BYTES = 4096 };

/* The generation of a session that the process has started itself. profd counts from 1. */
#define SESSION_OWN_GENERATION UINT32_MAX

struct session_settings {
    uint32_t generation; /* never 0 */
    uint32_t revision;   /* of the following members, which may change during the session; see
                          * session_word.h */
    uint64_t interval_ns;
    uint64_t limit_bytes;
    uint64_t features;                  /* enum feature */
    enum sampling_clock clock;          /* the requested clock */
    uint64_t allocation_interval_bytes; /* between sampled allocations; 0: the default */
    bool is_paused;
    bool is_sampling_paused; /* only samples and counters are paused */
    /* Texts are last: see below. */
    char marker_triggers[TRIGGER_LINES_BYTES]; /* lines of common/trigger.h */
    char filters[SESSION_FILTERS_BYTES];
};

_Static_assert(sizeof(struct session_settings) - offsetof(struct session_settings, filters) -
                       SESSION_FILTERS_BYTES <
                   _Alignof(struct session_settings),
               "a member behind the texts would not be copied");

/* Clears OUT, and of its texts what ends them. */
static inline void session_settings_clear(struct session_settings *out)
{
    memset(out, 0, offsetof(struct session_settings, marker_triggers));
    out->marker_triggers[0] = out->filters[0] = '\0';
}

/* Copies FROM, and of its texts only what they have: mostly nothing, and a page that is not touched
 * costs nothing. OUT and FROM are different. */
static inline void session_settings_copy(struct session_settings *out,
                                         const struct session_settings *from)
{
    memcpy(out, from, offsetof(struct session_settings, marker_triggers));
    strcpy(out->marker_triggers, from->marker_triggers);
    strcpy(out->filters, from->filters);
}

#endif
