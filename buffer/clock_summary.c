#include "buffer/clock_summary.h"

#include <stdbool.h>

static struct clock_group *find_group(struct clock_summary *summary,
                                      const struct clock_group *process)
{
    struct clock_group *group = summary->groups;

    while (group < summary->groups + summary->count &&
           (group->clock != process->clock || group->refusal != process->refusal))
        group++;
    if (group == summary->groups + summary->count) {
        *group = (struct clock_group){ .clock = process->clock, .refusal = process->refusal };
        summary->count++;
    }
    return group;
}

void clock_summary_add(struct clock_summary *summary, const struct clock_group *process)
{
    if (process->clock == SAMPLING_CLOCK_AUTO)
        return;
    struct clock_group *group = find_group(summary, process);

    group->processes += process->processes;
    if (process->shortest_ns != 0 &&
        (group->shortest_ns == 0 || process->shortest_ns < group->shortest_ns))
        group->shortest_ns = process->shortest_ns;
    if (process->longest_ns > group->longest_ns)
        group->longest_ns = process->longest_ns;
}

static bool comes_before(const struct clock_group *a, const struct clock_group *b)
{
    if (a->processes != b->processes)
        return a->processes > b->processes;
    return a->clock != b->clock ? a->clock < b->clock : a->refusal < b->refusal;
}

void clock_summary_sort(struct clock_summary *summary)
{
    for (size_t end = 1; end < summary->count; end++) {
        struct clock_group moved = summary->groups[end];
        size_t place = end;

        for (; place > 0 && comes_before(&moved, &summary->groups[place - 1]); place--)
            summary->groups[place] = summary->groups[place - 1];
        summary->groups[place] = moved;
    }
}
