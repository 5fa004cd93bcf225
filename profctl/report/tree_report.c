#include "profctl/report/tree_report.h"

#include <errno.h>
#include <string.h>

/* What is shown for CPU time that no sample covers, and for callers beyond the next so many. */
static const char not_sampled[] = "(not sampled)", further_callers[] = "(further callers)";

enum { MAX_CALLERS = 1000 };

static int add_name(struct tree_report *report, const char *name, uint32_t *out)
{
    *out = unique_strings_add(&report->stacks.names, name, strlen(name));
    return *out != UNIQUE_NONE ? 0 : -ENOMEM;
}

/* From NODE, which may be START, where calls begin. */
static int step_to_child(struct tree_report *report, uint32_t name, uint32_t start, uint32_t *node)
{
    if (report->folds_recursion && *node != start &&
        call_tree_node(&report->tree, *node)->name == name)
        return 0;
    *node = call_tree_child(&report->tree, *node, name);
    return *node != CALL_TREE_NONE ? 0 : -ENOMEM;
}

/* --- From the outermost function inwards --- */

static int find_thread_node(struct tree_report *report, const struct profile_thread *thread,
                            uint32_t *process_node, uint32_t *node)
{
    uint32_t process, name;
    int error =
        add_name(report, thread->process_name != NULL ? thread->process_name : "(unnamed process)",
                 &process);

    if (error == 0)
        error = add_name(report, thread_label_name(thread), &name);
    if (error < 0)
        return error;
    *process_node = call_tree_child(&report->tree, CALL_TREE_NONE, process);
    if (*process_node == CALL_TREE_NONE)
        return -ENOMEM;
    *node = call_tree_child(&report->tree, *process_node, name);
    return *node != CALL_TREE_NONE ? 0 : -ENOMEM;
}

static uint32_t stack_name(const struct tree_report *report, size_t stack)
{
    return ((const uint32_t *)report->stacks.frames.items)[stack];
}

/* A stack's prefix is below it, so the node of that is known. */
static int add_callees(struct tree_report *report, const struct profile_thread *thread,
                       uint32_t thread_node)
{
    size_t count = thread->tables->stacks.count;
    int error = mapped_array_reserve(&report->nodes, count, sizeof(uint32_t));
    uint32_t *nodes = report->nodes.items;

    for (size_t i = 0; i < count && error == 0; i++) {
        const struct table_stack *stack = thread_tables_stack(thread->tables, (uint32_t)i);
        nodes[i] = stack->prefix != TABLE_NONE ? nodes[stack->prefix] : thread_node;
        error = step_to_child(report, stack_name(report, i), thread_node, &nodes[i]);
        if (error == 0)
            call_tree_spend(&report->tree, nodes[i],
                            thread_stacks_sum(&report->stacks, (uint32_t)i));
    }
    return error;
}

/* --- From where the time was spent outwards --- */

/* Each function has its own callers, so that those of deep recursion would fill memory. */
static int step_to_further(struct tree_report *report, uint32_t *node)
{
    uint32_t name;
    int error = add_name(report, further_callers, &name);

    return error < 0 ? error : step_to_child(report, name, CALL_TREE_NONE, node);
}

static int add_callers_of(struct tree_report *report, const struct profile_thread *thread,
                          uint32_t stack)
{
    uint32_t node = CALL_TREE_NONE;
    size_t depth;
    const uint32_t *path = thread_stacks_unroll(&report->stacks, thread->tables, stack, &depth);
    int error = path != NULL ? 0 : -ENOMEM;
    size_t last = depth > MAX_CALLERS ? depth - MAX_CALLERS : 0;

    for (size_t i = depth; i > last && error == 0; i--)
        error = step_to_child(report, path[i - 1], CALL_TREE_NONE, &node);
    if (error == 0 && last > 0)
        error = step_to_further(report, &node);
    if (error == 0 && node != CALL_TREE_NONE)
        call_tree_spend(&report->tree, node, thread_stacks_sum(&report->stacks, stack));
    return error;
}

static int add_callers(struct tree_report *report, const struct profile_thread *thread)
{
    size_t count = thread->tables->stacks.count;
    int error = 0;

    for (size_t i = 0; i < count && error == 0; i++) {
        if (thread_stacks_sum(&report->stacks, (uint32_t)i)->samples > 0)
            error = add_callers_of(report, thread, (uint32_t)i);
    }
    return error;
}

/* --- What no sample covers --- */

static int add_not_sampled(struct tree_report *report, double ns, uint32_t parent)
{
    const struct stack_sum sum = { .cpu_ns = ns > 0 ? (uint64_t)ns : 0 };
    uint32_t name;

    if (sum.cpu_ns == 0)
        return 0;
    int error = add_name(report, not_sampled, &name);
    if (error < 0)
        return error;
    uint32_t node = call_tree_child(&report->tree, parent, name);
    if (node == CALL_TREE_NONE)
        return -ENOMEM;
    call_tree_spend(&report->tree, node, &sum);
    return 0;
}

static int on_process(void *owner, bool is_root, struct process_log *log)
{
    struct tree_report *report = owner;
    struct tree_process *process = is_root ? &report->root : &report->inner;
    struct process_account *account =
        process->is_there ? mapped_array_push(&report->accounts, sizeof(*account)) : NULL;
    int error = process->is_there && account == NULL ? -ENOMEM : 0;

    if (account != NULL)
        *account = process_account_of(log, process->told_ns, process->node);
    *process = (struct tree_process){ 0 };
    return error;
}

static int settle_accounts(struct tree_report *report)
{
    struct process_account *accounts = report->accounts.items;
    int error = 0;

    process_accounts_settle(accounts, report->accounts.count);
    for (size_t i = 0; i < report->accounts.count && error == 0; i++)
        error = add_not_sampled(report, accounts[i].rest_ns, (uint32_t)accounts[i].id);
    return error;
}

/* --- Reading --- */

static int take_stacks(struct tree_report *report, const struct profile_thread *thread,
                       uint32_t place)
{
    int error = thread_stacks_take(&report->stacks, thread);

    if (error == 0)
        error = report->direction == TREE_CALLEES ? add_callees(report, thread, place)
                                                  : add_callers(report, thread);
    return error < 0 ? error : add_not_sampled(report, thread->not_sampled_ns, place);
}

static int on_thread(void *owner, const struct profile_thread *thread)
{
    struct tree_report *report = owner;
    struct tree_process *process = thread->is_of_root ? &report->root : &report->inner;
    uint32_t place = CALL_TREE_NONE, process_node = CALL_TREE_NONE;

    if (profile_thread_is_of_profd(thread))
        return 0;
    report->is_by_samples &= !thread->knows_cpu || thread->sample_count == 0;
    int error = report->direction == TREE_CALLEES
                    ? find_thread_node(report, thread, &process_node, &place)
                    : 0;
    *process = (struct tree_process){ .is_there = true,
                                      .node = process_node,
                                      .told_ns = process->told_ns + profile_thread_cpu_ns(thread) };
    return error < 0 || thread->sample_count == 0 ? error : take_stacks(report, thread, place);
}

int tree_report_read(struct json_reader *reader, enum tree_direction direction,
                     bool folds_recursion, struct tree_report *out)
{
    static const struct profile_walk_events events = { .on_thread = on_thread,
                                                       .on_process = on_process };
    struct profile_facts facts;

    *out = (struct tree_report){ .direction = direction,
                                 .folds_recursion = folds_recursion,
                                 .is_by_samples = true };
    thread_stacks_init(&out->stacks);
    call_tree_init(&out->tree);
    int error = profile_walk(reader, &events, out, &facts);
    if (error == 0 && !out->is_by_samples)
        error = settle_accounts(out);
    return error < 0 ? error : call_tree_settle(&out->tree, out->is_by_samples);
}

void tree_report_free(struct tree_report *report)
{
    thread_stacks_fini(&report->stacks);
    call_tree_fini(&report->tree);
    mapped_array_free(&report->nodes);
    mapped_array_free(&report->accounts);
}
