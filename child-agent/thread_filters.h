/* Which threads a session's filters let through. Pure. */
#ifndef PROFD_AGENT_THREAD_FILTERS_H
#define PROFD_AGENT_THREAD_FILTERS_H

#include <stdbool.h>

#include "profd_threads.h"

/* What filters look at. */
struct thread_filter_subject {
    const char *name;
    bool is_main; /* then it is called GeckoMain, too */
    struct profd_process_id process;
};

/* FILTERS are separated by commas: "*" stands for every thread, "pid:123" for those of that
 * process, anything else for those with that in their names, in whatever case. One that fits is
 * enough; no filters at all let every thread through. */
bool thread_filters_pass(const char *filters, const struct thread_filter_subject *subject);

#endif
