/* When an observer hears of a group: how often its rule was broken, and since when it may be told
 * again.
 *
 * Pure; one thread. */
#ifndef PROFD_AGENT_GROUP_ALARM_H
#define PROFD_AGENT_GROUP_ALARM_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/group_table.h"
#include "common/group_alert_rule.h"
#include "common/time_units.h"

#define GROUP_ALARM_BURST_NS ((uint64_t)NS_PER_S) /* what happens in so long is one alert */

/* What one observer knows of one group. Zeroed: nothing. */
struct group_alarm {
    uint64_t times, since_ns; /* of those that count for the next alert */
    uint64_t quiet_until_ns;
    struct group_costs highest; /* of those */
};

/* Whether an iteration of COSTS breaks RULE. */
bool group_alarm_is_broken(const struct group_alert_rule *rule, const struct group_costs *costs);

/* Such an iteration ended at NOW_NS. True when the observer is to be told: ALARM has what, until
 * group_alarm_mark_reported(). */
bool group_alarm_note(struct group_alarm *alarm, const struct group_alert_rule *rule,
                      const struct group_costs *costs, uint64_t now_ns);

/* It was told. */
void group_alarm_mark_reported(struct group_alarm *alarm, const struct group_alert_rule *rule,
                               uint64_t now_ns);

#endif
