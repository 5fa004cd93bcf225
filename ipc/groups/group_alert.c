#include "ipc/groups/group_alert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buffer/hash_bytes.h"

void group_alerts_free(struct group_alerts *alerts)
{
    free(alerts->past);
    *alerts = (struct group_alerts){ 0 };
}

/* Those that have ended. How often one was blocked for so long nobody counts: it is once in a look;
 * and in one that is too long to know the highest, all of its time counts. */
static uint64_t count_too_long(const struct group_alert_rule *rule, const struct group_row *row)
{
    unsigned threshold = group_alert_threshold(rule);
    uint64_t blocked_ns =
        row->highest.is_known ? row->highest.blocked_ns : row->group.costs.blocked_ns;

    if (rule->measure == ALERT_ON_BLOCKED)
        return blocked_ns > rule->above_ns;
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
    return hash_mix(hash_mix((uint64_t)row->process->pid, row->process->start_ns), group->place);
}

static int compare_identities(const void *left, const void *right)
{
    const struct group_alert_past *a = left, *b = right;

    return (a->identity > b->identity) - (a->identity < b->identity);
}

/* NULL: no memory. */
static struct group_alert_past *push_past(struct group_alerts *alerts, uint64_t identity)
{
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

/* Likewise. A process decides itself how many of its groups are janky, so that nothing here may
 * take longer for each than a search in what is sorted. */
static struct group_alert_past *find_past(struct group_alerts *alerts, uint64_t identity)
{
    const struct group_alert_past wanted = { .identity = identity };
    struct group_alert_past *known =
        alerts->sorted == 0
            ? NULL
            : bsearch(&wanted, alerts->past, alerts->sorted, sizeof(wanted), compare_identities);

    return known != NULL ? known : push_past(alerts, identity);
}

static bool is_late(const struct group_alert_past *past, const struct group_alert_rule *rule,
                    uint64_t now_ns)
{
    return rule->within_ns != 0 && now_ns - past->since_ns > rule->within_ns;
}

/* One that seems to run and is not seen has ended, or does nothing else than that. */
static bool is_past_expired(const struct group_alert_past *past,
                            const struct group_alert_rule *rule, uint64_t now_ns)
{
    bool counts = past->times > 0 && !is_late(past, rule, now_ns);

    return !counts && now_ns >= past->quiet_until_ns && past->seen_ns != now_ns;
}

static uint64_t needed_until_ns(const struct group_alert_past *past)
{
    return past->seen_ns > past->quiet_until_ns ? past->seen_ns : past->quiet_until_ns;
}

static int compare_ages(const void *left, const void *right)
{
    uint64_t a_ns = needed_until_ns(left), b_ns = needed_until_ns(right);

    return (a_ns < b_ns) - (a_ns > b_ns);
}

/* What only counts for a time without end must not pile up. Returns how many are left. */
static size_t keep_latest(struct group_alert_past *past, size_t count, uint64_t now_ns)
{
    if (count <= GROUP_ALERTS_REMEMBERED)
        return count;
    qsort(past, count, sizeof(*past), compare_ages);
    while (count > GROUP_ALERTS_REMEMBERED && needed_until_ns(&past[count - 1]) < now_ns)
        count--;
    return count;
}

void group_alerts_end_look(struct group_alerts *alerts, const struct group_alert_rule *rule,
                           uint64_t now_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < alerts->count; i++) {
        if (!is_past_expired(&alerts->past[i], rule, now_ns))
            alerts->past[kept++] = alerts->past[i];
    }
    if (rule->within_ns == 0)
        kept = keep_latest(alerts->past, kept, now_ns);
    alerts->count = alerts->sorted = kept;
    if (kept > 0)
        qsort(alerts->past, kept, sizeof(*alerts->past), compare_identities);
}

int group_alert_judge(struct group_alerts *alerts, const struct group_alert_rule *rule,
                      const struct group_row *row, uint64_t now_ns, uint64_t *times)
{
    uint64_t ended = group_row_passes(row, &rule->filter) ? count_too_long(rule, row) : 0;

    *times = 0;
    if (ended == 0 && (!group_row_passes(row, &rule->filter) || !runs_too_long(rule, row)))
        return 0;
    struct group_alert_past *past = find_past(alerts, identity_of(row));
    if (past == NULL)
        return -ENOMEM;
    past->seen_ns = now_ns;
    uint64_t too_long = count_news(past, rule, row, ended);
    if (too_long == 0)
        return 0;
    if (past->times == 0 || is_late(past, rule, now_ns)) {
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
