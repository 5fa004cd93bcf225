#include "profctl/report/cost_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profctl/report/stack_keys.h"
#include "profctl/report/stack_recursion.h"

/* What is shown for CPU time that no sample covers. */
static const char not_sampled[] = "(not sampled)";

static void add_sum(struct stack_sum *sum, const struct stack_sum *more)
{
    sum->samples += more->samples;
    sum->cpu_ns += more->cpu_ns;
}

/* --- Rows --- */

static bool is_of_stacks(enum report_by by)
{
    return by == REPORT_BY_FUNCTION || by == REPORT_BY_LINE || by == REPORT_BY_LABEL;
}

static struct cost_row *row_at(const struct cost_table *table, uint32_t row)
{
    return (struct cost_row *)table->rows.items + row;
}

/* Rows have the numbers of their names: makes those that are missing. */
static int make_rows(struct cost_table *table)
{
    while (table->rows.count < unique_strings_count(&table->names)) {
        uint32_t name = (uint32_t)table->rows.count;
        struct cost_row *row = mapped_array_push(&table->rows, sizeof(*row));
        if (row == NULL)
            return -ENOMEM;
        *row = (struct cost_row){ .name = name };
    }
    return failure_latch_error(&table->latch);
}

static int find_row(struct cost_table *table, const char *name, uint32_t *row)
{
    *row = unique_strings_add(&table->names, name, strlen(name));
    return *row != UNIQUE_NONE ? make_rows(table) : -ENOMEM;
}

/* What has neither callers nor callees. */
static void add_to_row(struct cost_row *row, const struct stack_sum *sum)
{
    add_sum(&row->self, sum);
    add_sum(&row->total, sum);
}

static int spend_by_name(struct cost_table *table, const char *name, const struct stack_sum *sum)
{
    uint32_t row;
    int error = find_row(table, name, &row);

    if (error == 0)
        add_to_row(row_at(table, row), sum);
    return error;
}

static int spend_not_sampled(struct cost_table *table, double ns)
{
    const struct stack_sum sum = { .cpu_ns = ns > 0 ? (uint64_t)ns : 0 };

    add_sum(&table->all, &sum);
    return sum.cpu_ns > 0 ? spend_by_name(table, not_sampled, &sum) : 0;
}

/* --- Functions, lines and labels --- */

/* What the stacks of a thread say of the rows. */
struct stack_costs {
    struct stack_sum *totals; /* of each stack, with all that it called */
    uint32_t *innermost;      /* the name of each stack's last frame that has one */
    bool *is_recursion;       /* of each stack */
};

static void find_innermost_rows(const struct cost_table *table, const struct thread_tables *tables,
                                struct stack_costs *costs)
{
    const uint32_t *keys = table->keys.items;

    for (uint32_t i = 0; i < tables->stacks.count; i++) {
        uint32_t prefix = thread_tables_stack(tables, i)->prefix;
        uint32_t outer = prefix != TABLE_NONE ? costs->innermost[prefix] : UNIQUE_NONE;
        costs->innermost[i] = keys[i] != UNIQUE_NONE ? keys[i] : outer;
    }
}

static void sum_callees(const struct cost_table *table, const struct thread_tables *tables,
                        struct stack_costs *costs)
{
    for (size_t i = tables->stacks.count; i-- > 0;) {
        uint32_t prefix = thread_tables_stack(tables, (uint32_t)i)->prefix;
        add_sum(&costs->totals[i], thread_stacks_sum(&table->stacks, (uint32_t)i));
        if (prefix != TABLE_NONE)
            add_sum(&costs->totals[prefix], &costs->totals[i]);
    }
}

static int add_to_rows(struct cost_table *table, const struct thread_tables *tables,
                       const struct stack_costs *costs)
{
    const uint32_t *keys = table->keys.items;
    int error = make_rows(table);

    for (uint32_t i = 0; i < tables->stacks.count && error == 0; i++) {
        const struct stack_sum *sum = thread_stacks_sum(&table->stacks, i);
        add_sum(&table->all, sum);
        if (costs->innermost[i] != UNIQUE_NONE)
            add_sum(&row_at(table, costs->innermost[i])->self, sum);
        else if (sum->samples > 0)
            error = spend_by_name(table, stack_keys_no_label, sum);
        if (keys[i] != UNIQUE_NONE && !costs->is_recursion[i])
            add_sum(&row_at(table, keys[i])->total, &costs->totals[i]);
    }
    return error;
}

static int cost_stacks(struct cost_table *table, const struct profile_thread *thread)
{
    const struct thread_tables *tables = thread->tables;
    size_t count = tables->stacks.count + 1;
    struct stack_costs costs = {
        .totals = calloc(count, sizeof(*costs.totals)),
        .innermost = malloc(count * sizeof(*costs.innermost)),
        .is_recursion = malloc(count * sizeof(*costs.is_recursion)),
    };
    bool has_room = costs.totals != NULL && costs.innermost != NULL && costs.is_recursion != NULL;
    int error =
        has_room ? stack_keys_find(&table->stacks, thread, table->by, &table->names, &table->keys)
                 : -ENOMEM;

    if (error == 0)
        error = stack_recursion_mark(tables, table->keys.items, unique_strings_count(&table->names),
                                     costs.is_recursion);
    if (error == 0) {
        find_innermost_rows(table, tables, &costs);
        sum_callees(table, tables, &costs);
        error = add_to_rows(table, tables, &costs);
    }
    free(costs.totals);
    free(costs.innermost);
    free(costs.is_recursion);
    return error;
}

static int take_stacks(struct cost_table *table, const struct profile_thread *thread)
{
    int error = thread->sample_count > 0 ? thread_stacks_take(&table->stacks, thread) : 0;

    if (error == 0 && thread->sample_count > 0)
        error = cost_stacks(table, thread);
    return error < 0 ? error : spend_not_sampled(table, thread->not_sampled_ns);
}

/* --- Threads, processes and programs --- */

static struct stack_sum sum_of(const struct profile_thread *thread)
{
    struct stack_sum sum = { 0 };

    for (size_t i = 0; i < thread->sample_count; i++) {
        sum.samples += thread_stacks_sample_weight(thread, &thread->samples[i]) > 0;
        sum.cpu_ns += thread->knows_cpu ? (uint64_t)(thread->samples[i].cpu_ns + 0.5) : 0;
    }
    return sum;
}

static const char *name_owner(const struct cost_table *table, const struct profile_thread *thread,
                              char out[2 * THREAD_LABEL_BYTES])
{
    char process[THREAD_LABEL_BYTES];

    if (table->by == REPORT_BY_PROGRAM)
        return thread->process_name != NULL ? thread->process_name : "(unnamed process)";
    thread_label_process(thread, process);
    if (table->by == REPORT_BY_PROCESS)
        snprintf(out, 2 * THREAD_LABEL_BYTES, "%s", process);
    else
        snprintf(out, 2 * THREAD_LABEL_BYTES, "%s: %.200s", process, thread_label_name(thread));
    return out;
}

static int take_owner(struct cost_table *table, const struct profile_thread *thread,
                      struct cost_process *process)
{
    const struct stack_sum sum = sum_of(thread);
    char text[2 * THREAD_LABEL_BYTES];
    uint32_t row;
    int error = find_row(table, name_owner(table, thread, text), &row);

    if (error < 0)
        return error;
    add_to_row(row_at(table, row), &sum);
    add_sum(&table->all, &sum);
    row_at(table, row)->pid = thread->pid;
    row_at(table, row)->members += table->by == REPORT_BY_THREAD || !process->is_there;
    if (table->by != REPORT_BY_THREAD)
        process->row = row;
    return 0;
}

/* --- Reading --- */

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct cost_table *table = owner;
    struct cost_process *process = thread->is_of_root ? &table->root : &table->inner;

    if (profile_thread_is_of_profd(thread))
        return 0;
    table->is_by_samples &= !thread->knows_cpu || thread->sample_count == 0;
    int error =
        is_of_stacks(table->by) ? take_stacks(table, thread) : take_owner(table, thread, process);
    process->is_there = true;
    process->told_ns += profile_thread_cpu_ns(thread);
    return error;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct cost_table *table = owner;
    struct cost_process *process = is_root ? &table->root : &table->inner;
    struct process_account *account =
        process->is_there ? mapped_array_push(&table->accounts, sizeof(*account)) : NULL;
    int error = process->is_there && account == NULL ? -ENOMEM : 0;

    if (account != NULL)
        *account = process_account_of(log, process->told_ns, process->row);
    *process = (struct cost_process){ .row = UNIQUE_NONE };
    return error;
}

/* What processes used beyond what their samples say. */
static int settle_accounts(struct cost_table *table)
{
    struct process_account *accounts = table->accounts.items;
    int error = 0;

    process_accounts_settle(accounts, table->accounts.count);
    for (size_t i = 0; i < table->accounts.count && error == 0; i++) {
        const struct stack_sum rest = { .cpu_ns = (uint64_t)accounts[i].rest_ns };
        if (accounts[i].id == UNIQUE_NONE) {
            error = spend_not_sampled(table, accounts[i].rest_ns);
            continue;
        }
        add_to_row(row_at(table, (uint32_t)accounts[i].id), &rest);
        add_sum(&table->all, &rest);
    }
    return error;
}

/* Rows of which nothing is known go: of functions that were only met asleep. */
static void drop_empty_rows(struct cost_table *table)
{
    size_t kept = 0;

    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct cost_row *row = row_at(table, i);
        if (row->total.samples > 0 || row->total.cpu_ns > 0 || row->members > 0)
            *row_at(table, (uint32_t)kept++) = *row;
    }
    table->rows.count = kept;
}

static bool costs_more(const void *left, const void *right)
{
    const struct cost_row *a = left, *b = right;

    if (a->self.cpu_ns != b->self.cpu_ns)
        return a->self.cpu_ns > b->self.cpu_ns;
    if (a->self.samples != b->self.samples)
        return a->self.samples > b->self.samples;
    if (a->total.cpu_ns != b->total.cpu_ns)
        return a->total.cpu_ns > b->total.cpu_ns;
    if (a->total.samples != b->total.samples)
        return a->total.samples > b->total.samples;
    return a->name < b->name;
}

/* --- In other orders --- */

struct cost_sorter {
    const struct cost_table *table;
    enum cost_order order;
};

static int compare_names(const struct cost_table *table, uint32_t left, uint32_t right)
{
    size_t left_length, right_length;
    const char *a = unique_strings_get(&table->names, left, &left_length);
    const char *b = unique_strings_get(&table->names, right, &right_length);
    int order = memcmp(a, b, left_length < right_length ? left_length : right_length);

    return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct cost_sorter *sorter = context;
    const struct cost_row *a = left, *b = right;
    int order = 0;

    if (sorter->order == COST_BY_SAMPLES)
        order = (a->self.samples < b->self.samples) - (a->self.samples > b->self.samples);
    else if (sorter->order == COST_BY_NAME)
        order = compare_names(sorter->table, a->name, b->name);
    else if (sorter->order == COST_BY_PID)
        order = (a->pid > b->pid) - (a->pid < b->pid);
    return order != 0 ? order : costs_more(a, b) ? -1 : costs_more(b, a);
}

void cost_table_sort(struct cost_table *table, enum cost_order order)
{
    struct cost_sorter sorter = { table, order };

    if (table->rows.count > 1)
        qsort_r(table->rows.items, table->rows.count, sizeof(struct cost_row), compare_rows,
                &sorter);
}

/* --- The whole profile --- */

int cost_table_read(struct json_reader *reader, enum report_by by, struct cost_table *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process };
    struct profile_facts facts;

    *out = (struct cost_table){
        .by = by, .is_by_samples = true, .root.row = UNIQUE_NONE, .inner.row = UNIQUE_NONE
    };
    failure_latch_init(&out->latch);
    unique_strings_init(&out->names, &out->latch);
    thread_stacks_init(&out->stacks);
    int error = profile_walk(reader, &events, out, &facts);
    if (error == 0 && !out->is_by_samples)
        error = settle_accounts(out);
    if (error < 0)
        return error;
    drop_empty_rows(out);
    mapped_array_sort(&out->rows, sizeof(struct cost_row), costs_more);
    return 0;
}

void cost_table_free(struct cost_table *table)
{
    thread_stacks_fini(&table->stacks);
    unique_strings_fini(&table->names);
    mapped_array_free(&table->rows);
    mapped_array_free(&table->accounts);
    mapped_array_free(&table->keys);
}
