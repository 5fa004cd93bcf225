/* The sampling clocks of a profile's processes, for its report. One thread. */
#ifndef PROFD_PROFCTL_REPORT_CLOCKS_H
#define PROFD_PROFCTL_REPORT_CLOCKS_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "buffer/clock_summary.h"
#include "profctl/profile/process_log.h"

struct report_clocks {
    uint64_t asked_ns; /* the interval of the session; 0: not known */
    struct clock_summary summary;
};

/* Counts the clock of a process, from what its log tells. */
void report_clocks_add(struct report_clocks *clocks, const struct process_log *log);

/* A line for each clock; nothing when none is known. */
void report_clocks_print(const struct report_clocks *clocks, FILE *out);
/* The same as "clocks" of ROOT. */
void report_clocks_add_json(const struct report_clocks *clocks, cJSON *root);

#endif
