/* Alerts: which groups were janky in a while, by a rule that somebody wrote.
 *
 * An iteration that has not ended counts as soon as it has lasted too long on the wall, and not
 * once more when it has ended. What happens between two looks is one alert, with what happened
 * before in the time of the rule and was not told. Pure; one thread. */
#ifndef PROFD_IPC_GROUP_ALERT_H
#define PROFD_IPC_GROUP_ALERT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/group_alert_rule.h"
#include "ipc/groups/group_rows.h"

/* What is remembered of a group. */
struct group_alert_past {
    uint64_t identity;        /* of process and group */
    uint64_t times, since_ns; /* of what happened since then */
    uint64_t quiet_until_ns;
    uint64_t told_since_ns; /* the iteration that counted while it ran began then; 0: none */
    uint64_t seen_ns;       /* when it was judged last */
};

/* Zeroed: nothing has happened. */
struct group_alerts {
    struct group_alert_past *past; /* owned */
    size_t count, room;
    size_t sorted; /* so many by identity: those of looks that have ended */
};

/* Forgets all; safe to repeat. */
void group_alerts_free(struct group_alerts *alerts);

/* So many groups are remembered, at least, by a rule with no time in which it has to be broken so
 * often; those that were janky last. */
enum { GROUP_ALERTS_REMEMBERED = 1 << 16 };

/* All rows of a look have been judged by RULE, at NOW_NS: forgets groups whose past no longer
 * matters, which may have ended. */
void group_alerts_end_look(struct group_alerts *alerts, const struct group_alert_rule *rule,
                           uint64_t now_ns);

/* Once in a look for each group: whether ROW, what happened in a group of a process up to NOW_NS
 * since the last look, is an alert by RULE; *TIMES is how often it was too long. -ENOMEM, else 0
 * or 1. */
int group_alert_judge(struct group_alerts *alerts, const struct group_alert_rule *rule,
                      const struct group_row *row, uint64_t now_ns, uint64_t *times);

#endif
