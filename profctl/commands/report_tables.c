#include "profctl/commands/report_tables.h"

#include "profctl/report/cost_table.h"
#include "profctl/report/counter_report.h"
#include "profctl/report/marker_report.h"
#include "profctl/report/report_screen.h"

static int print_markers(const struct marker_report *report, const char *path,
                         const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = marker_report_print_json(report, path, arguments->top, screen.out);
    else if (error == 0)
        marker_report_print_text(report, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_markers(struct profile_input *input, const struct arguments *arguments,
                          struct failure *failure)
{
    struct marker_report report;
    int error = marker_report_read(input->reader, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_markers(&report, input->path, arguments, failure);

    marker_report_free(&report);
    return code;
}

static int print_counters(const struct counter_report *report, const char *path,
                          const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = counter_report_print_json(report, path, screen.out);
    else if (error == 0)
        counter_report_print_text(report, path, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_counters(struct profile_input *input, const struct arguments *arguments,
                           struct failure *failure)
{
    struct counter_report report;
    int error = counter_report_read(input->reader, &report);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_counters(&report, input->path, arguments, failure);

    counter_report_free(&report);
    return code;
}

static int print_costs(const struct cost_table *table, const char *path,
                       const struct arguments *arguments, struct failure *failure)
{
    struct report_screen screen;
    int error = report_screen_open(&screen, arguments->json, !arguments->no_pager);

    if (error == 0 && arguments->json)
        error = cost_table_print_json(table, path, arguments->top, screen.out);
    else if (error == 0)
        cost_table_print_text(table, path, arguments->top, screen.out);
    return report_screen_settle(&screen, error, failure);
}

static int report_costs(struct profile_input *input, enum report_by by,
                        const struct arguments *arguments, struct failure *failure)
{
    struct cost_table table;
    int error = cost_table_read(input->reader, by, &table);
    int code = error < 0 ? profile_input_failed(input, error, failure)
                         : print_costs(&table, input->path, arguments, failure);

    cost_table_free(&table);
    return code;
}

int report_table(struct profile_input *input, enum report_by by, const struct arguments *arguments,
                 struct failure *failure)
{
    switch (by) {
    case REPORT_BY_MARKER:
        return report_markers(input, arguments, failure);
    case REPORT_BY_COUNTER:
        return report_counters(input, arguments, failure);
    default:
        return report_costs(input, by, arguments, failure);
    }
}
