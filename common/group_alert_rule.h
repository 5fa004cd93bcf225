/* Rules for alerts, as written by users.
 *
 *     cpu>64ms,kind=tenant        an iteration of more than 64 ms of CPU time
 *     wall>128ms,times=3/10s      three of them, on the wall, in ten seconds
 *     blocked>100ms,name=blue,quiet=1m
 *
 * Pure; any thread. */
#ifndef PROFD_COMMON_GROUP_ALERT_RULE_H
#define PROFD_COMMON_GROUP_ALERT_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/groups_filter.h"

enum { GROUP_ALERT_PROBLEM_BYTES = GROUPS_FILTER_PROBLEM_BYTES };

enum group_alert_measure { ALERT_ON_CPU, ALERT_ON_WALL, ALERT_ON_BLOCKED };

struct group_alert_rule {
    enum group_alert_measure measure;
    uint64_t above_ns;           /* at least a millisecond */
    struct groups_filter filter; /* whose iterations */
    uint64_t times;              /* this often … */
    uint64_t within_ns;          /* … within this time; 0: within any time */
    uint64_t quiet_ns;           /* after an alert, of the same group */
};

/* Parses TEXT. Returns false with one line in PROBLEM that says what it should be. */
bool group_alert_parse(const char *text, struct group_alert_rule *out,
                       char problem[GROUP_ALERT_PROBLEM_BYTES]);

/* The threshold (buffer/group_table.h) that counts what RULE looks for. Not for rules on blocked
 * time. */
unsigned group_alert_threshold(const struct group_alert_rule *rule);

#endif
