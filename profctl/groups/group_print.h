/* Rows of performance groups, for people and as JSON. */
#ifndef PROFD_PROFCTL_GROUP_PRINT_H
#define PROFD_PROFCTL_GROUP_PRINT_H

#include <stdint.h>
#include <stdio.h>

#include "ipc/groups/group_merge.h"

enum { GROUP_BAR_BYTES = 3 * (GROUP_THRESHOLDS + 1) + 1 };

/* How the iterations of ROW are spread: a mark for those of at most 1 ms, of at most 2 ms, … and
 * above 512 ms, the higher the more there are. Into OUT, which is returned. Pure. */
const char *group_bar(const struct group_row *row, char out[GROUP_BAR_BYTES]);

/* The first MOST rows, which stand for what BY says, with since when those are running that have
 * been for a tenth of a second; PERIOD_NS is what they are of, 0: since monitoring began. */
void group_print_table(const struct group_rows *rows, enum group_rows_by by, uint64_t most,
                       uint64_t period_ns, FILE *out);

/* An alert: that ROW was too long so many TIMES, as RULE_TEXT says. */
void group_print_alert(const struct group_row *row, const char *rule_text, uint64_t times,
                       FILE *out);
/* The same as one line of JSON. 0 or a negative errno. */
int group_print_alert_json(const struct group_row *row, const char *rule_text, uint64_t times,
                           FILE *out);

/* All of them, as one line. 0 or a negative errno. */
int group_print_json(const struct group_rows *rows, enum group_rows_by by, uint64_t period_ns,
                     FILE *out);

#endif
