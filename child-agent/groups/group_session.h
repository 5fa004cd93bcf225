/* What a session that requests performance groups shows about them besides the stacks: the CPU time
 * of each group as a counter, and iterations that took too long as markers.
 *
 * Called by the measured thread itself; not in signal handlers. */
#ifndef PROFD_AGENT_GROUP_SESSION_H
#define PROFD_AGENT_GROUP_SESSION_H

#include <stdint.h>

#include "child-agent/groups/group_registry.h"
#include "child-agent/groups/groups.h"
#include "common/time_units.h"
#include "profd.h"

enum {
    GROUP_SESSION_JANK_NS = 16 * NS_PER_MS, /* CPU time, or wall-clock time, of an iteration */
    GROUP_SESSION_MOST_COUNTERS = 64,       /* of a process; further groups share one */
};

/* For group_session_note(), in such a session. */
void group_session_note_slowly(struct profd_group *group, const struct group_costs *costs,
                               uint64_t begun_ticks);

/* Notes that GROUP has cost COSTS in an iteration that began at BEGUN_TICKS and is over. */
static inline void group_session_note(struct profd_group *group, const struct group_costs *costs,
                                      uint64_t begun_ticks)
{
    if (__builtin_expect(groups_are_recorded(), 0))
        group_session_note_slowly(group, costs, begun_ticks);
}

#endif
