/* The triggers of a session, as requested by a client. Pure. */
#ifndef PROFD_DAEMON_TRIGGER_SET_H
#define PROFD_DAEMON_TRIGGER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/output_pattern.h"
#include "common/trigger.h"
#include "daemon/always_on_triggers.h"

enum { TRIGGER_SET_DEFAULT_FILES = 10, TRIGGER_SET_ALWAYS_ON_LAST_MS = 60 * 1000 };

struct trigger_set {
    size_t count;
    struct trigger triggers[TRIGGERS_MAX];
    char output[OUTPUT_PATTERN_BYTES]; /* "": nothing triggers */
    uint64_t max_files;
    uint64_t last_ms;  /* how much a capture covers before its cause; 0: everything */
    bool is_always_on; /* of the session that is always on */
};

/* Reads triggers from TEXTS, LENGTH bytes in which each trigger is terminated by NUL, and their
 * pattern from OUTPUT, OUTPUT_LENGTH bytes without a NUL. Returns 0, or -EINVAL with a line for
 * people in *REFUSAL. */
int trigger_set_read(const char *texts, size_t length, const char *output, size_t output_length,
                     uint64_t max_files, struct trigger_set *out, const char **refusal);

/* Makes the triggers of the session that is always on, whose captures cover the last minute.
 * Returns 0; -ENOENT if there are none; or -EINVAL with a line for people in *REFUSAL. */
int trigger_set_make_always_on(const struct always_on_triggers *always_on, struct trigger_set *out,
                               const char **refusal);

bool trigger_set_has(const struct trigger_set *set, enum trigger_kind kind);

/* Whether there is a trigger name:NAME. */
bool trigger_set_has_name(const struct trigger_set *set, const char *name);

/* Writes the marker triggers of SET for agents, in order; there is room for all. */
void trigger_set_marker_lines(const struct trigger_set *set, char out[TRIGGER_LINES_BYTES]);

/* The trigger of line INDEX; NULL: there is none. */
const struct trigger *trigger_set_marker(const struct trigger_set *set, uint64_t index);

#endif
