/* Triggers: what makes profd write a capture automatically, in the form used in messages. Pure.
 *
 * A trigger is a string: "signal", "exit", "SIGUSR2", "name:NAME", "marker:NAME:NANOSECONDS",
 * "jank:RULE", "delay:TIME", or "cpu:PERCENT%/TIME". The marker triggers of a session are sent to
 * agents as one text, with a line "NANOSECONDS:NAME" for each. */
#ifndef PROFD_COMMON_TRIGGER_H
#define PROFD_COMMON_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/group_alert_rule.h"

enum {
    TRIGGERS_MAX = 16,          /* of a session */
    TRIGGER_NAME_BYTES = 64,    /* the longest name, with its NUL */
    TRIGGER_RULE_BYTES = 512,   /* the longest rule, with its NUL */
    TRIGGER_TEXT_BYTES = 528,   /* the longest trigger, with its NUL */
    TRIGGER_LINES_BYTES = 2048, /* the longest list of markers, with its NUL */
};

enum trigger_kind {
    TRIGGER_SIGNAL,  /* a process dies by a signal */
    TRIGGER_SIGUSR2, /* profd gets that signal */
    TRIGGER_NAME,    /* somebody calls the name */
    TRIGGER_MARKER,  /* a marker of the name lasts longer than the duration */
    TRIGGER_EXIT,    /* a process exits with a status other than 0 */
    TRIGGER_JANK,    /* a performance group is janky, by a rule (ipc/groups/group_alert.h) … */
    TRIGGER_DELAY,   /* … or an event loop is, on the wall */
    TRIGGER_CPU      /* a process uses too much of a processor */
};

struct trigger {
    enum trigger_kind kind;
    union {
        char name[TRIGGER_NAME_BYTES]; /* NAME, MARKER; "" otherwise */
        char rule[TRIGGER_RULE_BYTES]; /* JANK, DELAY, CPU: what follows the colon */
    };
    uint64_t duration_ns; /* MARKER; 0 otherwise */
};

/* When a process uses too much. */
struct trigger_cpu {
    uint64_t percent;   /* of one processor: more than 100 with several threads … */
    uint64_t within_ns; /* … on average over so long */
};

/* Whether NAME may be a trigger's or a marker's: 1 to TRIGGER_NAME_BYTES - 1 bytes, none of them a
 * control character. */
bool trigger_name_is_valid(const char *name, size_t length);

/* Whether triggers of KIND have a rule, and not a name. */
bool trigger_has_rule(enum trigger_kind kind);

/* Sets the rule of TRIGGER, which has one, to RULE of LENGTH bytes. Returns false if that is too
 * long, or not text. */
bool trigger_set_rule(struct trigger *trigger, const char *rule, size_t length);

/* Parses TEXT of LENGTH bytes. Returns 0 or -EINVAL. */
int trigger_parse(const char *text, size_t length, struct trigger *out);

/* Gets the rule of a JANK or DELAY trigger: "64ms" means cpu>64ms and, for a delay, wall>64ms of a
 * thread. Returns false with one line in PROBLEM. */
bool trigger_alert(const struct trigger *trigger, struct group_alert_rule *out,
                   char problem[GROUP_ALERT_PROBLEM_BYTES]);

/* Gets the rule of a CPU trigger: "80%/10s", or "80%", which means over one second. Returns false
 * if it is invalid. */
bool trigger_cpu(const struct trigger *trigger, struct trigger_cpu *out);

/* Writes TRIGGER as trigger_parse() reads it. */
void trigger_format(const struct trigger *trigger, char out[TRIGGER_TEXT_BYTES]);

/* Appends a MARKER trigger to LINES, which is terminated. 0, or -ENOSPC. */
int trigger_add_line(char lines[TRIGGER_LINES_BYTES], const struct trigger *trigger);

/* Reads the next line of *LINES, of *LENGTH bytes, which both move past it. Returns 1 with *OUT, 0
 * at the end, or -EINVAL for an invalid line. */
int trigger_next_line(const char **lines, size_t *length, struct trigger *out);

#endif
