/* Decides which threads pass the filters of a session or of a capture. Pure. */
#ifndef PROFD_COMMON_THREAD_FILTERS_H
#define PROFD_COMMON_THREAD_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The properties that filters look at. */
struct thread_filter_subject {
    const char *name; /* not terminated */
    size_t name_length;
    bool is_main;    /* then "GeckoMain" is also its name */
    int32_t process; /* id */
};

/* FILTERS are comma-separated: "*" stands for every thread, "pid:123" for those of that process,
 * and anything else for those with that text in their names, ignoring case. One match is enough.
 * Without filters every thread passes. */
bool thread_filters_pass(const char *filters, const struct thread_filter_subject *subject);

/* Whether FILTERS from a user are valid: there is at least one, and every one that begins with
 * "pid:" names a process. Others are to be refused. */
bool thread_filters_are_valid(const char *filters);

#endif
