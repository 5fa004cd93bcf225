/* What has changed between two profiles, as text. */
#include "common/time_units.h"
#include "profctl/report/report_diff.h"
#include "profctl/report/report_output.h"
#include "profctl/units.h"

static const char *const side_names[DIFF_SIDES] = { "before", "after" };

static void print_side(const struct report_diff *diff, enum diff_side side, const char *file,
                       FILE *out)
{
    const struct report *table = &diff->tables[side];
    char processes[UNITS_TEXT_BYTES], samples[UNITS_TEXT_BYTES];

    fprintf(out, "%-6s %s: %s process%s, %s samples", side_names[side], file,
            units_format_count(table->processes, processes), table->processes == 1 ? "" : "es",
            units_format_count(table->size.ranked_samples, samples));
    if (diff->is_by_cpu)
        fprintf(out, "; CPU time: %.1f ms sampled, %.1f ms not sampled, %.1f ms not profiled",
                diff->sampled[side] / NS_PER_MS, table->size.not_sampled_ns / NS_PER_MS,
                table->absent_ns / NS_PER_MS);
    fputc('\n', out);
}

static void print_method(const struct report_diff *diff, FILE *out)
{
    if (diff->compares_shares)
        fprintf(out, "Shares of all %s are compared; changes are in points.\n",
                diff->is_by_cpu ? "sampled CPU time" : "samples");
    else
        fputs("CPU time is compared; shares are of all sampled CPU time.\n", out);
    fprintf(out,
            "* more than chance explains, ~ may be chance, ? fewer than %d samples: an exact, "
            "two-sided "
            "test of\nthe numbers of samples for equal %s, with Holm's correction for %zu "
            "comparisons, at %g%%.\n",
            REPORT_DIFF_FEWEST_SAMPLES,
            diff->compares_shares ? "shares (Fisher's)" : "CPU time (of two Poisson rates)",
            diff->comparisons, 100 * REPORT_DIFF_LEVEL);
}

static const char *format_change(const struct report_diff *diff,
                                 const struct function_diff *function,
                                 const struct diff_measure *measure, char text[UNITS_TEXT_BYTES])
{
    if (!function->is_in[DIFF_BEFORE])
        return "new";
    if (!function->is_in[DIFF_AFTER])
        return "gone";
    if (diff->compares_shares)
        snprintf(text, UNITS_TEXT_BYTES, "%+.1f", 100 * measure->change);
    else if (measure->amount[DIFF_BEFORE] > 0)
        snprintf(text, UNITS_TEXT_BYTES, "%+.1f%%",
                 100 * measure->change / measure->amount[DIFF_BEFORE]);
    else
        return measure->amount[DIFF_AFTER] > 0 ? "from 0" : "0";
    return text;
}

static void print_measure(const struct report_diff *diff, const struct function_diff *function,
                          const struct diff_measure *measure, FILE *out)
{
    static const char marks[] = {
        [DIFF_TOO_FEW] = '?', [DIFF_CHANCE] = '~', [DIFF_SIGNIFICANT] = '*'
    };
    double unit = diff->is_by_cpu ? NS_PER_MS : 1;
    char change[UNITS_TEXT_BYTES];

    fprintf(out, "%10.*f %10.*f %9s %c %5.1f%% %5.1f%%  ", diff->is_by_cpu,
            measure->amount[DIFF_BEFORE] / unit, diff->is_by_cpu,
            measure->amount[DIFF_AFTER] / unit, format_change(diff, function, measure, change),
            marks[measure->verdict], 100 * measure->share[DIFF_BEFORE],
            100 * measure->share[DIFF_AFTER]);
}

void report_diff_print_text(const struct report_diff *diff, const char *const files[DIFF_SIDES],
                            uint64_t n, FILE *out)
{
    const struct function_diff *functions = diff->functions.items;
    bool is_by_cpu = diff->is_by_cpu;

    print_side(diff, DIFF_BEFORE, files[DIFF_BEFORE], out);
    print_side(diff, DIFF_AFTER, files[DIFF_AFTER], out);
    print_method(diff, out);
    fprintf(out, "\n%21s %9s   %13s  %21s %9s   %13s\n", is_by_cpu ? "self ms" : "self samples", "",
            "share", is_by_cpu ? "total ms" : "total samples", "", "share");
    fprintf(out, "%10s %10s %9s   %6s %6s  %10s %10s %9s   %6s %6s  function\n", "before", "after",
            "change", "before", "after", "before", "after", "change", "before", "after");
    for (size_t i = 0; i < diff->functions.count && i < n; i++) {
        print_measure(diff, &functions[i], &functions[i].self, out);
        print_measure(diff, &functions[i], &functions[i].total, out);
        report_put_text(functions[i].name, functions[i].length, out);
        fputc('\n', out);
    }
    if (diff->functions.count > n)
        fprintf(out, "and %zu more functions; --top shows more\n",
                diff->functions.count - (size_t)n);
}
