/* Markers by name, over all threads: how many, how long, and how much CPU time their threads used
 * meanwhile. One thread. */
#ifndef PROFD_PROFCTL_MARKER_REPORT_H
#define PROFD_PROFCTL_MARKER_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/marker_spans.h"
#include "profctl/profile/profile_walk.h"

/* How long one lasted. */
struct marker_duration {
    uint32_t name;
    double ms;
};

/* All markers of a name. */
struct marker_row {
    uint32_t name;
    uint64_t count, instants; /* of all of them, those without a duration: also an end alone */
    double total_ms;          /* of those that lasted, also where they overlap */
    double median_ms, p99_ms, longest_ms; /* 0: none lasted */
    double cpu_ns; /* that their threads used meanwhile; what overlaps counts once */
};

struct marker_report {
    bool knows_cpu;
    uint64_t markers; /* all */
    struct failure_latch latch;
    struct unique_strings names;
    struct mapped_array rows;      /* struct marker_row, by name; once read: as it is shown */
    struct mapped_array durations; /* struct marker_duration, for quantiles */
    struct marker_spans spans;     /* of the current thread, with names of this report */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs marker_report_free() in any case. */
int marker_report_read(struct json_reader *reader, struct marker_report *out);
void marker_report_free(struct marker_report *report);

/* The TOP names with the most time; FILE is named. */
void marker_report_print_text(const struct marker_report *report, const char *file, uint64_t top,
                              FILE *out);
/* Prints the same as one line of JSON. Returns 0 or a negative errno. */
int marker_report_print_json(const struct marker_report *report, const char *file, uint64_t top,
                             FILE *out);

/* --- Parts, for tests --- */

/* The CPU time that THREAD used in COUNT spans, in the order of their starts: of a sample across
 * the edge of one, the part that is in it. What is in several counts once. Pure. */
double marker_report_cpu_ns(const struct profile_thread *thread, const struct marker_span *spans,
                            size_t count);

#endif
