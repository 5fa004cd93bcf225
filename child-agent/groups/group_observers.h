/* Who in the program wants to hear of janky groups: profd_groups_observe().
 *
 * A commit finds out who is to be told of what; the thread tells them when it has left the
 * stopwatch. The calling thread; not in signal handlers. */
#ifndef PROFD_AGENT_GROUP_OBSERVERS_H
#define PROFD_AGENT_GROUP_OBSERVERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "child-agent/groups/group_registry.h"
#include "profd.h"

enum { GROUP_ALERTS_MOST_PENDING = 4 }; /* of a thread; what is more is told with the next */

struct pending_alert {
    profd_group_observer *observer;
    void *context;
    struct profd_group_alert alert;
};

/* Zeroed: none. */
struct pending_alerts {
    unsigned count;
    struct pending_alert alerts[GROUP_ALERTS_MOST_PENDING];
};

extern _Atomic uint32_t group_observers_count;

void group_observers_note_slowly(const struct profd_group *group, const struct group_costs *costs,
                                 struct pending_alerts *pending);

/* GROUP has cost COSTS in an iteration. */
static inline void group_observers_note(const struct profd_group *group,
                                        const struct group_costs *costs,
                                        struct pending_alerts *pending)
{
    if (__builtin_expect(atomic_load_explicit(&group_observers_count, memory_order_relaxed) != 0,
                         0))
        group_observers_note_slowly(group, costs, pending);
}

/* Tells what *PENDING has, of which nothing is left then. */
void group_observers_tell(struct pending_alerts *pending);

#endif
