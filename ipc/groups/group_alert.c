#include "ipc/groups/group_alert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/hash_bytes.h"
#include "ipc/units.h"

enum { NS_PER_MS = 1000000, WORD_BYTES = GROUP_ALERT_TEXT_BYTES + 16 };

/* --- Rules --- */

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
               rule->above_ns != 0;
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
           (slash == NULL || units_parse_time(slash + 1, NS_PER_MS, &rule->within_ns) == 0);
}

static bool parse_text(const char *text, char out[GROUP_ALERT_TEXT_BYTES])
{
    size_t bytes = strlen(text);

    if (bytes == 0 || bytes >= GROUP_ALERT_TEXT_BYTES)
        return false;
    memcpy(out, text, bytes + 1);
    return true;
}

static bool parse_condition(const char *word, struct group_alert_rule *rule)
{
    if (strncmp(word, "kind=", 5) == 0)
        return parse_text(word + 5, rule->kind);
    if (strncmp(word, "name=", 5) == 0)
        return parse_text(word + 5, rule->name);
    if (strncmp(word, "process=", 8) == 0)
        return parse_text(word + 8, rule->process);
    if (strncmp(word, "times=", 6) == 0)
        return parse_times(word + 6, rule);
    if (strncmp(word, "quiet=", 6) == 0)
        return units_parse_time(word + 6, NS_PER_MS, &rule->quiet_ns) == 0;
    return false;
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
            return has_problem(problem, "a rule begins like cpu>64ms, wall>64ms or blocked>64ms",
                               word);
        if (!is_first && !parse_condition(word, out))
            return has_problem(
                problem, "a rule goes on with kind=, name=, process=, times=N/TIME or quiet=TIME",
                word);
        is_first = false;
        text = comma;
    } while (*text++ != '\0');
    if (out->measure != ALERT_ON_BLOCKED && threshold_of(out->above_ns) == GROUP_THRESHOLDS)
        return has_problem(problem, "the time is one of 1ms, 2ms, 4ms ... 512ms", whole);
    return true;
}

/* --- Judging --- */

void group_alerts_free(struct group_alerts *alerts)
{
    free(alerts->past);
    *alerts = (struct group_alerts){ 0 };
}

static bool is_text(const char *wanted, const char *text, size_t bytes)
{
    return wanted[0] == '\0' || (bytes == strlen(wanted) && memcmp(text, wanted, bytes) == 0);
}

static bool is_meant(const struct group_alert_rule *rule, const struct group_row *row)
{
    const struct group_view *group = &row->group;

    return is_text(rule->kind, group->kind, group->kind_bytes) &&
           is_text(rule->name, group->name, group->name_bytes) &&
           (rule->process[0] == '\0' || memmem(row->process_name, row->process_name_bytes,
                                               rule->process, strlen(rule->process)) != NULL);
}

/* Those that have ended. */
static uint64_t count_too_long(const struct group_alert_rule *rule, const struct group_row *row)
{
    unsigned threshold = threshold_of(rule->above_ns);

    if (rule->measure == ALERT_ON_BLOCKED)
        return row->group.costs.blocked_ns > rule->above_ns;
    return (rule->measure == ALERT_ON_CPU ? row->group.cpu_exceeded
                                          : row->group.wall_exceeded)[threshold];
}

static bool runs_too_long(const struct group_alert_rule *rule, const struct group_row *row)
{
    return rule->measure != ALERT_ON_BLOCKED && row->running_ns > rule->above_ns;
}

/* ENDED of them, and the one that still runs, each once. */
static uint64_t count_news(struct group_alert_past *past, const struct group_alert_rule *rule,
                           const struct group_row *row, uint64_t ended)
{
    uint64_t since_ns = row->group.running_since_ns;
    bool is_told = past->told_since_ns != 0 && past->told_since_ns == since_ns;

    if (ended > 0 && past->told_since_ns != 0 && !is_told) {
        ended--;
        past->told_since_ns = 0;
    }
    if (is_told || !runs_too_long(rule, row))
        return ended;
    past->told_since_ns = since_ns;
    return ended + 1;
}

static uint64_t identity_of(const struct group_row *row)
{
    const struct group_view *group = &row->group;
    uint64_t hash = hash_mix(hash_bytes(group->kind, group->kind_bytes),
                             hash_bytes(group->name, group->name_bytes));

    hash = hash_mix(hash, (uint64_t)row->process.pid);
    hash = hash_mix(hash, row->process.start_ns);
    return hash_mix(hash, (uint64_t)group->thread);
}

/* NULL: no memory. */
static struct group_alert_past *find_past(struct group_alerts *alerts, uint64_t identity)
{
    for (size_t i = 0; i < alerts->count; i++) {
        if (alerts->past[i].identity == identity)
            return &alerts->past[i];
    }
    if (alerts->count == alerts->room) {
        size_t room = alerts->room == 0 ? 64 : 2 * alerts->room;
        struct group_alert_past *grown = realloc(alerts->past, room * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        alerts->past = grown;
        alerts->room = room;
    }
    alerts->past[alerts->count] = (struct group_alert_past){ .identity = identity };
    return &alerts->past[alerts->count++];
}

int group_alert_judge(struct group_alerts *alerts, const struct group_alert_rule *rule,
                      const struct group_row *row, uint64_t now_ns, uint64_t *times)
{
    uint64_t ended = is_meant(rule, row) ? count_too_long(rule, row) : 0;

    *times = 0;
    if (ended == 0 && (!is_meant(rule, row) || !runs_too_long(rule, row)))
        return 0;
    struct group_alert_past *past = find_past(alerts, identity_of(row));
    if (past == NULL)
        return -ENOMEM;
    uint64_t too_long = count_news(past, rule, row, ended);
    if (too_long == 0)
        return 0;
    if (past->times == 0 || now_ns - past->since_ns > rule->within_ns) {
        past->times = 0;
        past->since_ns = now_ns;
    }
    past->times += too_long;
    if (past->times < rule->times || now_ns < past->quiet_until_ns)
        return 0;
    *times = past->times;
    past->times = 0;
    past->quiet_until_ns = now_ns + rule->quiet_ns;
    return 1;
}
