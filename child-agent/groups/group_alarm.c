#include "child-agent/groups/group_alarm.h"

bool group_alarm_is_broken(const struct group_alert_rule *rule, const struct group_costs *costs)
{
    switch (rule->measure) {
    case ALERT_ON_CPU:
        return costs->cpu_ns > rule->above_ns;
    case ALERT_ON_WALL:
        return costs->wall_ns > rule->above_ns;
    case ALERT_ON_BLOCKED:
        return costs->blocked_ns > rule->above_ns;
    }
    return false;
}

static void raise_highest(uint64_t *highest, uint64_t value)
{
    if (value > *highest)
        *highest = value;
}

bool group_alarm_note(struct group_alarm *alarm, const struct group_alert_rule *rule,
                      const struct group_costs *costs, uint64_t now_ns)
{
    bool is_late = rule->within_ns != 0 && now_ns - alarm->since_ns > rule->within_ns;
    if (alarm->times == 0 || is_late)
        *alarm =
            (struct group_alarm){ .since_ns = now_ns, .quiet_until_ns = alarm->quiet_until_ns };
    alarm->times++;
    raise_highest(&alarm->highest.cpu_ns, costs->cpu_ns);
    raise_highest(&alarm->highest.wall_ns, costs->wall_ns);
    raise_highest(&alarm->highest.blocked_ns, costs->blocked_ns);
    return alarm->times >= rule->times && now_ns >= alarm->quiet_until_ns;
}

void group_alarm_mark_reported(struct group_alarm *alarm, const struct group_alert_rule *rule,
                               uint64_t now_ns)
{
    uint64_t quiet_ns = rule->quiet_ns != 0 ? rule->quiet_ns : GROUP_ALARM_BURST_NS;
    *alarm = (struct group_alarm){ .quiet_until_ns = now_ns + quiet_ns };
}
