#include "child-agent/groups/group_observers.h"

#include <errno.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/groups/group_alarm.h"
#include "child-agent/groups/groups.h"
#include "common/apart.h"
#include "common/group_alert_rule.h"

enum { MOST_OBSERVERS = 16, OBSERVED_GROUPS = 64 };

struct observed_group {
    const struct profd_group *group; /* NULL: a free place */
    struct group_alarm alarm;
};

struct observer {
    _Atomic bool is_on;
    uint32_t generation; /* how many there were; this and what is below, by who has the registry */
    struct group_alert_rule rule;
    profd_group_observer *call;
    void *context;
    struct observed_group groups[OBSERVED_GROUPS];
};

_Atomic uint64_t group_observers_least_ns = UINT64_MAX;

static LARGE_APART struct observer observers[MOST_OBSERVERS];

/* --- Who observes --- */

/* The registry is held. NULL: there is no place. */
static struct observer *take_place(void)
{
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        if (!atomic_load(&observers[i].is_on))
            return &observers[i];
    }
    return NULL;
}

/* What observers want to hear decides what is measured, and what is looked at: both change with
 * them. The registry is held. */
static void follow_observers(void)
{
    uint64_t least_ns = UINT64_MAX;
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        if (atomic_load(&observers[i].is_on) && observers[i].rule.above_ns < least_ns)
            least_ns = observers[i].rule.above_ns;
    }
    atomic_store(&group_observers_least_ns, least_ns);
    groups_ask(GROUPS_FOR_OBSERVERS, least_ns != UINT64_MAX ? GROUP_NEEDS_USUAL : 0);
}

static void forget_groups(struct observer *observer)
{
    for (unsigned i = 0; i < OBSERVED_GROUPS; i++)
        observer->groups[i] = (struct observed_group){ 0 };
}

/* Where there are none, as nearly everywhere, nothing is touched. */
void group_observers_after_fork_child(void)
{
    if (atomic_load(&group_observers_least_ns) == UINT64_MAX)
        return;
    for (unsigned i = 0; i < MOST_OBSERVERS; i++)
        forget_groups(&observers[i]);
}

static int add_observer(const struct group_alert_rule *rule, profd_group_observer *call,
                        void *context)
{
    bool held = group_registry_hold();
    struct observer *place = take_place();
    if (place != NULL) {
        place->generation++;
        place->rule = *rule;
        place->call = call;
        place->context = context;
        forget_groups(place);
        atomic_store(&place->is_on, true);
        follow_observers();
    }
    group_registry_release(held);
    return place != NULL ? 0 : -ENOSPC;
}

int profd_groups_observe(const char *rule_text, profd_group_observer *observer, void *context)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    if (rule_text == NULL || observer == NULL || !group_alert_parse(rule_text, &rule, problem) ||
        rule.filter.process[0] != '\0')
        return -EINVAL;
    int error = groups_prepare();
    return error < 0 ? -ENOTSUP : add_observer(&rule, observer, context);
}

void profd_groups_unobserve(profd_group_observer *observer, void *context)
{
    bool held = group_registry_hold();
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        struct observer *place = &observers[i];
        if (!atomic_load(&place->is_on) || place->call != observer || place->context != context)
            continue;
        atomic_store(&place->is_on, false);
    }
    follow_observers();
    group_registry_release(held);
}

/* --- What they hear --- */

/* What a group did before no longer counts. */
static bool is_place_reusable(const struct observed_group *place,
                              const struct group_alert_rule *rule, uint64_t now_ns)
{
    const struct group_alarm *alarm = &place->alarm;
    bool counts =
        alarm->times > 0 && (rule->within_ns == 0 || now_ns - alarm->since_ns <= rule->within_ns);
    return place->group == NULL || (!counts && now_ns >= alarm->quiet_until_ns);
}

/* Where there is no place for another group, one begins anew. */
static struct group_alarm *alarm_of(struct observer *observer, const struct profd_group *group,
                                    uint64_t now_ns)
{
    size_t first = (uintptr_t)group / sizeof(max_align_t);
    struct observed_group *place = &observer->groups[first % OBSERVED_GROUPS];
    for (size_t i = OBSERVED_GROUPS; i-- > 0;) {
        struct observed_group *next = &observer->groups[(first + i) % OBSERVED_GROUPS];
        if (next->group == group)
            return &next->alarm;
        if (is_place_reusable(next, &observer->rule, now_ns))
            place = next;
    }
    *place = (struct observed_group){ .group = group };
    return &place->alarm;
}

static void put_alert(struct pending_alerts *pending, const struct observer *observer,
                      const struct profd_group *group, const struct group_alarm *alarm)
{
    pending->alerts[pending->count++] = (struct pending_alert){
        .observer = (unsigned)(observer - observers),
        .generation = observer->generation,
        .alert = { .kind = group->text,
                   .kind_bytes = group->kind_bytes,
                   .name = group->text + group->kind_bytes,
                   .name_bytes = group->name_bytes,
                   .id = group->id,
                   .flags = group->flags,
                   .times = alarm->times,
                   .highest_cpu_ns = alarm->highest.cpu_ns,
                   .highest_wall_ns = alarm->highest.wall_ns,
                   .highest_blocked_ns = alarm->highest.blocked_ns },
    };
}

static bool is_broken(const struct observer *observer, const struct profd_group *group,
                      const struct group_costs *costs)
{
    return atomic_load(&observer->is_on) && group_alarm_is_broken(&observer->rule, costs) &&
           groups_filter_passes_group(&observer->rule.filter, group->text, group->kind_bytes,
                                      group->text + group->kind_bytes, group->name_bytes);
}

static void note_broken(struct observer *observer, const struct profd_group *group,
                        const struct group_costs *costs, struct pending_alerts *pending)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct group_alarm *alarm = alarm_of(observer, group, now_ns);
    if (!group_alarm_note(alarm, &observer->rule, costs, now_ns) ||
        pending->count == GROUP_ALERTS_MOST_PENDING)
        return;
    put_alert(pending, observer, group, alarm);
    group_alarm_mark_reported(alarm, &observer->rule, now_ns);
}

void group_observers_note_slowly(const struct profd_group *group, const struct group_costs *costs,
                                 struct pending_alerts *pending)
{
    bool held = group_registry_hold();
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        if (is_broken(&observers[i], group, costs))
            note_broken(&observers[i], group, costs, pending);
    }
    group_registry_release(held);
}

bool group_observers_call_next(struct pending_alerts *pending)
{
    if (pending->count == 0)
        return false;
    const struct pending_alert next = pending->alerts[--pending->count];
    bool held = group_registry_hold();
    const struct observer *observer = &observers[next.observer];
    profd_group_observer *call =
        atomic_load(&observer->is_on) && observer->generation == next.generation ? observer->call
                                                                                 : NULL;
    void *context = observer->context;
    group_registry_release(held);
    if (call != NULL)
        call(&next.alert, context);
    return true;
}
