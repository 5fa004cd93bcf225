/* When an observer is told about a group: how often its rule has been broken, and when it may be
 * told again.
 *
 * Pure; one thread. */
#ifndef PROFD_AGENT_GROUP_ALARM_H
#define PROFD_AGENT_GROUP_ALARM_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/group_table.h"
#include "common/group_alert_rule.h"
#include "common/time_units.h"

#define GROUP_ALARM_BURST_NS ((uint64_t)NS_PER_S) /* what happens within this time is one alert */

/* What one observer knows about one group. Zeroed: nothing. */
struct group_alarm {
    uint64_t times, since_ns; /* iterations that count for the next alert, and since when */
    uint64_t quiet_until_ns;
    struct group_costs highest; /* the highest costs of these iterations */
};

/* Returns whether an iteration with COSTS breaks RULE. */
bool group_alarm_is_broken(const struct group_alert_rule *rule, const struct group_costs *costs);

/* Notes that such an iteration ended at NOW_NS. Returns true if the observer must be told; the
 * details are in ALARM until group_alarm_mark_reported(). */
bool group_alarm_note(struct group_alarm *alarm, const struct group_alert_rule *rule,
                      const struct group_costs *costs, uint64_t now_ns);

/* Notes that the observer was told. */
void group_alarm_mark_reported(struct group_alarm *alarm, const struct group_alert_rule *rule,
                               uint64_t now_ns);

#endif
