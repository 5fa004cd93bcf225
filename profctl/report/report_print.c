/* A report as text. */
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/report/report.h"
#include "profctl/report/report_output.h"
#include "profctl/report/stack_lines.h"
#include "profctl/units.h"

enum {
    LINE_COLUMNS = 80,
    WIDEST_FUNCTION = 100, /* longer names, of templates mostly, are cut */
    MAX_NAMED = 8,         /* of those that are only summed up */
};

/* Less than this of all is summed up: a whole build would fill pages. */
static const double smallest_share = 0.01;

static double fraction_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* How much of all SIZE is: of the CPU time, or of the ranked samples. */
static double share_of(const struct report *report, const struct report_size *size)
{
    if (report_is_by_cpu(report))
        return fraction_of(size->cpu_ns, report->size.cpu_ns);
    return fraction_of((double)size->ranked_samples, (double)report->size.ranked_samples);
}

static bool is_something(const struct report *report, const struct report_size *size)
{
    return size->ranked_samples > 0 || (report_is_by_cpu(report) && size->cpu_ns > 0);
}

static bool is_shown(const struct report *report, const struct report_size *size)
{
    return is_something(report, size) && share_of(report, size) >= smallest_share;
}

/* --- Text --- */

static const char *format_cpu(double ns, char out[UNITS_TEXT_BYTES])
{
    if (ns >= NS_PER_S)
        snprintf(out, UNITS_TEXT_BYTES, "%.2f s", ns / NS_PER_S);
    else
        snprintf(out, UNITS_TEXT_BYTES, "%.1f ms", ns / NS_PER_MS);
    return out;
}

static void print_part(const struct report *report, const char *what, double ns, FILE *out)
{
    char cpu[UNITS_TEXT_BYTES];

    fprintf(out, "  %-12s %10s %5.1f%%\n", what, format_cpu(ns, cpu),
            100 * fraction_of(ns, report->size.cpu_ns));
}

/* Where all CPU time is, which is what percentages are of. */
static void print_parts(const struct report *report, FILE *out)
{
    const struct report_size *size = &report->size;

    print_part(report, "sampled", size->cpu_ns - size->not_sampled_ns - report->absent_ns, out);
    print_part(report, "not sampled", size->not_sampled_ns, out);
    print_part(report, "not profiled", report->absent_ns, out);
}

static void print_header(const struct report *report, const char *file, FILE *out)
{
    char processes[UNITS_TEXT_BYTES], samples[UNITS_TEXT_BYTES], active[UNITS_TEXT_BYTES];
    char cpu[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s process%s, %s samples", file,
            units_format_count(report->processes, processes), report->processes == 1 ? "" : "es",
            units_format_count(report->size.samples, samples));
    if (!report->knows_cpu) {
        fputs("; CPU use was not recorded, so all are ranked\n", out);
        return;
    }
    fprintf(out, ", %s of them with CPU use; %s of CPU time\n",
            units_format_count(report->size.active_samples, active),
            format_cpu(report->size.cpu_ns, cpu));
    if (report->counts_idle) {
        fputs("Ranked by all samples, including idle ones; percentages are of all samples.\n", out);
        return;
    }
    print_parts(report, out);
    fputs("Ranked by CPU time; percentages are of all CPU time (--all counts idle samples, too).\n",
          out);
}

/* Whether BYTE is within a character of UTF-8, behind its first one. */
static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* NAME, in the middle of which something is left out when it is too long: the library stays. */
static void print_name(const char *name, size_t length, FILE *out)
{
    const char *library = memrchr(name, '(', length);
    size_t tail = library != NULL && library > name ? length - (size_t)(library - 1 - name) : 0;

    if (length <= WIDEST_FUNCTION || tail > WIDEST_FUNCTION / 2)
        report_put_text(name, length, out);
    else {
        size_t head = WIDEST_FUNCTION - tail;
        while (head > 0 && is_continuation(name[head]))
            head--;
        report_put_text(name, head, out);
        fputs("…", out);
        report_put_text(name + length - tail, tail, out);
    }
    fputc('\n', out);
}

/* By CPU time where that ranks, with the samples behind it; else by samples. */
static void print_counts(const struct report *report, const struct function_count *count, FILE *out)
{
    double samples = (double)report->size.ranked_samples;
    char cpu[UNITS_TEXT_BYTES];

    if (report_is_by_cpu(report))
        fprintf(out, "  %10s %5.1f%% %5.1f%% %8llu  ", format_cpu((double)count->self_ns, cpu),
                100 * fraction_of((double)count->self_ns, report->size.cpu_ns),
                100 * fraction_of((double)count->total_ns, report->size.cpu_ns),
                (unsigned long long)count->self);
    else
        fprintf(out, "  %8llu %5.1f%% %8llu %5.1f%%  ", (unsigned long long)count->self,
                100 * fraction_of((double)count->self, samples), (unsigned long long)count->total,
                100 * fraction_of((double)count->total, samples));
}

static void print_function(const struct report *report, const struct report_thread *thread,
                           uint32_t index, FILE *out)
{
    size_t length;
    const char *name = unique_strings_get(&thread->functions, index, &length);

    print_counts(report, (const struct function_count *)thread->counts.items + index, out);
    print_name(name, length, out);
}

/* ": 12.3 ms CPU, 4.5%, 67 samples", of all. */
static void print_size(const struct report *report, const struct report_size *size, FILE *out)
{
    char samples[UNITS_TEXT_BYTES], cpu[UNITS_TEXT_BYTES];

    fprintf(out, ": %s CPU, %s samples, %.1f%% of all\n", format_cpu(size->cpu_ns, cpu),
            units_format_count(size->ranked_samples, samples), 100 * share_of(report, size));
}

static void print_thread(const struct report *report, const struct report_thread *thread,
                         uint64_t top, FILE *out)
{
    uint32_t *ranked = report_rank_functions(report, thread);

    if (ranked == NULL)
        return;
    fputs("  ", out);
    report_put_text(thread->name, strlen(thread->name), out);
    if (thread->threads > 1)
        fprintf(out, " (%llu threads)", (unsigned long long)thread->threads);
    print_size(report, &thread->size, out);
    fputs(report_is_by_cpu(report) ? "         CPU   self  total  samples  function\n"
                                   : "   samples, self  samples, total  function\n",
          out);
    for (uint64_t i = 0; i < top && i < thread->counts.count; i++)
        print_function(report, thread, ranked[i], out);
    free(ranked);
}

/* Lines up with the functions. */
static void print_not_sampled(const struct report *report, const struct report_size *size,
                              FILE *out)
{
    char cpu[UNITS_TEXT_BYTES];

    if (!report_is_by_cpu(report) || size->not_sampled_ns <= 0)
        return;
    fprintf(out, "  %10s %5.1f%% %24s\n", format_cpu(size->not_sampled_ns, cpu),
            100 * fraction_of(size->not_sampled_ns, report->size.cpu_ns), "(not sampled)");
}

/* Of threads, what matters in their process is shown: in a small one everything is little of all.
 */
static bool is_thread_shown(const struct report *report, const struct report_process *process,
                            const struct report_thread *thread)
{
    double all = share_of(report, &process->size), part = share_of(report, &thread->size);

    return thread->size.ranked_samples > 0 && fraction_of(part, all) >= smallest_share;
}

static void print_process(const struct report *report, const struct report_process *process,
                          uint64_t top, FILE *out)
{
    struct report_thread *const *threads = process->threads.items;
    uint64_t left_out = 0;

    fputc('\n', out);
    report_put_text(process->name, strlen(process->name), out);
    if (process->processes > 1)
        fprintf(out, " (%llu processes)", (unsigned long long)process->processes);
    print_size(report, &process->size, out);
    for (size_t i = 0; i < process->threads.count; i++) {
        if (is_thread_shown(report, process, threads[i]))
            print_thread(report, threads[i], top, out);
        else
            left_out += threads[i]->size.ranked_samples > 0 ? threads[i]->threads : 0;
    }
    print_not_sampled(report, &process->size, out);
    if (left_out > 0)
        fprintf(out, "  and %llu thread%s with less than 1%% of its %s\n",
                (unsigned long long)left_out, left_out == 1 ? "" : "s",
                report_is_by_cpu(report) ? "CPU time" : "samples");
}

/* --- Those that are only summed up --- */

static bool is_group_summed_up(const struct report *report, const struct report_process *process,
                               bool with_something)
{
    return process->processes > 0 && !is_shown(report, &process->size) &&
           is_something(report, &process->size) == with_something;
}

/* One of a list after COLUMN columns, on a new line when it does not fit. Returns the column. */
static int print_listed(const struct report_process *process, bool is_first, int column, FILE *out)
{
    char text[LINE_COLUMNS * 2];
    int length;

    if (process->processes > 1)
        length = snprintf(text, sizeof(text), "%.100s ×%llu", process->name,
                          (unsigned long long)process->processes);
    else
        length = snprintf(text, sizeof(text), "%.100s", process->name);
    if (column + length + 2 > LINE_COLUMNS) {
        fputs(is_first ? "\n  " : ",\n  ", out);
        report_put_text(text, strlen(text), out);
        return length + 2;
    }
    fputs(is_first ? " " : ", ", out);
    report_put_text(text, strlen(text), out);
    return column + length + (is_first ? 1 : 2);
}

/* "and 17 processes WHAT: sh ×9, make ×3, …" for all groups with something, or with nothing. */
static void print_summary(const struct report *report, bool with_something, const char *what,
                          FILE *out)
{
    struct report_process *const *groups = report->groups.items;
    uint64_t processes = 0;
    size_t named = 0;

    for (size_t i = 0; i < report->groups.count; i++)
        processes +=
            is_group_summed_up(report, groups[i], with_something) ? groups[i]->processes : 0;
    if (processes == 0)
        return;
    int column = fprintf(out, "\nand %llu more process%s, %s:", (unsigned long long)processes,
                         processes == 1 ? "" : "es", what);
    for (size_t i = 0; i < report->groups.count; i++) {
        if (!is_group_summed_up(report, groups[i], with_something))
            continue;
        if (named++ == MAX_NAMED) {
            fputs(", …", out);
            break;
        }
        column = print_listed(groups[i], named == 1, column, out);
    }
    fputc('\n', out);
}

static void print_absence(const struct report *report, const struct report_absence *absence,
                          FILE *out)
{
    char cpu[UNITS_TEXT_BYTES];

    fprintf(out, "  %6llu × ", (unsigned long long)absence->processes);
    report_put_text(absence->name, strlen(absence->name), out);
    fputs(": ", out);
    if (absence->unknown == absence->processes)
        fputs("CPU time not known\n", out);
    else
        fprintf(out, "%s CPU, %.1f%% of all%s\n", format_cpu(absence->cpu_ns, cpu),
                100 * fraction_of(absence->cpu_ns, report->size.cpu_ns),
                absence->unknown > 0 ? ", and more that is not known" : "");
    if (absence->reason[0] != '\0')
        fprintf(out, "           ");
    report_put_text(absence->reason, strlen(absence->reason), out);
    fputc('\n', out);
}

/* Of processes that ended UNSEEN, as shells of system() do, nobody knows whether that was abnormal.
 */
static void print_ends(const struct report *report, bool unseen, FILE *out)
{
    const struct report_end *ends = report->fates.ends.items;
    char text[REPORT_END_TEXT_BYTES];
    bool has_begun = false;

    for (size_t i = 0; i < report->fates.ends.count; i++) {
        if ((strcmp(ends[i].verdict, "vanished") == 0) != unseen)
            continue;
        if (!has_begun)
            fputs(unseen ? "\nEnded unseen:\n" : "\nEnded abnormally:\n", out);
        has_begun = true;
        fprintf(out, "  %6llu × ", (unsigned long long)ends[i].processes);
        report_put_text(ends[i].name, strlen(ends[i].name), out);
        fprintf(out, ": %s\n", report_end_text(&ends[i], text));
    }
}

static void print_fates(const struct report *report, FILE *out)
{
    const struct report_absence *absences = report->fates.absences.items;

    if (report->fates.absences.count > 0)
        fputs("\nNot profiled:\n", out);
    for (size_t i = 0; i < report->fates.absences.count; i++)
        print_absence(report, &absences[i], out);
    print_ends(report, false, out);
    print_ends(report, true, out);
    if (report->lost_blocks > 0)
        fprintf(out,
                "\nLost: %.0f of the blocks that were recorded are neither here nor counted as "
                "dropped.\n",
                report->lost_blocks);
}

void report_print_text(const struct report *report, const char *file, uint64_t top, FILE *out)
{
    struct report_process *const *groups = report->groups.items;
    bool is_by_cpu = report_is_by_cpu(report);

    print_header(report, file, out);
    report_clocks_print(&report->clocks, out);
    stack_lines_print("stacks:", &report->refused, out);
    for (size_t i = 0; i < report->groups.count; i++)
        if (is_shown(report, &groups[i]->size))
            print_process(report, groups[i], top, out);
    print_summary(report, true,
                  is_by_cpu ? "each name with less than 1% of all CPU time"
                            : "each name with less than 1% of all samples",
                  out);
    print_summary(report, false, is_by_cpu ? "without CPU time" : "without samples", out);
    print_fates(report, out);
}
