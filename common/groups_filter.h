/* A filter for performance groups, as written by users.
 *
 *     kind=tenant,name=blue,process=server
 *
 * Pure; any thread. */
#ifndef PROFD_COMMON_GROUPS_FILTER_H
#define PROFD_COMMON_GROUPS_FILTER_H

#include <stdbool.h>
#include <stddef.h>

enum { GROUPS_FILTER_TEXT_BYTES = 256, GROUPS_FILTER_PROBLEM_BYTES = 160 };

/* Zeroed: all groups. */
struct groups_filter {
    char kind[GROUPS_FILTER_TEXT_BYTES];    /* "": any, as the next; it is the whole kind … */
    char name[GROUPS_FILTER_TEXT_BYTES];    /* … the whole name … */
    char process[GROUPS_FILTER_TEXT_BYTES]; /* … or a part of the process' */
};

/* Adds a condition, the BYTES at WORD, such as kind=tenant. Returns false, with FILTER unchanged,
 * if it is not a condition, its text is empty or too long, or FILTER already has one of that
 * sort. */
bool groups_filter_add(struct groups_filter *filter, const char *word, size_t bytes);

/* Parses TEXT, comma-separated conditions. Returns false with one line in PROBLEM that says what it
 * should be. */
bool groups_filter_parse(const char *text, struct groups_filter *out,
                         char problem[GROUPS_FILTER_PROBLEM_BYTES]);

/* Whether groups of KIND and NAME pass FILTER; and those in processes called NAME. The texts may be
 * any bytes, and are not terminated. */
bool groups_filter_passes_group(const struct groups_filter *filter, const char *kind,
                                size_t kind_bytes, const char *name, size_t name_bytes);
bool groups_filter_passes_process(const struct groups_filter *filter, const char *name,
                                  size_t name_bytes);

#endif
