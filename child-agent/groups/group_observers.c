#include "child-agent/groups/group_observers.h"

#include <errno.h>
#include <stddef.h>

#include "buffer/clock.h"
#include "child-agent/groups/group_alarm.h"
#include "child-agent/groups/groups.h"
#include "ipc/groups/group_alert_rule.h"

enum { MOST_OBSERVERS = 16, OBSERVED_GROUPS = 64 };

struct observed_group {
    const struct profd_group *group; /* NULL: a free place */
    struct group_alarm alarm;
};

struct observer {
    _Atomic bool is_on; /* release-stored: what is below may be read */
    struct group_alert_rule rule;
    profd_group_observer *call;
    void *context;
    struct observed_group groups[OBSERVED_GROUPS]; /* in the hands of who holds the registry */
};

_Atomic uint32_t group_observers_count;

static struct observer observers[MOST_OBSERVERS];

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

static int add_observer(const struct group_alert_rule *rule, profd_group_observer *call,
                        void *context)
{
    bool held = group_registry_hold();
    struct observer *place = take_place();
    if (place != NULL) {
        place->rule = *rule;
        place->call = call;
        place->context = context;
        for (unsigned i = 0; i < OBSERVED_GROUPS; i++)
            place->groups[i] = (struct observed_group){ 0 };
        atomic_store_explicit(&place->is_on, true, memory_order_release);
        atomic_fetch_add(&group_observers_count, 1);
    }
    group_registry_let_go(held);
    return place != NULL ? 0 : -ENOSPC;
}

int profd_groups_observe(const char *rule_text, profd_group_observer *observer, void *context)
{
    char problem[GROUP_ALERT_PROBLEM_BYTES];
    struct group_alert_rule rule;
    if (rule_text == NULL || observer == NULL || !group_alert_parse(rule_text, &rule, problem) ||
        rule.process[0] != '\0')
        return -EINVAL;
    int err = groups_ask_for_program(GROUPS_FOR_OBSERVERS, GROUP_NEEDS_USUAL);
    return err < 0 ? err : add_observer(&rule, observer, context);
}

void profd_groups_unobserve(profd_group_observer *observer, void *context)
{
    bool held = group_registry_hold();
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        struct observer *place = &observers[i];
        if (!atomic_load(&place->is_on) || place->call != observer || place->context != context)
            continue;
        atomic_store(&place->is_on, false);
        atomic_fetch_sub(&group_observers_count, 1);
    }
    bool is_last = atomic_load(&group_observers_count) == 0;
    group_registry_let_go(held);
    if (is_last)
        groups_ask(GROUPS_FOR_OBSERVERS, 0);
}

/* --- What they hear --- */

/* Of groups that share a place, the latest is known: the others begin anew. */
static struct group_alarm *alarm_of(struct observer *observer, const struct profd_group *group)
{
    struct observed_group *place =
        &observer->groups[(uintptr_t)group / sizeof(max_align_t) % OBSERVED_GROUPS];
    if (place->group != group)
        *place = (struct observed_group){ .group = group };
    return &place->alarm;
}

static void put_alert(struct pending_alerts *pending, const struct observer *observer,
                      const struct profd_group *group, const struct group_alarm *alarm)
{
    pending->alerts[pending->count++] = (struct pending_alert){
        .observer = observer->call,
        .context = observer->context,
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

static void note_broken(struct observer *observer, const struct profd_group *group,
                        const struct group_costs *costs, struct pending_alerts *pending)
{
    uint64_t now_ns = clock_monotonic_ns();
    bool held = group_registry_hold();
    struct group_alarm *alarm = alarm_of(observer, group);
    if (atomic_load(&observer->is_on) && group_alarm_note(alarm, &observer->rule, costs, now_ns) &&
        pending->count < GROUP_ALERTS_MOST_PENDING) {
        put_alert(pending, observer, group, alarm);
        group_alarm_told(alarm, &observer->rule, now_ns);
    }
    group_registry_let_go(held);
}

void group_observers_note_slowly(const struct profd_group *group, const struct group_costs *costs,
                                 struct pending_alerts *pending)
{
    for (unsigned i = 0; i < MOST_OBSERVERS; i++) {
        struct observer *observer = &observers[i];
        if (atomic_load_explicit(&observer->is_on, memory_order_acquire) &&
            group_alarm_is_broken(&observer->rule, costs) &&
            group_alert_is_about(&observer->rule, group->text, group->kind_bytes,
                                 group->text + group->kind_bytes, group->name_bytes))
            note_broken(observer, group, costs, pending);
    }
}

/* A call may not return, or end what the thread measures. */
void group_observers_tell(struct pending_alerts *pending)
{
    const struct pending_alerts taken = *pending;
    pending->count = 0;
    for (unsigned i = 0; i < taken.count; i++)
        taken.alerts[i].observer(&taken.alerts[i].alert, taken.alerts[i].context);
}
