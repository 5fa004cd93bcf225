/* The names of the captures that triggers write: a pattern, with these placeholders. Pure.
 *
 *     %p  id of the process that the event is about, or else profd's own
 *     %t  time, in seconds since the epoch
 *     %e  what happened: the signal's, marker's or trigger's name
 *     %n  1 for the session's first capture, 2 for the next …
 *     %%  a percent sign */
#ifndef PROFD_COMMON_OUTPUT_PATTERN_H
#define PROFD_COMMON_OUTPUT_PATTERN_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define OUTPUT_PATTERN_DEFAULT "profile-%t-%e-%n.json.gz"

/* What output_pattern_check() requires, as plain text, not as a format. */
#define OUTPUT_PATTERN_RULE "must end in .json or .json.gz, and may contain %p, %t, %e, %n and %%"

enum { OUTPUT_PATTERN_BYTES = 1024 }; /* the longest pattern, with its NUL */

struct output_event {
    pid_t pid;
    int64_t unix_s;
    const char *name; /* anything; what cannot be in a file's name becomes '_' */
    uint64_t number;
};

/* Checks PATTERN. Returns 0; -EINVAL for a % before another letter, which is then in *LETTER, or at
 * the end (*LETTER is '\0'); -ENAMETOOLONG if it is too long; -ENOENT if the name would not end in
 * .json or .json.gz. LETTER may be NULL. */
int output_pattern_check(const char *pattern, char *letter);

/* Writes the name for EVENT to OUT. Returns 0, an error as above, or -ENAMETOOLONG. */
int output_pattern_expand(const char *pattern, const struct output_event *event,
                          char out[PATH_MAX]);

/* Whether NAME is ENDING with something before it. */
bool output_name_ends_in(const char *name, const char *ending);

#endif
