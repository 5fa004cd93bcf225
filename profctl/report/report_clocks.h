/* The sampling clocks of a profile's processes, for its report. One thread. */
#ifndef PROFD_PROFCTL_REPORT_CLOCKS_H
#define PROFD_PROFCTL_REPORT_CLOCKS_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "buffer/clock_summary.h"
#include "json/json_reader.h"

struct report_clocks {
    uint64_t asked_ns; /* the interval of the session; 0: not known */
    struct clock_summary summary;
};

/* Reads the value of a process' "profilingLog", after its key, and counts its clock. What says
 * nothing of a clock is skipped. 0 or the reader's error. */
int report_clocks_read_log(struct report_clocks *clocks, struct json_reader *reader);

/* Reads the value of "interval" of "meta", after its key: milliseconds. 0 or the reader's error. */
int report_clocks_read_interval(struct report_clocks *clocks, struct json_reader *reader);

/* A line for each clock; nothing when none is known. */
void report_clocks_print(const struct report_clocks *clocks, FILE *out);
/* The same as "clocks" of ROOT. */
void report_clocks_add_json(const struct report_clocks *clocks, cJSON *root);

#endif
