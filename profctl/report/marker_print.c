/* The report on markers, as text and as JSON. */
#include "common/time_units.h"
#include "profctl/report/marker_report.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

static void print_row(const struct marker_report *report, const struct marker_row *row, FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    fprintf(out, "%12s", units_format_count(row->count, count));
    if (row->count > row->instants)
        fprintf(out, "%13.1f%13.1f%13.1f%13.1f", row->total_ms, row->median_ms, row->p99_ms,
                row->longest_ms);
    else
        fprintf(out, "%52s", "");
    if (report->knows_cpu && row->count > row->instants)
        fprintf(out, "%13.1f", row->cpu_ns / NS_PER_MS);
    else if (report->knows_cpu)
        fprintf(out, "%13s", "");
    fputs("  ", out);
    report_put_name(&report->names, row->name, out);
    putc('\n', out);
}

static size_t count_shown(const struct marker_report *report, uint64_t top)
{
    return report->rows.count < top ? report->rows.count : (size_t)top;
}

void marker_report_print_text(const struct marker_report *report, const char *file, uint64_t top,
                              FILE *out)
{
    const struct marker_row *rows = report->rows.items;
    size_t shown = count_shown(report, top);
    char markers[UNITS_TEXT_BYTES], names[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s marker%s of %s name%s\n\n", file,
            units_format_count(report->markers, markers), report->markers == 1 ? "" : "s",
            units_format_count(report->rows.count, names), report->rows.count == 1 ? "" : "s");
    fprintf(out, "     markers     total ms    median ms       p99 ms   longest ms%s  marker\n",
            report->knows_cpu ? "       CPU ms" : "");
    for (size_t i = 0; i < shown; i++)
        print_row(report, &rows[i], out);
    if (shown < report->rows.count)
        fprintf(out, "\nand %s more (--top N)\n",
                units_format_count(report->rows.count - shown, names));
}

/* --- JSON --- */

static void put_row(struct json_writer *json, const struct marker_report *report,
                    const struct marker_row *row)
{
    json_start_object(json);
    report_json_name(json, "name", &report->names, row->name);
    json_u64_property(json, "markers", row->count);
    json_u64_property(json, "instants", row->instants);
    json_double_property(json, "totalMs", row->total_ms);
    json_double_property(json, "medianMs", row->median_ms);
    json_double_property(json, "p99Ms", row->p99_ms);
    json_double_property(json, "longestMs", row->longest_ms);
    if (report->knows_cpu)
        json_double_property(json, "cpuMs", row->cpu_ns / NS_PER_MS);
    else
        json_null_property(json, "cpuMs");
    json_end_object(json);
}

int marker_report_print_json(const struct marker_report *report, const char *file, uint64_t top,
                             FILE *out)
{
    const struct marker_row *rows = report->rows.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_string_property(writer, "by", "marker");
    json_u64_property(writer, "markers", report->markers);
    json_u64_property(writer, "count", report->rows.count);
    json_start_array_property(writer, "rows");
    for (size_t i = 0; i < count_shown(report, top); i++)
        put_row(writer, report, &rows[i]);
    json_end_array(writer);
    return report_json_end(&json, out);
}
