#include "profctl/report/clock_line.h"

#include <stdio.h>

#include "common/time_units.h"
#include "profctl/units.h"

enum { INTERVAL_BYTES = 32, INTERVALS_BYTES = 80, REASON_BYTES = 128 };

static const char *format_interval(uint64_t ns, char out[INTERVAL_BYTES])
{
    if (ns >= NS_PER_S)
        snprintf(out, INTERVAL_BYTES, "%.4g s", (double)ns / NS_PER_S);
    else if (ns >= NS_PER_MS)
        snprintf(out, INTERVAL_BYTES, "%.4g ms", (double)ns / NS_PER_MS);
    else
        snprintf(out, INTERVAL_BYTES, "%.4g us", (double)ns / NS_PER_US);
    return out;
}

/* ", 4 ms", or of several lengths ", 1 ms to 4 ms". */
static void format_intervals(const struct clock_group *group, char out[INTERVALS_BYTES])
{
    char shortest[INTERVAL_BYTES], longest[INTERVAL_BYTES];

    out[0] = '\0';
    if (group->longest_ns == 0)
        return;
    format_interval(group->longest_ns, longest);
    format_interval(group->shortest_ns, shortest);
    if (group->shortest_ns == group->longest_ns)
        snprintf(out, INTERVALS_BYTES, ", %s", longest);
    else
        snprintf(out, INTERVALS_BYTES, ", %s to %s", shortest, longest);
}

/* A tenth more is no other interval. */
static bool is_longer(uint64_t ns, uint64_t asked_ns)
{
    return asked_ns != 0 && ns > asked_ns && ns - asked_ns > asked_ns / 10;
}

/* Why it is not what was asked for, and what to do. */
static void format_reason(const struct clock_group *group, uint64_t asked_ns,
                          char out[REASON_BYTES])
{
    char asked[INTERVAL_BYTES];

    out[0] = '\0';
    if (group->refusal != CLOCK_REFUSAL_NONE)
        snprintf(out, REASON_BYTES, "; not as requested: %s", clock_refusal_text(group->refusal));
    else if (!is_longer(group->longest_ns, asked_ns))
        return;
    else if (group->clock == SAMPLING_CLOCK_CPU)
        snprintf(out, REASON_BYTES, ": the kernel's tick; --clock perf for %s",
                 format_interval(asked_ns, asked));
    else if (group->clock == SAMPLING_CLOCK_PERF)
        snprintf(out, REASON_BYTES, ": the shortest that the kernel grants");
}

const char *clock_line_format(const struct clock_group *group, uint64_t asked_ns, bool counted,
                              char out[CLOCK_LINE_BYTES])
{
    char intervals[INTERVALS_BYTES], reason[REASON_BYTES], count[UNITS_TEXT_BYTES];
    char processes[2 * UNITS_TEXT_BYTES] = "";

    format_intervals(group, intervals);
    format_reason(group, asked_ns, reason);
    if (counted)
        snprintf(processes, sizeof(processes), " in %s process%s",
                 units_format_count(group->processes, count), group->processes == 1 ? "" : "es");
    snprintf(out, CLOCK_LINE_BYTES, "%s%s%s%s", sampling_clock_name(group->clock), intervals,
             processes, reason);
    return out;
}
