#include "profctl/report/report_clocks.h"

#include "common/clock_choice.h"
#include "common/time_units.h"
#include "profctl/report/clock_line.h"

void report_clocks_add(struct report_clocks *clocks, const struct process_log *log)
{
    struct clock_group process = { .processes = 1 };

    if (log->clock != NULL)
        (void)clock_choice_parse(log->clock, &process.clock); /* one not known here is none */
    if (log->clock_refused != NULL)
        process.refusal = clock_refusal_named(log->clock_refused);
    process.shortest_ns = process.longest_ns = process_log_interval_ns(log->clock_interval_ms);
    clock_summary_add(&clocks->summary, &process);
}

void report_clocks_print(const struct report_clocks *clocks, FILE *out)
{
    struct clock_summary summary = clocks->summary;
    char line[CLOCK_LINE_BYTES];

    clock_summary_sort(&summary);
    for (size_t i = 0; i < summary.count; i++)
        fprintf(out, "clock: %s\n",
                clock_line_format(&summary.groups[i], clocks->asked_ns, summary.count > 1, line));
}

void report_clocks_add_json(const struct report_clocks *clocks, cJSON *root)
{
    struct clock_summary summary = clocks->summary;
    cJSON *array = cJSON_AddArrayToObject(root, "clocks");

    clock_summary_sort(&summary);
    for (size_t i = 0; i < summary.count; i++) {
        const struct clock_group *group = &summary.groups[i];
        cJSON *object = cJSON_CreateObject();

        cJSON_AddItemToArray(array, object);
        cJSON_AddStringToObject(object, "clock", sampling_clock_name(group->clock));
        cJSON_AddNumberToObject(object, "processes", (double)group->processes);
        cJSON_AddNumberToObject(object, "shortestIntervalMs",
                                (double)group->shortest_ns / NS_PER_MS);
        cJSON_AddNumberToObject(object, "longestIntervalMs", (double)group->longest_ns / NS_PER_MS);
        if (group->refusal != CLOCK_REFUSAL_NONE)
            cJSON_AddStringToObject(object, "refused", clock_refusal_text(group->refusal));
        else
            cJSON_AddNullToObject(object, "refused");
    }
}
