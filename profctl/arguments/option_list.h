/* The options of profctl and its commands. */
#ifndef PROFD_PROFCTL_OPTION_LIST_H
#define PROFD_PROFCTL_OPTION_LIST_H

#include "common/option_table.h"

/* What the value of an option is, and what it becomes in struct arguments. */
enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_INTERVAL,   /* uint64_t ns */
    OPTION_RATE,       /* uint64_t ns, written as samples per second */
    OPTION_SECONDS_MS, /* uint64_t ms, a bare number counts seconds */
    OPTION_REACH,      /* uint64_t ms, or "all" */
    OPTION_SIZE,       /* uint64_t bytes, of memory for recordings */
    OPTION_DISTANCE,   /* uint64_t bytes, from 1 on */
    OPTION_FEATURES,   /* uint64_t bits */
    OPTION_CLOCK,      /* enum sampling_clock */
    OPTION_COUNT,      /* uint64_t */
    OPTION_PORT,       /* uint64_t */
    OPTION_TRIGGER,    /* one more of the triggers */
    OPTION_PIDS,       /* const char *: numbers with commas between */
    OPTION_LIST,       /* const char *: not nothing but commas */
    OPTION_FILTERS,    /* const char *: of common/thread_filters.h */
    OPTION_ROWS,       /* unsigned: enum group_rows_by */
    OPTION_ORDER,      /* unsigned: enum group_rows_order */
    OPTION_MEASURES,   /* enum group_needs */
    OPTION_TEXTS,      /* struct argument_texts: one more */
};

/* Those in SETS (enum option_set). Their kinds are enum option_kind, their offsets are in struct
 * arguments. */
struct option_table option_list(unsigned sets);

#endif
