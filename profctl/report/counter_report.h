/* Counters by name, over all processes: how often they changed, by how much, and the highest that
 * each was. One thread. */
#ifndef PROFD_PROFCTL_COUNTER_REPORT_H
#define PROFD_PROFCTL_COUNTER_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_counter.h"

/* All counters of a name and category. */
struct counter_row {
    uint32_t name, category;  /* the latter UNIQUE_NONE: not known */
    uint64_t counters;        /* one for each process that has it */
    uint64_t changes;         /* as the profile tells them, else samples */
    double sum;               /* of all changes: what they count in the end */
    double highest;           /* of the sums on the way, of any one of them */
    double first_ms, last_ms; /* of samples */
};

struct counter_report {
    struct failure_latch latch;
    struct unique_strings names;
    struct mapped_array rows; /* struct counter_row; once read: by category, then by name */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs counter_report_free() in any case. */
int counter_report_read(struct json_reader *reader, struct counter_report *out);
void counter_report_free(struct counter_report *report);

/* All counters; FILE is named. */
void counter_report_print_text(const struct counter_report *report, const char *file, FILE *out);
/* Prints the same as one line of JSON. Returns 0 or a negative errno. */
int counter_report_print_json(const struct counter_report *report, const char *file, FILE *out);

#endif
