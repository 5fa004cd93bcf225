/* The groups that a unit belongs to. The program is asked once, and the answer is stored with the
 * unit.
 *
 * Any thread; not in signal handlers. */
#ifndef PROFD_AGENT_UNIT_GROUPS_H
#define PROFD_AGENT_UNIT_GROUPS_H

#include <stddef.h>

#include "child-agent/groups/group_registry.h"
#include "profd.h"

struct profd_unit_groups_ {
    struct profd_unit_groups_ *next_spare;
    unsigned count;
    struct profd_group *groups[PROFD_UNIT_MOST_GROUPS + 1]; /* the first is the unit's own group */
};

/* Returns the groups of UNIT. NULL without memory, in a thread that is not registered, or while the
 * program is being asked for the groups of another unit in this thread. */
static inline const struct profd_unit_groups_ *unit_groups_get(struct profd_unit *unit);

/* For unit_groups_get(): asks the program. */
const struct profd_unit_groups_ *unit_groups_learn(struct profd_unit *unit);

static inline const struct profd_unit_groups_ *unit_groups_get(struct profd_unit *unit)
{
    const struct profd_unit_groups_ *known = __atomic_load_n(&unit->groups, __ATOMIC_ACQUIRE);
    return __builtin_expect(known != NULL, 1) ? known : unit_groups_learn(unit);
}

#endif
