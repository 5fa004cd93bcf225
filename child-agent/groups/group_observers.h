/* Who in the program wants to hear of janky groups: profd_groups_observe().
 *
 * A commit finds out who is to be told of what; the thread tells them when it has left the
 * stopwatch. The calling thread; not in signal handlers. */
#ifndef PROFD_AGENT_GROUP_OBSERVERS_H
#define PROFD_AGENT_GROUP_OBSERVERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/groups/group_registry.h"
#include "profd.h"

enum { GROUP_ALERTS_MOST_PENDING = 4 }; /* of a thread; what is more is told with the next */

struct pending_alert {
    unsigned observer;   /* which place of them … */
    uint32_t generation; /* … and the how manieth there */
    struct profd_group_alert alert;
};

/* Zeroed: none. */
struct pending_alerts {
    unsigned count;
    struct pending_alert alerts[GROUP_ALERTS_MOST_PENDING];
};

/* No observer wants to hear of less, on any clock; UINT64_MAX: there is none. */
extern _Atomic uint64_t group_observers_least_ns;

/* For group_observers_note(): somebody may want to hear of it. */
void group_observers_note_slowly(const struct profd_group *group, const struct group_costs *costs,
                                 struct pending_alerts *pending);

/* GROUP has cost COSTS in an iteration. */
static inline void group_observers_note(const struct profd_group *group,
                                        const struct group_costs *costs,
                                        struct pending_alerts *pending)
{
    uint64_t least_ns = atomic_load_explicit(&group_observers_least_ns, memory_order_relaxed);
    bool is_long =
        costs->cpu_ns > least_ns || costs->wall_ns > least_ns || costs->blocked_ns > least_ns;
    if (__builtin_expect(is_long, 0))
        group_observers_note_slowly(group, costs, pending);
}

/* In a forked child, whose groups have done nothing yet. */
void group_observers_after_fork_child(void);

/* Takes the next out of PENDING, and tells it if that observer is still there. False: there was
 * none. */
bool group_observers_call_next(struct pending_alerts *pending);

#endif
