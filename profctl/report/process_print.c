/* The report on processes, as text and as JSON. */
#include <stdbool.h>
#include <string.h>

#include "profctl/report/process_report.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

static const struct process_life *life_of(const struct process_report *report, size_t index)
{
    return (const struct process_life *)report->lives.items + index;
}

static size_t clamp_count(size_t count, uint64_t top)
{
    return count < top ? count : (size_t)top;
}

static void print_ms(double ms, FILE *out)
{
    if (ms >= 0)
        fprintf(out, "%12.1f", ms);
    else
        fprintf(out, "%12s", "?");
}

/* IS_LEAST: of CPU time that was used, MS is what is known. */
static void print_cpu_ms(double ms, bool is_least, FILE *out)
{
    char text[UNITS_TEXT_BYTES];

    if (!is_least || ms < 0) {
        print_ms(ms, out);
        return;
    }
    snprintf(text, sizeof(text), ">=%.1f", ms);
    fprintf(out, "%12s", text);
}

/* One that says more than that the process ended well. */
static bool has_verdict(const struct process_life *life)
{
    return life->verdict != UNIQUE_NONE && life->code != 0;
}

static void print_life(const struct process_report *report, const struct process_life *life,
                       FILE *out)
{
    fputs("           ", out);
    print_cpu_ms(life->cpu_ms, life->is_least_cpu, out);
    print_ms(life->wall_ms, out);
    fprintf(out, "  %.0f  ", life->pid);
    if (life->command != NULL)
        report_put_text(life->command, strlen(life->command), out);
    else
        report_put_name(&report->names, life->program, out);
    if (has_verdict(life)) {
        fputs("  (", out);
        report_put_name(&report->names, life->verdict, out);
        fprintf(out, life->code > 0 ? " %.0f)" : ")", life->code);
    }
    putc('\n', out);
}

static void print_program(const struct process_report *report, const struct program_lives *program,
                          uint64_t top, FILE *out)
{
    char count[UNITS_TEXT_BYTES];
    size_t shown = clamp_count(program->count, top);

    fprintf(out, "\n%11s", units_format_count(program->count, count));
    print_cpu_ms(program->cpu_ms, program->is_least_cpu, out);
    print_ms(program->longest_ms, out);
    print_ms(program->median_ms, out);
    print_ms(program->p99_ms, out);
    fputs("  ", out);
    report_put_name(&report->names, program->program, out);
    putc('\n', out);
    const struct process_life *first = life_of(report, program->first);
    if (program->count == 1 && first->command == NULL && !has_verdict(first))
        return; /* the line above has it all */
    for (size_t i = 0; i < shown; i++)
        print_life(report, life_of(report, program->first + i), out);
    if (shown < program->count)
        fprintf(out, "           %12s%12s  and %s more\n", "", "",
                units_format_count(program->count - shown, count));
}

void process_report_print_text(const struct process_report *report, const char *file, uint64_t top,
                               FILE *out)
{
    const struct program_lives *programs = report->programs.items;
    char processes[UNITS_TEXT_BYTES], kinds[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s process%s of %s program%s; the slowest of each\n", file,
            units_format_count(report->lives.count, processes),
            report->lives.count == 1 ? "" : "es", units_format_count(report->programs.count, kinds),
            report->programs.count == 1 ? "" : "s");
    fputs("\n  processes      CPU ms     wall ms   median ms      p99 ms  program, command\n", out);
    for (size_t i = 0; i < report->programs.count; i++)
        print_program(report, &programs[i], top, out);
}

/* --- JSON --- */

static void put_known_ms(struct json_writer *json, const char *name, double ms)
{
    if (ms >= 0)
        json_double_property(json, name, ms);
    else
        json_null_property(json, name);
}

static void put_life(struct json_writer *json, const struct process_report *report,
                     const struct process_life *life)
{
    json_start_object(json);
    put_known_ms(json, "pid", life->pid);
    if (life->command != NULL)
        json_string_property(json, "command", life->command);
    else
        json_null_property(json, "command");
    put_known_ms(json, "startMs", life->start_ms);
    put_known_ms(json, "wallMs", life->wall_ms);
    put_known_ms(json, "cpuMs", life->cpu_ms);
    json_bool_property(json, "cpuIsLeast", life->is_least_cpu);
    report_json_name(json, "verdict", &report->names, life->verdict);
    put_known_ms(json, "code", life->code);
    json_end_object(json);
}

static void put_program(struct json_writer *json, const struct process_report *report,
                        const struct program_lives *program, uint64_t top)
{
    json_start_object(json);
    report_json_name(json, "program", &report->names, program->program);
    json_u64_property(json, "processes", program->count);
    json_u64_property(json, "ended", program->ended);
    put_known_ms(json, "cpuMs", program->cpu_ms);
    json_bool_property(json, "cpuIsLeast", program->is_least_cpu);
    put_known_ms(json, "medianMs", program->median_ms);
    put_known_ms(json, "p99Ms", program->p99_ms);
    put_known_ms(json, "longestMs", program->longest_ms);
    json_start_array_property(json, "slowest");
    for (size_t i = 0; i < clamp_count(program->count, top); i++)
        put_life(json, report, life_of(report, program->first + i));
    json_end_array(json);
    json_end_object(json);
}

int process_report_print_json(const struct process_report *report, const char *file, uint64_t top,
                              FILE *out)
{
    const struct program_lives *programs = report->programs.items;
    struct report_json json;
    struct json_writer *writer = &json.writer;

    report_json_begin(&json, out);
    json_string_property(writer, "file", file);
    json_u64_property(writer, "processes", report->lives.count);
    json_start_array_property(writer, "programs");
    for (size_t i = 0; i < report->programs.count; i++)
        put_program(writer, report, &programs[i], top);
    json_end_array(writer);
    return report_json_end(&json, out);
}
