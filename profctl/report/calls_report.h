/* Which calls took long: the longest ones, and how long calls of each function took. Calls are
 * those of ProfileCalls (profctl/convert/profile_calls.h), in all threads. One thread. */
#ifndef PROFD_PROFCTL_CALLS_REPORT_H
#define PROFD_PROFCTL_CALLS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/processed/processed_types.h"
#include "profctl/report/drawn_calls.h"

/* One call. */
struct reported_call {
    uint32_t function; /* a name of the stacks … */
    uint32_t thread;   /* … and one of the threads */
    double start_ms, duration_ms, self_ms;
};

/* The calls of one function. */
struct function_calls {
    uint32_t function;
    uint64_t count;
    double total_ms, median_ms, p99_ms, longest_ms; /* of calls inside calls of it, too */
};

enum {
    CALLS_REPORT_MAX_LONGEST = 1024,
};

struct calls_report {
    struct thread_stacks stacks;
    struct processed_types types;  /* of markers */
    struct unique_strings threads; /* "process (pid): thread" */
    uint64_t calls;                /* all */
    struct mapped_array longest;   /* struct reported_call, the longest first */
    double shortest_kept_ms;       /* of those, once they are enough */
    struct drawn_calls drawn;      /* for medians */
    struct mapped_array functions; /* struct function_calls; those with most time first */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs calls_report_free() in any case. */
int calls_report_read(struct json_reader *reader, struct calls_report *out);
void calls_report_free(struct calls_report *report);

/* The N longest calls, and the N functions with most time in their calls; FILE is named. */
void calls_report_print_text(const struct calls_report *report, const char *file, uint64_t top,
                             FILE *out);
/* Prints the same as one line of JSON. Returns 0 or -ENOMEM. */
int calls_report_print_json(const struct calls_report *report, const char *file, uint64_t top,
                            FILE *out);

#endif
