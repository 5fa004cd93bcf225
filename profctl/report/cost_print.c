/* The table of costs, as text and as JSON. */
#include "common/time_units.h"
#include "profctl/report/cost_table.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

static double cost_of(const struct cost_table *table, const struct stack_sum *sum)
{
    return table->is_by_samples ? (double)sum->samples : (double)sum->cpu_ns / NS_PER_MS;
}

static void print_cost(const struct cost_table *table, const struct stack_sum *sum, FILE *out)
{
    double all = cost_of(table, &table->all), cost = cost_of(table, sum);

    fprintf(out, "%12.1f %6.1f%%", cost, all > 0 ? 100 * cost / all : 0);
}

/* Threads and processes have no callers. */
static bool has_totals(const struct cost_table *table)
{
    return table->by == REPORT_BY_FUNCTION || table->by == REPORT_BY_LINE ||
           table->by == REPORT_BY_LABEL;
}

/* Several processes are of one program. */
static bool has_members(const struct cost_table *table)
{
    return table->by == REPORT_BY_PROGRAM;
}

static void print_row(const struct cost_table *table, const struct cost_row *row, FILE *out)
{
    print_cost(table, &row->self, out);
    if (has_totals(table))
        print_cost(table, &row->total, out);
    if (!table->is_by_samples)
        fprintf(out, " %9llu", (unsigned long long)row->self.samples);
    if (has_members(table))
        fprintf(out, " %11llu", (unsigned long long)row->members);
    fputs("  ", out);
    report_put_name(&table->names, row->name, out);
    putc('\n', out);
}

static void print_heading(const struct cost_table *table, const char *file, FILE *out)
{
    char samples[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %.1f ms of CPU time, %s samples; by %s\n\n", file,
            (double)table->all.cpu_ns / NS_PER_MS, units_format_count(table->all.samples, samples),
            report_by_name(table->by));
}

static void print_columns(const struct cost_table *table, FILE *out)
{
    if (has_totals(table))
        fprintf(out, "%12s %7s%12s %7s", table->is_by_samples ? "self" : "self ms", "self",
                table->is_by_samples ? "total" : "total ms", "total");
    else
        fprintf(out, "%12s %7s", table->is_by_samples ? "samples" : "CPU ms", "of all");
    fprintf(out, "%s%s  %s\n", table->is_by_samples ? "" : "   samples",
            has_members(table) ? "   processes" : "", report_by_name(table->by));
}

static size_t count_shown(const struct cost_table *table, uint64_t top)
{
    return table->rows.count < top ? table->rows.count : (size_t)top;
}

void cost_table_print_rows(const struct cost_table *table, uint64_t top, FILE *out)
{
    const struct cost_row *rows = table->rows.items;

    print_columns(table, out);
    for (size_t i = 0; i < count_shown(table, top); i++)
        print_row(table, &rows[i], out);
}

void cost_table_print_text(const struct cost_table *table, const char *file, uint64_t top,
                           FILE *out)
{
    size_t shown = count_shown(table, top);
    char count[UNITS_TEXT_BYTES];

    print_heading(table, file, out);
    cost_table_print_rows(table, top, out);
    if (shown < table->rows.count)
        fprintf(out, "\nand %s more (--top N)\n",
                units_format_count(table->rows.count - shown, count));
}

/* --- JSON --- */

static void put_row(struct json_writer *json, const struct cost_table *table,
                    const struct cost_row *row)
{
    json_start_object(json);
    report_json_name(json, "name", &table->names, row->name);
    json_u64_property(json, "self", row->self.samples);
    json_double_property(json, "selfMs", (double)row->self.cpu_ns / NS_PER_MS);
    json_u64_property(json, "total", row->total.samples);
    json_double_property(json, "totalMs", (double)row->total.cpu_ns / NS_PER_MS);
    if (has_members(table))
        json_u64_property(json, "processes", row->members);
    json_end_object(json);
}

int cost_table_print_json(const struct cost_table *table, const char *file, uint64_t top, FILE *out)
{
    const struct cost_row *rows = table->rows.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_string_property(writer, "by", report_by_name(table->by));
    json_string_property(writer, "orderedBy", table->is_by_samples ? "samples" : "cpuMs");
    json_u64_property(writer, "samples", table->all.samples);
    json_double_property(writer, "cpuMs", (double)table->all.cpu_ns / NS_PER_MS);
    json_u64_property(writer, "count", table->rows.count);
    json_start_array_property(writer, "rows");
    for (size_t i = 0; i < count_shown(table, top); i++)
        put_row(writer, table, &rows[i]);
    json_end_array(writer);
    return report_json_end(&json, out);
}
