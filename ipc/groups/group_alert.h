/* Alerts: finds groups that have been janky, by a user's rule.
 *
 * A running iteration counts as soon as its wall-clock time is too long, and does not count again
 * when it ends. Everything between two looks is one alert, together with what happened earlier,
 * within the time of the rule, and was not reported. Pure; one thread. */
#ifndef PROFD_IPC_GROUP_ALERT_H
#define PROFD_IPC_GROUP_ALERT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/group_alert_rule.h"
#include "ipc/groups/group_rows.h"

/* What is remembered about a group. */
struct group_alert_past {
    uint64_t identity;        /* of the process and the group */
    uint64_t times, since_ns; /* what happened, and since when */
    uint64_t quiet_until_ns;
    uint64_t told_since_ns; /* start of the iteration that counted while running; 0: none */
    uint64_t seen_ns;       /* when it was last judged */
};

/* A zeroed one has no past. */
struct group_alerts {
    struct group_alert_past *past; /* owned */
    size_t count, room;
    size_t sorted; /* the number sorted by identity: those of completed looks */
};

/* Forgets everything. Safe to repeat. */
void group_alerts_free(struct group_alerts *alerts);

/* At least this many groups are remembered for a rule without a time limit: those that were janky
 * most recently. */
enum { GROUP_ALERTS_REMEMBERED = 1 << 16 };

/* All rows of a look have been judged by RULE at NOW_NS: forgets groups whose past no longer
 * matters; they may have ended. */
void group_alerts_end_look(struct group_alerts *alerts, const struct group_alert_rule *rule,
                           uint64_t now_ns);

/* To be called once in a look for each group. Returns 1 if ROW, what happened in a group of a
 * process between the last look and NOW_NS, is an alert by RULE, with the number of iterations that
 * were too long in *TIMES; 0 if not; or -ENOMEM. */
int group_alert_judge(struct group_alerts *alerts, const struct group_alert_rule *rule,
                      const struct group_row *row, uint64_t now_ns, uint64_t *times);

#endif
