/* The hottest functions of all processes together, from a report by process and thread.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_TOP_TABLE_H
#define PROFD_PROFCTL_TOP_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "profctl/report/report.h"

/* Sums up REPORT's threads in OUT, which needs report_free(): one process with one thread, whose
 * functions are those of all. Returns 0 or -ENOMEM. */
int top_table_make(const struct report *report, struct report *out);

/* That thread; TABLE's. */
const struct report_thread *top_table_thread(const struct report *table);

/* The N hottest functions of TABLE, what no sample saw and who was not profiled, and over what time
 * they were seen. */
void top_table_print(const struct report *table, uint64_t last_ms, uint64_t n, FILE *out);

#endif
