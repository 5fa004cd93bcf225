/* The options of profctl and its commands. */
#ifndef PROFD_PROFCTL_OPTION_LIST_H
#define PROFD_PROFCTL_OPTION_LIST_H

#include "common/option_table.h"

/* The kind of value that an option takes, and its type in struct arguments. */
enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_INTERVAL,   /* uint64_t ns */
    OPTION_RATE,       /* uint64_t ns, written as samples per second */
    OPTION_SECONDS_MS, /* uint64_t ms; a bare number is in seconds */
    OPTION_REACH,      /* uint64_t ms, or "all" */
    OPTION_SIZE,       /* uint64_t bytes of memory for recordings */
    OPTION_DISTANCE,   /* uint64_t bytes, at least 1 */
    OPTION_FEATURES,   /* uint64_t bits */
    OPTION_CLOCK,      /* enum sampling_clock */
    OPTION_COUNT,      /* uint64_t */
    OPTION_PORT,       /* uint64_t */
    OPTION_TRIGGER,    /* adds a trigger */
    OPTION_PIDS,       /* const char *: comma-separated numbers */
    OPTION_LIST,       /* const char *: a list with at least one element */
    OPTION_FILTERS,    /* const char *: see common/thread_filters.h */
    OPTION_ROWS,       /* unsigned: enum group_rows_by */
    OPTION_ORDER,      /* unsigned: enum group_rows_order */
    OPTION_MEASURES,   /* enum group_needs */
    OPTION_TEXTS,      /* struct argument_texts: adds a text */
};

/* Returns the options in SETS (enum option_set). Their kinds are enum option_kind; their offsets
 * are in struct arguments. */
struct option_table option_list(unsigned sets);

#endif
