#include "profctl/arguments/trigger_value.h"

#include <string.h>

#include "common/group_alert_rule.h"
#include "common/time_units.h"
#include "common/units.h"

/* "NAME:DURATION", as people write the duration. */
static bool parse_marker(const char *text, struct trigger *out)
{
    const char *colon = strrchr(text, ':');

    if (colon == NULL || !trigger_name_is_valid(text, (size_t)(colon - text)))
        return false;
    *out = (struct trigger){ .kind = TRIGGER_MARKER };
    memcpy(out->name, text, (size_t)(colon - text));
    return units_parse_time(colon + 1, NS_PER_MS, &out->duration_ns) == 0;
}

/* What is wrong with TEXT. */
static void refuse_trigger(const char *text, struct failure *failure)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    struct trigger trigger = { .kind =
                                   strncmp(text, "delay:", 6) == 0 ? TRIGGER_DELAY : TRIGGER_JANK };
    const char *colon = strchr(text, ':');
    bool is_rule = strncmp(text, "delay:", 6) == 0 || strncmp(text, "jank:", 5) == 0;

    if (is_rule && strlen(colon + 1) >= TRIGGER_RULE_BYTES) {
        failure_set(failure, EXIT_CODE_USAGE, "--trigger '%.64s...': a rule has at most %d bytes",
                    text, TRIGGER_RULE_BYTES - 1);
        return;
    }
    if (is_rule && trigger_set_rule(&trigger, colon + 1, strlen(colon + 1))) {
        (void)trigger_alert(&trigger, &rule, problem); /* false: it was no trigger */
        failure_set(failure, EXIT_CODE_USAGE, "--trigger '%s': %s", text, problem);
        return;
    }
    failure_set(failure, EXIT_CODE_USAGE,
                "--trigger '%s' is not one of signal, exit, marker:NAME:TIME, jank:TIME, "
                "delay:TIME, cpu:PERCENT%%/TIME, name:NAME, SIGUSR2",
                text);
}

bool trigger_value_add(struct arguments *arguments, const char *text, struct failure *failure)
{
    static const char marker[] = "marker:";
    struct trigger *trigger = &arguments->triggers[arguments->trigger_count];
    bool is_marker = strncmp(text, marker, strlen(marker)) == 0;

    if (arguments->trigger_count == TRIGGERS_MAX) {
        failure_set(failure, EXIT_CODE_USAGE, "too many --trigger; at most %d", TRIGGERS_MAX);
        return false;
    }
    if (is_marker ? !parse_marker(text + strlen(marker), trigger)
                  : trigger_parse(text, strlen(text), trigger) < 0) {
        refuse_trigger(text, failure);
        return false;
    }
    arguments->trigger_count++;
    return true;
}
