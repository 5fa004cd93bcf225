#include "ipc/groups/group_order.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_texts(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

    return order != 0 ? order : compare_numbers(a_bytes, b_bytes);
}

int group_row_compare_processes(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers((uint64_t)a->process->pid, (uint64_t)b->process->pid);

    return order != 0 ? order : compare_numbers(a->process->start_ns, b->process->start_ns);
}

int group_row_compare_groups(const void *left, const void *right)
{
    const struct group_view *a = &((const struct group_row *)left)->group;
    const struct group_view *b = &((const struct group_row *)right)->group;
    int order = compare_texts(a->kind, a->kind_bytes, b->kind, b->kind_bytes);

    if (order == 0)
        order = compare_texts(a->name, a->name_bytes, b->name, b->name_bytes);
    return order != 0 ? order : compare_numbers(a->flags, b->flags);
}

int group_row_compare(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = group_row_compare_processes(a, b);

    return order != 0 ? order : compare_numbers(a->group.place, b->group.place);
}

unsigned group_row_jank(const struct group_row *row)
{
    unsigned exceeded = GROUP_THRESHOLDS;

    while (exceeded > 0 && row->group.cpu_exceeded[exceeded - 1] == 0)
        exceeded--;
    return exceeded;
}

static int compare_cpu(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.cpu_ns, a->group.costs.cpu_ns);

    return order != 0 ? order : group_row_compare(a, b);
}

static int compare_wall(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.wall_ns, a->group.costs.wall_ns);

    return order != 0 ? order : group_row_compare(a, b);
}

static int compare_blocked(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.costs.blocked_ns, a->group.costs.blocked_ns);

    return order != 0 ? order : compare_cpu(a, b);
}

static int compare_ticks(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;
    int order = compare_numbers(b->group.ticks, a->group.ticks);

    return order != 0 ? order : compare_cpu(a, b);
}

static int compare_jank(const void *left, const void *right)
{
    const struct group_row *a = left, *b = right;

    for (unsigned i = GROUP_THRESHOLDS; i-- > 0;) {
        int order = compare_numbers(b->group.cpu_exceeded[i], a->group.cpu_exceeded[i]);
        if (order != 0)
            return order;
    }
    return compare_cpu(a, b);
}

void group_rows_sort(struct group_rows *rows, enum group_rows_order order)
{
    static int (*const compares[])(const void *, const void *) = {
        [GROUP_ROWS_CPU] = compare_cpu,         [GROUP_ROWS_WALL] = compare_wall,
        [GROUP_ROWS_BLOCKED] = compare_blocked, [GROUP_ROWS_TICKS] = compare_ticks,
        [GROUP_ROWS_JANK] = compare_jank,
    };

    if (rows->count > 1)
        qsort(rows->rows, rows->count, sizeof(*rows->rows), compares[order]);
}
