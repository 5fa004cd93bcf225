/* Prints rows of performance groups, as text and as JSON. */
#ifndef PROFD_PROFCTL_GROUP_PRINT_H
#define PROFD_PROFCTL_GROUP_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "ipc/groups/group_merge.h"

enum { GROUP_BAR_BYTES = 3 * (GROUP_THRESHOLDS + 1) + 1 };

/* Formats the distribution of the iterations of ROW: one bar each for those of at most 1 ms, at
 * most 2 ms, … and above 512 ms; the higher, the more there are. Writes to OUT and returns it.
 * Pure. */
const char *group_bar(const struct group_row *row, char out[GROUP_BAR_BYTES]);

/* Prints the first MOST rows, which stand for what BY says, with the start time of iterations that
 * have been running for at least 0.1 s. PERIOD_NS is the period that they cover; 0: since
 * monitoring began. */
void group_print_table(const struct group_rows *rows, enum group_rows_by by, uint64_t most,
                       uint64_t period_ns, FILE *out);

/* Prints an alert: ROW was too long TIMES times, as RULE_TEXT says. */
void group_print_alert(const struct group_row *row, const char *rule_text, uint64_t times,
                       FILE *out);
/* Prints the alert as one line of JSON. Returns 0 or a negative errno. */
int group_print_alert_json(const struct group_row *row, const char *rule_text, uint64_t times,
                           FILE *out);

/* Prints all rows as one line of JSON. Returns 0 or a negative errno. */
int group_print_json(const struct group_rows *rows, enum group_rows_by by, uint64_t period_ns,
                     FILE *out);

#endif
