/* The observers in the program that want to be told about janky groups: profd_groups_observe().
 *
 * A commit finds out which observer must be told what; the thread tells them after it has left the
 * stopwatch. Called by the measured thread itself; not in signal handlers. */
#ifndef PROFD_AGENT_GROUP_OBSERVERS_H
#define PROFD_AGENT_GROUP_OBSERVERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/groups/group_registry.h"
#include "profd.h"

enum {
    GROUP_ALERTS_MOST_PENDING = 4
}; /* of a thread; further ones are included in the next
    * alert */

struct pending_alert {
    unsigned observer;   /* the observer's place … */
    uint32_t generation; /* … and its generation there */
    struct profd_group_alert alert;
};

/* Zeroed: none. */
struct pending_alerts {
    unsigned count;
    struct pending_alert alerts[GROUP_ALERTS_MOST_PENDING];
};

/* The lowest threshold of all observers, on any clock, in ns; UINT64_MAX: there are no
 * observers. */
extern _Atomic uint64_t group_observers_least_ns;

/* For group_observers_note(), if an observer may want to be told. */
void group_observers_note_slowly(const struct profd_group *group, const struct group_costs *costs,
                                 struct pending_alerts *pending);

/* Notes that GROUP has cost COSTS in an iteration. */
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

/* Called in a forked child, whose groups have done nothing yet. */
void group_observers_after_fork_child(void);

/* Takes the next alert out of PENDING, and reports it if its observer still exists. Returns false
 * if there was none. */
bool group_observers_call_next(struct pending_alerts *pending);

#endif
