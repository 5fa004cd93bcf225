#include "daemon/triggers/trigger_set.h"

#include <errno.h>
#include <string.h>

/* A line of agents' text: nanoseconds, a colon, a name, and its end. */
enum { LINE_BYTES = 20 + 1 + TRIGGER_NAME_BYTES + 1 };
_Static_assert((int)TRIGGERS_MAX *(int)LINE_BYTES <= (int)TRIGGER_LINES_BYTES, "all markers fit");

static int set_refusal(const char **refusal, const char *text)
{
    *refusal = text;
    return -EINVAL;
}

int trigger_set_read(const char *texts, size_t length, const char *output, size_t output_length,
                     uint64_t max_files, struct trigger_set *out, const char **refusal)
{
    *out =
        (struct trigger_set){ .max_files = max_files > 0 ? max_files : TRIGGER_SET_DEFAULT_FILES };
    if (output_length >= sizeof(out->output))
        return set_refusal(refusal, "the pattern of --output is too long");
    memcpy(out->output, output, output_length);
    if (output_length > 0 && output_pattern_check(out->output, NULL) < 0)
        return set_refusal(refusal, "--output is not a valid pattern");
    if (output_length == 0 && length > 0)
        return set_refusal(refusal, "triggers need --output, a pattern for the names of captures");
    for (size_t used = 0; used < length;) {
        size_t bytes = strnlen(texts + used, length - used);
        if (out->count == TRIGGERS_MAX)
            return set_refusal(refusal, "too many triggers; a session can have at most 16");
        if (trigger_parse(texts + used, bytes, &out->triggers[out->count]) < 0)
            return set_refusal(refusal, "unknown trigger");
        out->count++;
        used += bytes + 1;
    }
    return 0;
}

int trigger_set_make_always_on(const struct always_on_triggers *always_on, struct trigger_set *out,
                               const char **refusal)
{
    const char *output = always_on->output != NULL ? always_on->output : OUTPUT_PATTERN_DEFAULT;

    *out = (struct trigger_set){ .max_files = TRIGGER_SET_DEFAULT_FILES,
                                 .last_ms = TRIGGER_SET_ALWAYS_ON_LAST_MS,
                                 .is_always_on = true };
    if (always_on->count == 0)
        return always_on->output == NULL
                   ? -ENOENT
                   : set_refusal(refusal, "--trigger-output requires --trigger");
    if (strlen(output) >= sizeof(out->output) || output_pattern_check(output, NULL) < 0)
        return set_refusal(refusal, "--trigger-output " OUTPUT_PATTERN_RULE);
    strcpy(out->output, output); /* as checked above */
    memcpy(out->triggers, always_on->triggers, sizeof(out->triggers));
    out->count = always_on->count;
    return 0;
}

bool trigger_set_has(const struct trigger_set *set, enum trigger_kind kind)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->triggers[i].kind == kind)
            return true;
    }
    return false;
}

bool trigger_set_has_name(const struct trigger_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->triggers[i].kind == TRIGGER_NAME && strcmp(set->triggers[i].name, name) == 0)
            return true;
    }
    return false;
}

void trigger_set_marker_lines(const struct trigger_set *set, char out[TRIGGER_LINES_BYTES])
{
    out[0] = '\0';
    for (size_t i = 0; i < set->count; i++) {
        if (set->triggers[i].kind == TRIGGER_MARKER)
            (void)trigger_add_line(out, &set->triggers[i]); /* it fits, as asserted above */
    }
}

const struct trigger *trigger_set_marker(const struct trigger_set *set, uint64_t index)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->triggers[i].kind == TRIGGER_MARKER && index-- == 0)
            return &set->triggers[i];
    }
    return NULL;
}
