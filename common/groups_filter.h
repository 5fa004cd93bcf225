/* A choice of performance groups, as people write it.
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

/* Adds a condition, the BYTES at WORD, such as kind=tenant. False, with FILTER as it was: it is
 * none, its text is empty or too long, or FILTER has one of that sort. */
bool groups_filter_add(struct groups_filter *filter, const char *word, size_t bytes);

/* TEXT, conditions with commas between, as a filter. False with one line in PROBLEM that says what
 * it should be. */
bool groups_filter_parse(const char *text, struct groups_filter *out,
                         char problem[GROUPS_FILTER_PROBLEM_BYTES]);

/* Whether FILTER lets groups of KIND and NAME pass, and those of processes of NAME; the texts are
 * any bytes, and not terminated. */
bool groups_filter_passes_group(const struct groups_filter *filter, const char *kind,
                                size_t kind_bytes, const char *name, size_t name_bytes);
bool groups_filter_passes_process(const struct groups_filter *filter, const char *name,
                                  size_t name_bytes);

#endif
