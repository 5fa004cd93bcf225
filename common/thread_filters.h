/* Which threads the filters of a session, or of a capture, let through. Pure. */
#ifndef PROFD_COMMON_THREAD_FILTERS_H
#define PROFD_COMMON_THREAD_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What filters look at. */
struct thread_filter_subject {
    const char *name; /* not terminated */
    size_t name_length;
    bool is_main;    /* then it is called GeckoMain, too */
    int32_t process; /* id */
};

/* FILTERS are separated by commas: "*" stands for every thread, "pid:123" for those of that
 * process, anything else for those with that in their names, in whatever case. One that fits is
 * enough; no filters at all let every thread through. */
bool thread_filters_pass(const char *filters, const struct thread_filter_subject *subject);

/* Whether FILTERS, which somebody wrote down, mean something: there is at least one, and none that
 * begins with "pid:" names no process. Those who take filters from users refuse the others. */
bool thread_filters_are_valid(const char *filters);

#endif
