#include "daemon/metrics/group_totals.h"

#include <errno.h>
#include <string.h>

#include "buffer/group_reader.h"
#include "ipc/groups/group_bounds.h"

static struct metric_labels labels_of(const char *program, const char *level,
                                      const struct group_view *group)
{
    struct metric_labels labels = { 0 };

    metric_labels_add(&labels, "program", program, strlen(program));
    metric_labels_add(&labels, "level", level, strlen(level));
    metric_labels_add(&labels, "kind", group->kind, group->kind_bytes);
    metric_labels_add(&labels, "name", group->name, group->name_bytes);
    return labels;
}

int group_totals_init(struct group_totals *totals)
{
    static const struct group_view all = {
        .kind = "other", .kind_bytes = 5, .name = "other", .name_bytes = 5
    };
    const struct metric_labels other = labels_of("other", "other", &all);

    *totals = (struct group_totals){ 0 };
    int error = label_sets_init(&totals->labels, GROUP_TOTALS_MOST, &other);
    return error < 0 ? error
                     : mapped_array_reserve(&totals->totals, GROUP_TOTALS_MOST + 1,
                                            sizeof(struct group_total));
}

void group_totals_fini(struct group_totals *totals)
{
    label_sets_fini(&totals->labels);
    mapped_array_free(&totals->totals);
}

static struct group_total *total_at(const struct group_totals *totals, uint32_t index)
{
    return (struct group_total *)totals->totals.items + index;
}

void group_totals_begin_look(struct group_totals *totals)
{
    for (uint32_t i = 0; i < label_sets_count(&totals->labels); i++) {
        struct group_total *total = total_at(totals, i);
        total->living = (struct group_sum){ 0 };
        total->running_ns = 0;
    }
    totals->folded = totals->ended_folded;
    totals->cancelled = totals->ended_cancelled;
    totals->moved = totals->ended_moved;
}

/* --- Adding --- */

static uint64_t ticks_within(uint64_t ticks, uint64_t exceeded)
{
    return ticks > exceeded ? ticks - exceeded : 0;
}

static void add_group(struct group_sum *sum, const struct group_view *group)
{
    group_sum_add(&sum->ticks, group->ticks);
    group_sum_add(&sum->cpu_ns, group->costs.cpu_ns);
    group_sum_add(&sum->wall_ns, group->costs.wall_ns);
    group_sum_add(&sum->blocked_ns, group->costs.blocked_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        group_sum_add(&sum->cpu_within[i], ticks_within(group->ticks, group->cpu_exceeded[i]));
        group_sum_add(&sum->wall_within[i], ticks_within(group->ticks, group->wall_exceeded[i]));
    }
}

static const char *level_of(const struct group_view *group)
{
    if (group->flags & GROUP_IS_TOP)
        return "thread";
    return group->flags & GROUP_IS_UNIT ? "unit" : "group";
}

/* It is there from the beginning, or somebody only refers to it: nothing to keep labels for. */
static bool has_never_run(const struct group_view *group)
{
    return group->ticks == 0 && group->costs.cpu_ns == 0 && group->running_since_ns == 0;
}

static void add_view(struct group_totals *totals, const char *program, bool has_ended,
                     const struct group_view *group, const struct group_bounds *bounds,
                     uint64_t now_ns)
{
    const struct metric_labels labels = labels_of(program, level_of(group), group);
    struct group_total *total = total_at(totals, label_sets_place(&totals->labels, &labels));
    uint64_t since_ns = group->running_since_ns;

    add_group(has_ended ? &total->ended : &total->living, group);
    if (!has_ended && since_ns != 0 && since_ns < now_ns && now_ns - since_ns > total->running_ns)
        total->running_ns = group_bounds_count(bounds, now_ns - since_ns);
}

static void add_counts(struct group_totals *totals, const struct group_snapshot_process *process,
                       const struct group_bounds *bounds)
{
    uint64_t folded = group_bounds_count(bounds, process->folded);
    uint64_t cancelled = group_bounds_count(bounds, process->cancelled);
    uint64_t moved = group_bounds_count(bounds, process->moved);

    group_sum_add(&totals->folded, folded);
    group_sum_add(&totals->cancelled, cancelled);
    group_sum_add(&totals->moved, moved);
    if (process->end_ns == 0)
        return;
    group_sum_add(&totals->ended_folded, folded);
    group_sum_add(&totals->ended_cancelled, cancelled);
    group_sum_add(&totals->ended_moved, moved);
}

void group_totals_add(struct group_totals *totals, const char *program,
                      const struct group_part *part, unsigned processors, uint64_t now_ns)
{
    const struct group_snapshot_process *process = &part->process;
    const struct group_bounds bounds = group_bounds_of(process, processors, now_ns);
    struct group_reader reader = { .memory =
                                       part->rest + group_snapshot_name_room(process->name_bytes),
                                   .bytes = process->table_bytes };
    struct group_view group;

    add_counts(totals, process, &bounds);
    while (group_reader_next(&reader, &group)) {
        group_bounds_cut(&bounds, &group);
        if (!has_never_run(&group))
            add_view(totals, program, process->end_ns != 0, &group, &bounds, now_ns);
    }
}

static void raise_total(uint64_t *told, uint64_t a, uint64_t b)
{
    uint64_t sum = group_sum_of(a, b);

    *told = sum > *told ? sum : *told;
}

struct group_sum group_totals_tell(struct group_totals *totals, uint32_t index)
{
    struct group_total *total = total_at(totals, index);
    const struct group_sum *ended = &total->ended, *living = &total->living;
    struct group_sum *told = &total->told;

    raise_total(&told->ticks, ended->ticks, living->ticks);
    raise_total(&told->cpu_ns, ended->cpu_ns, living->cpu_ns);
    raise_total(&told->wall_ns, ended->wall_ns, living->wall_ns);
    raise_total(&told->blocked_ns, ended->blocked_ns, living->blocked_ns);
    for (unsigned i = 0; i < GROUP_THRESHOLDS; i++) {
        raise_total(&told->cpu_within[i], ended->cpu_within[i], living->cpu_within[i]);
        raise_total(&told->wall_within[i], ended->wall_within[i], living->wall_within[i]);
    }
    return *told;
}

uint64_t group_totals_running_ns(const struct group_totals *totals, uint32_t index)
{
    return total_at(totals, index)->running_ns;
}
