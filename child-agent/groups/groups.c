#include "child-agent/groups/groups.h"

#include <errno.h>
#include <stddef.h>

#include "buffer/group_reader.h"
#include "child-agent/core.h"
#include "child-agent/groups/group_registry.h"
#include "child-agent/recording_word.h"
#include "child-agent/upcalls.h"

_Atomic uint32_t groups_followed;
_Atomic uint32_t groups_needs;
_Atomic uint32_t groups_began = 1;

static _Atomic uint32_t needs_of[GROUPS_ASKERS];

uint32_t groups_needs_from_inside(void)
{
    uint32_t needs = 0;
    for (unsigned who = 0; who < GROUPS_ASKERS; who++)
        needs |= atomic_load(&needs_of[who]);
    return needs;
}

bool groups_are_recorded(void)
{
    return atomic_load_explicit(&needs_of[GROUPS_FOR_SESSION], memory_order_relaxed) != 0;
}

void groups_follow(void)
{
    uint32_t theirs, own;
    do {
        theirs = agent_lease_group_needs();
        own = groups_needs_from_inside();
        atomic_store(&groups_followed, theirs);
        uint32_t before = atomic_exchange(&groups_needs, theirs | own);
        bool is_new = before == 0 && (theirs | own) != 0;
        if (is_new || ((before ^ (theirs | own)) & GROUP_NEED_CPU))
            atomic_fetch_add(&groups_began, 1);
        recording_word_set_groups((theirs | own) != 0);
    } while (theirs != agent_lease_group_needs() || own != groups_needs_from_inside());
}

void groups_ask(enum groups_asker who, uint32_t needs)
{
    if (atomic_exchange(&needs_of[who], needs) != needs)
        groups_follow();
}

int groups_prepare(void)
{
    if (!core.is_enabled || !core_local.is_followed || core_is_forking)
        return -ENOTSUP;
    upcall_end_dormancy();
    return core_local.has_arena ? 0 : upcall_make_arena();
}

/* --- The program's calls --- */

_Static_assert((int)PROFD_MEASURE_TICKS == (int)GROUP_NEED_GROUPS &&
                   (int)PROFD_MEASURE_UNITS == (int)GROUP_NEED_UNITS &&
                   (int)PROFD_MEASURE_CPU == (int)GROUP_NEED_CPU &&
                   (int)PROFD_MEASURE_BLOCKED == (int)GROUP_NEED_BLOCKED,
               "the program's words are profd's");

void profd_groups_measure(unsigned measures)
{
    uint32_t needs = measures & GROUP_NEEDS_ALL;
    if (needs != 0)
        needs |= GROUP_NEED_GROUPS;
    if (needs == 0 || groups_prepare() == 0)
        groups_ask(GROUPS_FOR_PROGRAM, needs);
}

void profd_groups_monitor(bool is_wanted, bool is_detailed)
{
    profd_groups_measure(is_wanted ? GROUP_NEEDS_USUAL | (is_detailed ? GROUP_NEED_UNITS : 0) : 0);
}

struct profd_group *profd_group_ref(const char *kind, const char *name, uint64_t id, unsigned flags)
{
    const struct group_identity identity = { .kind = kind != NULL ? kind : "",
                                             .name = name != NULL ? name : "",
                                             .flags = flags & PROFD_GROUP_SYSTEM,
                                             .id = id };
    return group_registry_ref(&identity, true);
}

void profd_group_unref(struct profd_group *group)
{
    group_registry_unref(group);
}

void profd_group_set_active(struct profd_group *group, bool is_active)
{
    atomic_store(&group->is_active, is_active);
}

static void fill_stats(struct profd_group_stats *stats, const struct group_view *view)
{
    *stats = (struct profd_group_stats){
        .kind = view->kind,
        .kind_bytes = view->kind_bytes,
        .name = view->name,
        .name_bytes = view->name_bytes,
        .id = view->id,
        .flags = view->flags,
        .ticks = view->ticks,
        .cpu_ns = view->costs.cpu_ns,
        .wall_ns = view->costs.wall_ns,
        .blocked_ns = view->costs.blocked_ns,
        .unattributed_ns = view->costs.unattributed_ns,
    };
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        stats->cpu_exceeded[i] = view->cpu_exceeded[i];
        stats->wall_exceeded[i] = view->wall_exceeded[i];
    }
}

int profd_groups_snapshot(void (*visit)(const struct profd_group_stats *stats, void *context),
                          void *context)
{
    struct group_view view;
    struct profd_group_stats stats;
    if (!core_local.has_arena || atomic_load(&core.arena.header->groups.since_ns) == 0)
        return -ENOENT;
    const struct group_table_header *table = &core.arena.header->groups;
    struct group_reader reader = {
        .memory = (const uint8_t *)core.arena.header + table->offset,
        .bytes = group_table_readable_bytes(table, core.arena.mapped_bytes),
    };
    while (group_reader_next(&reader, &view)) {
        fill_stats(&stats, &view);
        visit(&stats, context);
    }
    return 0;
}
