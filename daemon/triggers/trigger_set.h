/* The triggers of a session, as a client asked for them. Pure. */
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
    uint64_t last_ms;  /* what a capture holds before its cause; 0: everything */
    bool is_always_on; /* of the session that is always on */
};

/* TEXTS are LENGTH bytes of triggers, each with its NUL; OUTPUT is OUTPUT_LENGTH bytes without one.
 * 0, or -EINVAL with a line for people in *REFUSAL. */
int trigger_set_read(const char *texts, size_t length, const char *output, size_t output_length,
                     uint64_t max_files, struct trigger_set *out, const char **refusal);

/* Those of the session that is always on, whose captures hold the last minute. 0; -ENOENT: there
 * are none; or -EINVAL with a line for people in *REFUSAL. */
int trigger_set_make_always_on(const struct always_on_triggers *always_on, struct trigger_set *out,
                               const char **refusal);

bool trigger_set_has(const struct trigger_set *set, enum trigger_kind kind);

/* Whether somebody may say NAME. */
bool trigger_set_has_name(const struct trigger_set *set, const char *name);

/* The markers of SET for agents, in order; there is room for all. */
void trigger_set_marker_lines(const struct trigger_set *set, char out[TRIGGER_LINES_BYTES]);

/* Marker INDEX of those lines; NULL: there is none. */
const struct trigger *trigger_set_marker(const struct trigger_set *set, uint64_t index);

#endif
