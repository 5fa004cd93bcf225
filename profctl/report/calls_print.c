/* The report on calls, as text and as JSON. */
#include <string.h>

#include "profctl/report/calls_report.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

static size_t clamp_count(size_t count, uint64_t top)
{
    return count < top ? count : (size_t)top;
}

static void print_longest(const struct calls_report *report, uint64_t top, FILE *out)
{
    const struct reported_call *calls = report->longest.items;

    fputs("\nlongest calls\n  duration ms      self ms     start ms  function\n", out);
    for (size_t i = 0; i < clamp_count(report->longest.count, top); i++) {
        fprintf(out, "%13.1f%13.1f%13.1f  ", calls[i].duration_ms, calls[i].self_ms,
                calls[i].start_ms);
        report_put_name(&report->stacks.names, calls[i].function, out);
        fputs(", ", out);
        report_put_name(&report->threads, calls[i].thread, out);
        putc('\n', out);
    }
}

static void print_functions(const struct calls_report *report, uint64_t top, FILE *out)
{
    const struct function_calls *functions = report->functions.items;

    fputs("\nby function\n     total ms        calls    median ms       p99 ms   longest ms  "
          "function\n",
          out);
    for (size_t i = 0; i < clamp_count(report->functions.count, top); i++) {
        fprintf(out, "%13.1f%13llu%13.1f%13.1f%13.1f  ", functions[i].total_ms,
                (unsigned long long)functions[i].count, functions[i].median_ms, functions[i].p99_ms,
                functions[i].longest_ms);
        report_put_name(&report->stacks.names, functions[i].function, out);
        putc('\n', out);
    }
}

void calls_report_print_text(const struct calls_report *report, const char *file, uint64_t top,
                             FILE *out)
{
    char count[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s call%s, inferred from samples, and only as precise as they are\n", file,
            units_format_count(report->calls, count), report->calls == 1 ? "" : "s");
    print_longest(report, top, out);
    print_functions(report, top, out);
}

/* --- JSON --- */

static void put_json_calls(struct json_writer *json, const struct calls_report *report,
                           uint64_t top)
{
    const struct reported_call *calls = report->longest.items;

    json_start_array_property(json, "longest");
    for (size_t i = 0; i < clamp_count(report->longest.count, top); i++) {
        json_start_object(json);
        report_json_name(json, "function", &report->stacks.names, calls[i].function);
        report_json_name(json, "thread", &report->threads, calls[i].thread);
        json_double_property(json, "startMs", calls[i].start_ms);
        json_double_property(json, "durationMs", calls[i].duration_ms);
        json_double_property(json, "selfMs", calls[i].self_ms);
        json_end_object(json);
    }
    json_end_array(json);
}

static void put_json_functions(struct json_writer *json, const struct calls_report *report,
                               uint64_t top)
{
    const struct function_calls *functions = report->functions.items;

    json_start_array_property(json, "functions");
    for (size_t i = 0; i < clamp_count(report->functions.count, top); i++) {
        json_start_object(json);
        report_json_name(json, "function", &report->stacks.names, functions[i].function);
        json_u64_property(json, "calls", functions[i].count);
        json_double_property(json, "totalMs", functions[i].total_ms);
        json_double_property(json, "medianMs", functions[i].median_ms);
        json_double_property(json, "p99Ms", functions[i].p99_ms);
        json_double_property(json, "longestMs", functions[i].longest_ms);
        json_end_object(json);
    }
    json_end_array(json);
}

int calls_report_print_json(const struct calls_report *report, const char *file, uint64_t top,
                            FILE *out)
{
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_u64_property(writer, "calls", report->calls);
    put_json_calls(writer, report, top);
    put_json_functions(writer, report, top);
    return report_json_end(&json, out);
}
