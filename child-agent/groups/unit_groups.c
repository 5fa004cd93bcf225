#include "child-agent/groups/unit_groups.h"
#include "child-agent/threads/thread_registration.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

/* Who knows; changed as a whole. */
struct embedding {
    profd_groups_of_unit *ask;
    void *context;
};

static struct embedding *_Atomic embedding;

void profd_units_ask(profd_groups_of_unit *ask, void *context)
{
    struct embedding *next = group_registry_allocate(sizeof(*next)); /* NULL: nobody is asked */
    if (next != NULL)
        *next = (struct embedding){ ask, context };
    atomic_store(&embedding, next);
}

static size_t ask_program(const struct profd_unit *unit, struct profd_group **out)
{
    const struct embedding *who = atomic_load(&embedding);
    if (who == NULL || who->ask == NULL)
        return 0;
    thread_current->asks_for_groups = true;
    size_t count = who->ask(unit, out, PROFD_UNIT_MOST_GROUPS, who->context);
    thread_current->asks_for_groups = false;
    return count < PROFD_UNIT_MOST_GROUPS ? count : PROFD_UNIT_MOST_GROUPS;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static struct profd_group *ref_own_group(const struct profd_unit *unit)
{
    const struct group_identity identity = { .kind = text_or_empty(unit->kind),
                                             .name = text_or_empty(unit->name),
                                             .flags = GROUP_IS_UNIT };
    return group_registry_ref(&identity, false);
}

static void unref_all(const struct profd_unit_groups_ *groups)
{
    for (unsigned i = 0; i < groups->count; i++)
        group_registry_unref(groups->groups[i]);
}

/* Of several threads that enter the unit at once, the first one's answer stands. */
static const struct profd_unit_groups_ *remember(struct profd_unit *unit,
                                                 struct profd_unit_groups_ *groups)
{
    struct profd_unit_groups_ *there = NULL;
    if (__atomic_compare_exchange_n(&unit->groups, &there, groups, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return groups;
    unref_all(groups);
    return there;
}

static const struct profd_unit_groups_ *learn(struct profd_unit *unit)
{
    struct profd_unit_groups_ *groups = group_registry_allocate(sizeof(*groups));
    if (groups == NULL)
        return NULL;
    groups->groups[0] = ref_own_group(unit);
    groups->count = 1 + (unsigned)ask_program(unit, groups->groups + 1);
    return remember(unit, groups);
}

const struct profd_unit_groups_ *unit_groups_get(struct profd_unit *unit)
{
    const struct profd_unit_groups_ *known = __atomic_load_n(&unit->groups, __ATOMIC_ACQUIRE);
    if (__builtin_expect(known != NULL, 1))
        return known;
    return thread_current == NULL || thread_current->asks_for_groups ? NULL : learn(unit);
}

void profd_unit_set_active(struct profd_unit *unit, bool is_active)
{
    const struct profd_unit_groups_ *groups = unit_groups_get(unit);
    if (groups != NULL)
        profd_group_set_active(groups->groups[0], is_active);
}

void profd_unit_forget(struct profd_unit *unit)
{
    const struct profd_unit_groups_ *groups =
        __atomic_exchange_n(&unit->groups, NULL, __ATOMIC_ACQ_REL);
    if (groups != NULL)
        unref_all(groups);
}
