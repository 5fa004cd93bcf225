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

/* Whether we are called by the call-back, and it has not been left by an exception or longjmp. */
static bool is_asking(void)
{
    return (uintptr_t)__builtin_frame_address(0) < thread_current->asking_frame;
}

/* How many of COUNT the program has really put into OUT, which was cleared before. */
static size_t count_put(struct profd_group *const *out, size_t count)
{
    size_t put = 0;
    while (put < count && put < PROFD_UNIT_MOST_GROUPS && out[put] != NULL)
        put++;
    return put;
}

static size_t ask_program(const struct profd_unit *unit, struct profd_group **out)
{
    const struct embedding *who = atomic_load(&embedding);
    if (who == NULL || who->ask == NULL)
        return 0;
    thread_current->asking_frame = (uintptr_t)__builtin_frame_address(0);
    size_t count = who->ask(unit, out, PROFD_UNIT_MOST_GROUPS, who->context);
    thread_current->asking_frame = 0;
    return count_put(out, count);
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

/* Of units that were forgotten; only for the holder of the registry. */
static struct profd_unit_groups_ *spare;

static struct profd_unit_groups_ *take_spare(void)
{
    bool held = group_registry_hold();
    struct profd_unit_groups_ *groups = spare;
    if (groups != NULL)
        spare = groups->next_spare;
    group_registry_release(held);
    return groups != NULL ? groups : group_registry_allocate(sizeof(*groups));
}

static void give_back_groups(struct profd_unit_groups_ *groups)
{
    for (unsigned i = 0; i < groups->count; i++)
        group_registry_unref(groups->groups[i]);
    bool held = group_registry_hold();
    groups->next_spare = spare;
    spare = groups;
    group_registry_release(held);
}

/* Of several threads that enter the unit at once, the first one's answer stands. */
static const struct profd_unit_groups_ *publish_groups(struct profd_unit *unit,
                                                       struct profd_unit_groups_ *groups)
{
    struct profd_unit_groups_ *there = NULL;
    if (__atomic_compare_exchange_n(&unit->groups, &there, groups, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return groups;
    give_back_groups(groups);
    return there;
}

static const struct profd_unit_groups_ *learn_groups(struct profd_unit *unit)
{
    struct profd_unit_groups_ *groups = take_spare();
    if (groups == NULL)
        return NULL;
    *groups = (struct profd_unit_groups_){ .groups = { ref_own_group(unit) } };
    groups->count = 1 + (unsigned)ask_program(unit, groups->groups + 1);
    return publish_groups(unit, groups);
}

const struct profd_unit_groups_ *unit_groups_learn(struct profd_unit *unit)
{
    return thread_current == NULL || is_asking() ? NULL : learn_groups(unit);
}

void profd_unit_set_active(struct profd_unit *unit, bool is_active)
{
    const struct profd_unit_groups_ *groups = unit_groups_get(unit);
    if (groups != NULL)
        profd_group_set_active(groups->groups[0], is_active);
}

void profd_unit_forget(struct profd_unit *unit)
{
    struct profd_unit_groups_ *groups = __atomic_exchange_n(&unit->groups, NULL, __ATOMIC_ACQ_REL);
    if (groups != NULL)
        give_back_groups(groups);
}
