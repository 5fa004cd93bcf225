#include "common/group_alert_rule.h"

#include <stdio.h>
#include <string.h>

#include "common/group_thresholds.h"
#include "common/time_units.h"
#include "common/units.h"

enum { WORD_BYTES = GROUPS_FILTER_TEXT_BYTES + 16 };

/* The threshold that is ABOVE_NS; GROUP_THRESHOLDS: none is. */
static unsigned threshold_of(uint64_t above_ns)
{
    unsigned threshold = 0;

    while (threshold < GROUP_THRESHOLDS && above_ns != (UINT64_C(1) << threshold) * NS_PER_MS)
        threshold++;
    return threshold;
}

static bool parse_measure(const char *word, struct group_alert_rule *rule)
{
    static const char *const names[] = { "cpu>", "wall>", "blocked>" };

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strncmp(word, names[i], strlen(names[i])) != 0)
            continue;
        rule->measure = (enum group_alert_measure)i;
        return units_parse_time(word + strlen(names[i]), NS_PER_MS, &rule->above_ns) == 0 &&
               rule->above_ns >= NS_PER_MS;
    }
    return false;
}

/* "3/10s", or "3". */
static bool parse_times(const char *text, struct group_alert_rule *rule)
{
    const char *slash = strchr(text, '/');
    char count[32];

    snprintf(count, sizeof(count), "%.*s", slash != NULL ? (int)(slash - text) : 31, text);
    return units_parse_count(count, 1, 1000000, &rule->times) == 0 &&
           (slash == NULL || (units_parse_time(slash + 1, NS_PER_MS, &rule->within_ns) == 0 &&
                              rule->within_ns != 0));
}

static bool parse_condition(const char *word, struct group_alert_rule *rule)
{
    if (strncmp(word, "times=", 6) == 0)
        return parse_times(word + 6, rule);
    if (strncmp(word, "quiet=", 6) == 0)
        return units_parse_time(word + 6, NS_PER_MS, &rule->quiet_ns) == 0;
    return groups_filter_add(&rule->filter, word, strlen(word));
}

static bool has_problem(char problem[GROUP_ALERT_PROBLEM_BYTES], const char *what, const char *word)
{
    snprintf(problem, GROUP_ALERT_PROBLEM_BYTES, "%s, not '%.60s'", what, word);
    return false;
}

bool group_alert_parse(const char *text, struct group_alert_rule *out,
                       char problem[GROUP_ALERT_PROBLEM_BYTES])
{
    char word[WORD_BYTES];
    const char *whole = text;
    bool is_first = true;

    *out = (struct group_alert_rule){ .times = 1 };
    do {
        const char *comma = strchrnul(text, ',');
        snprintf(word, sizeof(word), "%.*s",
                 (int)(comma - text < WORD_BYTES ? comma - text : WORD_BYTES), text);
        if (is_first && !parse_measure(word, out))
            return has_problem(problem,
                               "a rule must begin with cpu>TIME, wall>TIME or blocked>TIME", word);
        if (!is_first && !parse_condition(word, out))
            return has_problem(problem,
                               "a rule may continue with kind=, name=, process= (once each), "
                               "times=N/TIME or quiet=TIME",
                               word);
        is_first = false;
        text = comma;
    } while (*text++ != '\0');
    if (out->measure != ALERT_ON_BLOCKED && threshold_of(out->above_ns) == GROUP_THRESHOLDS)
        return has_problem(problem, "the time must be one of 1ms, 2ms, 4ms ... 512ms", whole);
    return true;
}

unsigned group_alert_threshold(const struct group_alert_rule *rule)
{
    return threshold_of(rule->above_ns);
}
