#include "daemon/census/census_foreign.h"

static struct census_foreign_process *find_place(struct census_foreign *foreign,
                                                 const struct census_entry *name)
{
    uint32_t mixed = (uint32_t)name->pid * 31 + (uint32_t)name->parent_pid;

    return &foreign->places[mixed % CENSUS_FOREIGN_PLACES];
}

static bool is_same(const struct census_foreign_process *process, const struct census_entry *name)
{
    return process->name.pid == name->pid && process->name.parent_pid == name->parent_pid;
}

static void make_end_of(struct census_entry *entry, pid_t pid)
{
    entry->kind = CENSUS_ENDED;
    entry->pid = pid;
    entry->parent_pid = 0;
}

bool census_foreign_learn(struct census_foreign *foreign, const struct census_entry *name,
                          pid_t pid, struct census_entry *end)
{
    struct census_foreign_process *place = find_place(foreign, name);
    const struct census_foreign_process before = *place;

    *place = (struct census_foreign_process){ .name = *name, .pid = pid };
    bool has_ended =
        before.pid == 0 && is_same(&before, name) && before.name.time_ns >= name->time_ns;
    if (!has_ended)
        return false;
    place->name.pid = 0;
    *end = before.name;
    make_end_of(end, pid);
    return true;
}

bool census_foreign_resolve(struct census_foreign *foreign, struct census_entry *entry)
{
    struct census_foreign_process *place = find_place(foreign, entry);

    if (place->pid == 0)
        place->name = *entry;
    if (place->pid == 0 || !is_same(place, entry))
        return false;
    make_end_of(entry, place->pid);
    *place = (struct census_foreign_process){ 0 };
    return true;
}
