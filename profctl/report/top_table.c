#include "profctl/report/top_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/printable.h"
#include "profctl/units.h"

enum { WIDEST_FUNCTION = 51 }; /* in 80 columns */

static void add_size(struct report_size *sum, const struct report_size *size)
{
    sum->samples += size->samples;
    sum->active_samples += size->active_samples;
    sum->ranked_samples += size->ranked_samples;
    sum->cpu_ns += size->cpu_ns;
    sum->not_sampled_ns += size->not_sampled_ns;
}

static struct function_count *count_at(const struct report_thread *thread, uint32_t index)
{
    return (struct function_count *)thread->counts.items + index;
}

/* The place of function NAME in THREAD, which is new there when it is the first of its name. */
static struct function_count *find_function(struct report_thread *thread, const char *name,
                                            size_t length)
{
    uint32_t index = unique_strings_add(&thread->functions, name, length);

    if (failure_latch_failed(&thread->latch))
        return NULL;
    if (index == thread->counts.count) {
        struct function_count *added = mapped_array_push(&thread->counts, sizeof(*added));
        if (added == NULL)
            return NULL;
        *added = (struct function_count){ 0 };
    }
    return count_at(thread, index);
}

static int add_thread(struct report_thread *sum, const struct report_thread *thread)
{
    add_size(&sum->size, &thread->size);
    for (uint32_t i = 0; i < thread->counts.count; i++) {
        size_t length;
        const char *name = unique_strings_get(&thread->functions, i, &length);
        struct function_count *count = find_function(sum, name, length);
        if (count == NULL)
            return -ENOMEM;
        count->self += count_at(thread, i)->self;
        count->total += count_at(thread, i)->total;
        count->self_ns += count_at(thread, i)->self_ns;
        count->total_ns += count_at(thread, i)->total_ns;
        count->self_squares += count_at(thread, i)->self_squares;
        count->total_squares += count_at(thread, i)->total_squares;
    }
    return 0;
}

int top_table_make(const struct report *report, struct report *out)
{
    struct report_process *const *groups = report->groups.items;

    *out = (struct report){ .counts_idle = report->counts_idle,
                            .knows_cpu = report->knows_cpu,
                            .processes = report->processes,
                            .size = report->size,
                            .absent_processes = report->absent_processes,
                            .absent_ns = report->absent_ns };
    struct report_process *all = report_find_process(out, "all processes");
    struct report_thread *sum = all != NULL ? report_find_thread(all, "all threads") : NULL;
    if (sum == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < report->groups.count; i++) {
        struct report_thread *const *threads = groups[i]->threads.items;
        for (size_t j = 0; j < groups[i]->threads.count; j++) {
            if (add_thread(sum, threads[j]) < 0)
                return -ENOMEM;
        }
    }
    return 0;
}

const struct report_thread *top_table_thread(const struct report *table)
{
    struct report_process *const *groups = table->groups.items;
    struct report_thread *const *threads = groups[0]->threads.items;
    return threads[0];
}

static double percent_of(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* Of the CPU time of all processes where it is known, else of samples. */
static void print_row(const struct report *table, const struct report_thread *thread,
                      uint32_t index, FILE *out)
{
    bool is_by_cpu = report_is_by_cpu(table);
    double whole = is_by_cpu ? table->size.cpu_ns : (double)table->size.ranked_samples;
    const struct function_count *count = count_at(thread, index);
    char name[WIDEST_FUNCTION * 4 + 1];
    size_t length;
    const char *text = unique_strings_get(&thread->functions, index, &length);

    snprintf(name, sizeof(name), "%.*s", (int)(length < WIDEST_FUNCTION ? length : WIDEST_FUNCTION),
             text);
    fprintf(out, "%7.1f%% %7.1f%% %9llu  %s\n",
            percent_of((double)(is_by_cpu ? count->self_ns : count->self), whole),
            percent_of((double)(is_by_cpu ? count->total_ns : count->total), whole),
            (unsigned long long)count->self, make_printable(name));
}

/* What has no function: WHAT, of all CPU time. */
static void print_rest(const struct report *table, const char *what, double ns, FILE *out)
{
    if (report_is_by_cpu(table) && ns > 0)
        fprintf(out, "%7.1f%% %8s %9s  %s\n", percent_of(ns, table->size.cpu_ns), "", "", what);
}

void top_table_print(const struct report *table, uint64_t last_ms, uint64_t n, FILE *out)
{
    const struct report_thread *thread = top_table_thread(table);
    char processes[UNITS_TEXT_BYTES], samples[UNITS_TEXT_BYTES];
    uint32_t *order = report_rank_functions(table, thread);

    fprintf(out, "%s processes, %.2f s of CPU in the last %.1f s; %s samples\n\n",
            units_format_count(table->processes, processes), table->size.cpu_ns / NS_PER_S,
            (double)last_ms / MS_PER_S, units_format_count(thread->size.ranked_samples, samples));
    fprintf(out, "%8s %8s %9s  %s\n", report_is_by_cpu(table) ? "self CPU" : "self", "total",
            "samples", "function");
    for (uint64_t i = 0; order != NULL && i < n && i < thread->counts.count; i++)
        print_row(table, thread, order[i], out);
    print_rest(table, "(not sampled)", table->size.not_sampled_ns, out);
    print_rest(table, "(not profiled)", table->absent_ns, out);
    free(order);
}
