/* A report as text, and as JSON. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/report.h"
#include "profctl/units.h"
#include "json/document_print.h"

enum {
    WIDEST_FUNCTION = 100, /* longer names, of templates mostly, are cut */
    MOST_NAMED = 8,        /* of those that are only summed up */
};

/* Less than this of all is summed up: a whole build would fill pages. */
static const double smallest_share = 0.01;

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* How much of WHOLE SIZE is: of the CPU time, or of the ranked samples. */
static double share_of(const struct report *report, const struct report_size *size,
                       const struct report_size *whole)
{
    if (report_is_by_cpu(report))
        return share(size->cpu_ns, whole->cpu_ns);
    return share((double)size->ranked_samples, (double)whole->ranked_samples);
}

static bool is_shown(const struct report *report, const struct report_size *size,
                     const struct report_size *whole)
{
    return size->ranked_samples > 0 && share_of(report, size, whole) >= smallest_share;
}

/* --- Text --- */

static const char *format_cpu(double ns, char out[UNITS_TEXT_BYTES])
{
    if (ns >= 1e9)
        snprintf(out, UNITS_TEXT_BYTES, "%.2f s", ns / 1e9);
    else
        snprintf(out, UNITS_TEXT_BYTES, "%.1f ms", ns / 1e6);
    return out;
}

static void print_header(const struct report *report, const char *file, FILE *out)
{
    char processes[UNITS_TEXT_BYTES], samples[UNITS_TEXT_BYTES], active[UNITS_TEXT_BYTES];
    char cpu[UNITS_TEXT_BYTES];

    fprintf(out, "%s: %s process%s, %s samples", file,
            units_format_count(report->processes, processes), report->processes == 1 ? "" : "es",
            units_format_count(report->size.samples, samples));
    if (!report->knows_cpu)
        fputs("; CPU use was not recorded, so all are ranked\n", out);
    else if (report->counts_idle)
        fprintf(out, ", %s of them with CPU use; ranked by all samples, idle ones too\n",
                units_format_count(report->size.active_samples, active));
    else
        fprintf(out,
                ", in %s of them the thread used CPU: %s; ranked by that CPU time (--all counts "
                "idle samples too)\n",
                units_format_count(report->size.active_samples, active),
                format_cpu(report->size.cpu_ns, cpu));
}

/* NAME, in the middle of which something is left out when it is too long: the library stays. */
static void print_name(const char *name, size_t length, FILE *out)
{
    const char *library = memrchr(name, '(', length);
    size_t tail = library != NULL && library > name ? length - (size_t)(library - 1 - name) : 0;

    if (length <= WIDEST_FUNCTION || tail > WIDEST_FUNCTION / 2)
        fprintf(out, "%.*s\n", (int)length, name);
    else
        fprintf(out, "%.*s…%.*s\n", (int)(WIDEST_FUNCTION - tail), name, (int)tail,
                name + length - tail);
}

/* By CPU time where that ranks, with the samples behind it; else by samples. */
static void print_counts(const struct report *report, const struct report_size *whole,
                         const struct function_count *count, FILE *out)
{
    double samples = (double)whole->ranked_samples;

    if (report_is_by_cpu(report))
        fprintf(out, "    %9.1f ms %5.1f%% %9.1f ms %5.1f%% %8llu  ", (double)count->self_ns / 1e6,
                100 * share((double)count->self_ns, whole->cpu_ns), (double)count->total_ns / 1e6,
                100 * share((double)count->total_ns, whole->cpu_ns),
                (unsigned long long)count->self);
    else
        fprintf(out, "    %8llu %5.1f%% %8llu %5.1f%%  ", (unsigned long long)count->self,
                100 * share((double)count->self, samples), (unsigned long long)count->total,
                100 * share((double)count->total, samples));
}

static void print_function(const struct report *report, const struct report_thread *thread,
                           uint32_t index, FILE *out)
{
    const struct function_count *count =
        (const struct function_count *)thread->counts.items + index;
    size_t length;
    const char *name = unique_strings_get(&thread->functions, index, &length);

    print_counts(report, &thread->size, count, out);
    print_name(name, length, out);
}

static void print_thread(const struct report *report, const struct report_thread *thread,
                         uint64_t top, FILE *out)
{
    uint32_t *ranked = report_rank_functions(report, thread);
    char samples[UNITS_TEXT_BYTES], cpu[UNITS_TEXT_BYTES];

    if (ranked == NULL)
        return;
    fprintf(out, "  %s", thread->name);
    if (thread->threads > 1)
        fprintf(out, " (%llu threads)", (unsigned long long)thread->threads);
    fprintf(out, ": %s CPU, %s samples\n", format_cpu(thread->size.cpu_ns, cpu),
            units_format_count(thread->size.ranked_samples, samples));
    fputs(report_is_by_cpu(report)
              ? "         CPU, self           CPU, total      samples  function\n"
              : "    samples, self  samples, total  function\n",
          out);
    for (uint64_t i = 0; i < top && i < thread->counts.count; i++)
        print_function(report, thread, ranked[i], out);
    free(ranked);
}

static void print_process(const struct report *report, const struct report_process *process,
                          uint64_t top, FILE *out)
{
    struct report_thread *const *threads = process->threads.items;
    char samples[UNITS_TEXT_BYTES], cpu[UNITS_TEXT_BYTES];
    uint64_t left_out = 0;

    fprintf(out, "\n%s", process->name);
    if (process->processes > 1)
        fprintf(out, " (%llu processes)", (unsigned long long)process->processes);
    fprintf(out, ": %s CPU, %s samples, %.1f%% of all\n", format_cpu(process->size.cpu_ns, cpu),
            units_format_count(process->size.ranked_samples, samples),
            100 * share_of(report, &process->size, &report->size));
    for (size_t i = 0; i < process->threads.count; i++) {
        if (is_shown(report, &threads[i]->size, &process->size))
            print_thread(report, threads[i], top, out);
        else
            left_out += threads[i]->threads;
    }
    if (left_out > 0)
        fprintf(out, "  and %llu thread%s with less than 1%% of its %s\n",
                (unsigned long long)left_out, left_out == 1 ? "" : "s",
                report_is_by_cpu(report) ? "CPU time" : "samples");
}

/* One line for all groups that WANTED chooses: "and 17 processes WHAT: sh ×9, make ×3, …". */
static void sum_up(const struct report *report, bool with_samples, const char *what, FILE *out)
{
    struct report_process *const *groups = report->groups.items;
    uint64_t processes = 0;
    size_t named = 0;

    for (size_t i = 0; i < report->groups.count; i++)
        if (!is_shown(report, &groups[i]->size, &report->size) &&
            (groups[i]->size.ranked_samples > 0) == with_samples)
            processes += groups[i]->processes;
    if (processes == 0)
        return;
    fprintf(out, "\nand %llu process%s %s:", (unsigned long long)processes,
            processes == 1 ? "" : "es", what);
    for (size_t i = 0; i < report->groups.count; i++) {
        if (is_shown(report, &groups[i]->size, &report->size) ||
            (groups[i]->size.ranked_samples > 0) != with_samples)
            continue;
        if (named++ == MOST_NAMED) {
            fputs(", …", out);
            break;
        }
        fprintf(out, "%s %s", named > 1 ? "," : "", groups[i]->name);
        if (groups[i]->processes > 1)
            fprintf(out, " ×%llu", (unsigned long long)groups[i]->processes);
    }
    fputc('\n', out);
}

void report_print_text(const struct report *report, const char *file, uint64_t top, FILE *out)
{
    struct report_process *const *groups = report->groups.items;

    print_header(report, file, out);
    report_clocks_print(&report->clocks, out);
    for (size_t i = 0; i < report->groups.count; i++)
        if (is_shown(report, &groups[i]->size, &report->size))
            print_process(report, groups[i], top, out);
    sum_up(report, true,
           report_is_by_cpu(report) ? "with less than 1% of all CPU time each name"
                                    : "with less than 1% of all samples each name",
           out);
    sum_up(report, false,
           report->counts_idle || !report->knows_cpu ? "without samples"
                                                     : "without samples that used CPU",
           out);
}

/* --- JSON --- */

static void add_size_members(cJSON *object, const struct report_size *size)
{
    cJSON_AddNumberToObject(object, "samples", (double)size->samples);
    cJSON_AddNumberToObject(object, "activeSamples", (double)size->active_samples);
    cJSON_AddNumberToObject(object, "cpuMs", size->cpu_ns / 1e6);
}

/* "f (in lib)" is function f of library lib; other locations have no library. */
static void add_function(cJSON *functions, const struct report_thread *thread, uint32_t index)
{
    const struct function_count *count =
        (const struct function_count *)thread->counts.items + index;
    size_t length;
    const char *view = unique_strings_get(&thread->functions, index, &length);
    char *name = strndup(view, length);
    char *in = name != NULL && length > 0 && name[length - 1] == ')' ? strstr(name, " (in ") : NULL;
    cJSON *function = cJSON_CreateObject();

    for (char *next = in; next != NULL; next = strstr(next + 1, " (in "))
        in = next;
    if (in != NULL) {
        name[length - 1] = '\0';
        *in = '\0';
    }
    cJSON_AddStringToObject(function, "function", name != NULL ? name : "");
    if (in != NULL)
        cJSON_AddStringToObject(function, "library", in + strlen(" (in "));
    else
        cJSON_AddNullToObject(function, "library");
    cJSON_AddNumberToObject(function, "self", (double)count->self);
    cJSON_AddNumberToObject(function, "total", (double)count->total);
    cJSON_AddNumberToObject(function, "selfMs", (double)count->self_ns / 1e6);
    cJSON_AddNumberToObject(function, "totalMs", (double)count->total_ns / 1e6);
    cJSON_AddItemToArray(functions, function);
    free(name);
}

static int add_thread(cJSON *threads, const struct report *report,
                      const struct report_thread *thread, uint64_t top)
{
    uint32_t *ranked = report_rank_functions(report, thread);
    cJSON *object = cJSON_CreateObject(), *functions;

    cJSON_AddItemToArray(threads, object);
    cJSON_AddStringToObject(object, "thread", thread->name);
    cJSON_AddNumberToObject(object, "threads", (double)thread->threads);
    add_size_members(object, &thread->size);
    functions = cJSON_AddArrayToObject(object, "functions");
    for (uint64_t i = 0; ranked != NULL && i < top && i < thread->counts.count; i++)
        add_function(functions, thread, ranked[i]);
    free(ranked);
    return ranked != NULL ? 0 : -ENOMEM;
}

static int add_process(cJSON *groups, const struct report *report,
                       const struct report_process *process, uint64_t top)
{
    struct report_thread *const *all = process->threads.items;
    cJSON *object = cJSON_CreateObject(), *threads;
    int err = 0;

    cJSON_AddItemToArray(groups, object);
    cJSON_AddStringToObject(object, "process", process->name);
    cJSON_AddNumberToObject(object, "processes", (double)process->processes);
    add_size_members(object, &process->size);
    threads = cJSON_AddArrayToObject(object, "threads");
    for (size_t i = 0; err == 0 && i < process->threads.count; i++)
        err = add_thread(threads, report, all[i], top);
    return err;
}

int report_print_json(const struct report *report, const char *file, uint64_t top, FILE *out)
{
    struct report_process *const *all = report->groups.items;
    bool by_all = report->counts_idle || !report->knows_cpu;
    cJSON *root = cJSON_CreateObject(), *groups;
    char *text = NULL;
    int err = 0;

    cJSON_AddStringToObject(root, "file", file);
    cJSON_AddStringToObject(root, "rankedBy", by_all ? "samples" : "activeSamples");
    cJSON_AddStringToObject(root, "orderedBy", report_is_by_cpu(report) ? "cpuMs" : "samples");
    cJSON_AddNumberToObject(root, "processes", (double)report->processes);
    add_size_members(root, &report->size);
    report_clocks_add_json(&report->clocks, root);
    groups = cJSON_AddArrayToObject(root, "groups");
    for (size_t i = 0; err == 0 && i < report->groups.count; i++)
        err = add_process(groups, report, all[i], top);
    if (err == 0)
        text = document_print(root);
    if (text != NULL)
        fprintf(out, "%s\n", text);
    cJSON_Delete(root);
    err = text != NULL ? 0 : -ENOMEM;
    free(text);
    return err;
}
