/* Groups of a report, and the counting of functions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/profile/frame_name.h"
#include "profctl/report/report.h"
#include "profctl/report/stack_recursion.h"

/* --- Groups --- */

struct report_process *report_find_process(struct report *report, const char *name)
{
    struct report_process **groups = report->groups.items, **place, *process;

    for (size_t i = 0; i < report->groups.count; i++)
        if (strcmp(groups[i]->name, name) == 0)
            return groups[i];
    process = calloc(1, sizeof(*process));
    place = process != NULL ? mapped_array_push(&report->groups, sizeof(struct report_process *))
                            : NULL;
    if (place == NULL || (process->name = strdup(name)) == NULL) {
        report->groups.count -= place != NULL;
        free(process);
        return NULL;
    }
    *place = process;
    return process;
}

struct report_thread *report_find_thread(struct report_process *process, const char *name)
{
    struct report_thread **threads = process->threads.items, **place, *thread;

    for (size_t i = 0; i < process->threads.count; i++)
        if (strcmp(threads[i]->name, name) == 0)
            return threads[i];
    thread = calloc(1, sizeof(*thread));
    place = thread != NULL ? mapped_array_push(&process->threads, sizeof(struct report_thread *))
                           : NULL;
    if (place == NULL || (thread->name = strdup(name)) == NULL) {
        process->threads.count -= place != NULL;
        free(thread);
        return NULL;
    }
    failure_latch_init(&thread->latch);
    unique_strings_init(&thread->functions, &thread->latch);
    *place = thread;
    return thread;
}

static void free_process(struct report_process *process)
{
    struct report_thread **threads = process->threads.items;

    for (size_t i = 0; i < process->threads.count; i++) {
        unique_strings_fini(&threads[i]->functions);
        mapped_array_free(&threads[i]->counts);
        free(threads[i]->name);
        free(threads[i]);
    }
    mapped_array_free(&process->threads);
    free(process->name);
    free(process);
}

void report_free(struct report *report)
{
    for (size_t i = 0; i < report->groups.count; i++)
        free_process(((struct report_process **)report->groups.items)[i]);
    mapped_array_free(&report->groups);
    report_fates_free(&report->fates);
}

/* --- Counting --- */

struct count_pass {
    struct report_thread *thread;
    const struct thread_tables *tables;
    const struct process_libraries *libraries;
    uint32_t *named;             /* the function of each location that was met, else UNIQUE_NONE */
    uint32_t *functions;         /* of each stack that was met, likewise */
    bool *is_recursion;          /* of each stack */
    struct stack_weight *totals; /* likewise */
};

static uint32_t location_of(const struct thread_tables *tables, uint32_t stack)
{
    return thread_tables_frame(tables, thread_tables_stack(tables, stack)->frame)->location;
}

static uint32_t add_function(struct report_thread *thread, const char *name, size_t length)
{
    uint32_t index = unique_strings_add(&thread->functions, name, length);

    if (index == thread->counts.count &&
        mapped_array_push(&thread->counts, sizeof(struct function_count)) == NULL)
        return UNIQUE_NONE;
    return index;
}

/* The function that LOCATION names, as an index of the report's thread; UNIQUE_NONE: no memory. */
static uint32_t name_location(struct count_pass *pass, uint32_t location)
{
    char buffer[FRAME_NAME_BYTES];
    size_t length;
    const char *name = frame_name(pass->tables, pass->libraries, location, buffer, &length);

    return add_function(pass->thread, name, length);
}

static uint32_t function_of(struct count_pass *pass, uint32_t stack)
{
    uint32_t location = location_of(pass->tables, stack);

    if (pass->named[location] == UNIQUE_NONE)
        pass->named[location] = name_location(pass, location);
    return pass->named[location];
}

/* TOTALS begin as the weights and end as those of each stack with all that it called. */
static void sum_callees(const struct thread_tables *tables, struct stack_weight *totals)
{
    for (size_t i = tables->stacks.count; i-- > 0;) {
        uint32_t prefix = thread_tables_stack(tables, (uint32_t)i)->prefix;

        if (prefix == TABLE_NONE)
            continue;
        totals[prefix].samples += totals[i].samples;
        totals[prefix].cpu_ns += totals[i].cpu_ns;
        totals[prefix].squares += totals[i].squares;
    }
}

/* Of all stacks that a sample saw, or their callers. */
static int find_functions(struct count_pass *pass)
{
    for (uint32_t i = 0; i < pass->tables->stacks.count; i++) {
        pass->functions[i] = pass->totals[i].samples > 0 ? function_of(pass, i) : UNIQUE_NONE;
        if (pass->totals[i].samples > 0 && pass->functions[i] == UNIQUE_NONE)
            return -ENOMEM;
    }
    return 0;
}

static void count_stacks(const struct count_pass *pass, const struct stack_weight *weights)
{
    for (uint32_t i = 0; i < pass->tables->stacks.count; i++) {
        struct function_count *count = pass->thread->counts.items;

        if (pass->functions[i] == UNIQUE_NONE)
            continue;
        count += pass->functions[i];
        count->self += weights[i].samples;
        count->self_ns += weights[i].cpu_ns;
        count->self_squares += weights[i].squares;
        if (pass->is_recursion[i])
            continue;
        count->total += pass->totals[i].samples;
        count->total_ns += pass->totals[i].cpu_ns;
        count->total_squares += pass->totals[i].squares;
    }
}

static int count_all(struct count_pass *pass, const struct stack_weight *weights)
{
    const struct thread_tables *tables = pass->tables;

    memset(pass->named, 0xff, tables->strings.count * sizeof(*pass->named));
    memcpy(pass->totals, weights, tables->stacks.count * sizeof(*pass->totals));
    sum_callees(tables, pass->totals);
    int error = find_functions(pass);
    if (error == 0)
        error = stack_recursion_mark(tables, pass->functions, (uint32_t)pass->thread->counts.count,
                                     pass->is_recursion);
    if (error == 0)
        count_stacks(pass, weights);
    return error;
}

int report_count_functions(struct report_thread *thread, const struct thread_tables *tables,
                           const struct process_libraries *libraries,
                           const struct stack_weight *weights)
{
    size_t stacks = tables->stacks.count + 1;
    struct count_pass pass = {
        .thread = thread,
        .tables = tables,
        .libraries = libraries,
        .named = malloc((tables->strings.count + 1) * sizeof(*pass.named)),
        .functions = malloc(stacks * sizeof(*pass.functions)),
        .is_recursion = malloc(stacks * sizeof(*pass.is_recursion)),
        .totals = malloc(stacks * sizeof(*pass.totals)),
    };
    bool has_room = pass.named != NULL && pass.functions != NULL && pass.is_recursion != NULL &&
                    pass.totals != NULL;
    int error = has_room ? count_all(&pass, weights) : -ENOMEM;

    free(pass.named);
    free(pass.functions);
    free(pass.is_recursion);
    free(pass.totals);
    return error;
}

/* --- Ranking --- */

struct rank_criteria {
    const struct report_thread *thread;
    bool is_by_cpu;
};

/* The larger one comes first. */
static int compare_descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_counts(const struct function_count *a, const struct function_count *b,
                          bool is_by_cpu)
{
    int order = is_by_cpu ? compare_descending(a->self_ns, b->self_ns) : 0;

    if (order == 0)
        order = compare_descending(a->self, b->self);
    if (order == 0 && is_by_cpu)
        order = compare_descending(a->total_ns, b->total_ns);
    return order != 0 ? order : compare_descending(a->total, b->total);
}

static int compare_functions(const void *left, const void *right, void *context)
{
    const struct rank_criteria *criteria = context;
    const struct report_thread *thread = criteria->thread;
    const struct function_count *counts = thread->counts.items;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    size_t a_length, b_length;
    const char *a_name, *b_name;
    int order = compare_counts(&counts[a], &counts[b], criteria->is_by_cpu);

    if (order != 0)
        return order;
    a_name = unique_strings_get(&thread->functions, a, &a_length);
    b_name = unique_strings_get(&thread->functions, b, &b_length);
    order = memcmp(a_name, b_name, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

uint32_t *report_rank_functions(const struct report *report, const struct report_thread *thread)
{
    struct rank_criteria criteria = { thread, report_is_by_cpu(report) };
    size_t count = thread->counts.count;
    uint32_t *indices = malloc((count + 1) * sizeof(*indices));

    for (size_t i = 0; indices != NULL && i < count; i++)
        indices[i] = (uint32_t)i;
    if (indices != NULL)
        qsort_r(indices, count, sizeof(*indices), compare_functions, &criteria);
    return indices;
}

static int compare_sizes(const struct report_size *a, const struct report_size *b,
                         const struct report *report)
{
    if (report_is_by_cpu(report) && a->cpu_ns != b->cpu_ns)
        return a->cpu_ns > b->cpu_ns ? -1 : 1;
    if (a->ranked_samples != b->ranked_samples)
        return compare_descending(a->ranked_samples, b->ranked_samples);
    return compare_descending(a->samples, b->samples);
}

static int compare_processes(const void *left, const void *right, void *report)
{
    const struct report_process *a = *(struct report_process *const *)left;
    const struct report_process *b = *(struct report_process *const *)right;
    int order = compare_sizes(&a->size, &b->size, report);

    if (order == 0 && a->processes != b->processes)
        order = a->processes > b->processes ? -1 : 1;
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int compare_threads(const void *left, const void *right, void *report)
{
    const struct report_thread *a = *(struct report_thread *const *)left;
    const struct report_thread *b = *(struct report_thread *const *)right;
    int order = compare_sizes(&a->size, &b->size, report);

    return order != 0 ? order : strcmp(a->name, b->name);
}

void report_sort(struct report *report)
{
    struct report_process **groups = report->groups.items;

    if (report->groups.count > 1)
        qsort_r(groups, report->groups.count, sizeof(struct report_process *), compare_processes,
                report);
    for (size_t i = 0; i < report->groups.count; i++)
        if (groups[i]->threads.count > 1)
            qsort_r(groups[i]->threads.items, groups[i]->threads.count,
                    sizeof(struct report_thread *), compare_threads, report);
}
