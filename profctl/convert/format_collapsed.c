/* Collapsed stacks, one a line, as Brendan Gregg's flamegraph.pl and many other tools read them:
 *
 *     process (pid);thread;main;work;leaf 1234
 *
 * Each stack has one line. The number is CPU time in microseconds, or samples where the profile
 * does not tell CPU use. What would end a frame there, ';' or a line, becomes ':' or a space. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "profctl/convert/call_tree.h"
#include "profctl/convert/profile_format.h"
#include "profctl/convert/text_output.h"
#include "profctl/convert/thread_stacks.h"

struct collapsed {
    struct thread_stacks stacks;
    struct call_tree tree;     /* process, thread, functions */
    struct mapped_array nodes; /* uint32_t: of each stack of the current thread, in the tree */
    struct mapped_array path;  /* uint32_t: names, from the leaf on */
    struct text_output text;
};

static int begin_collapsed(json_sink_write write, void *context, void **out)
{
    struct collapsed *collapsed = calloc(1, sizeof(*collapsed));

    if (collapsed == NULL)
        return -ENOMEM;
    thread_stacks_init(&collapsed->stacks);
    call_tree_init(&collapsed->tree);
    *out = collapsed;
    return text_output_open(&collapsed->text, write, context);
}

static uint32_t label_child(struct collapsed *collapsed, uint32_t parent, const char *label)
{
    uint32_t name = unique_strings_add(&collapsed->stacks.names, label, strlen(label));

    return name != UNIQUE_NONE ? call_tree_child(&collapsed->tree, parent, name) : CALL_TREE_NONE;
}

static uint32_t thread_child(struct collapsed *collapsed, const struct profile_thread *thread)
{
    char process[THREAD_LABEL_BYTES];

    thread_label_process(thread, process);
    uint32_t parent = label_child(collapsed, CALL_TREE_NONE, process);
    return parent != CALL_TREE_NONE ? label_child(collapsed, parent, thread_label_name(thread))
                                    : CALL_TREE_NONE;
}

/* Stacks that differ only in places within functions are one here. */
static int add_stacks(struct collapsed *collapsed, const struct thread_tables *tables,
                      uint32_t thread_node)
{
    uint32_t *nodes = collapsed->nodes.items;

    for (uint32_t i = 0; i < tables->stacks.count; i++) {
        uint32_t prefix = thread_tables_stack(tables, i)->prefix;
        nodes[i] =
            call_tree_child(&collapsed->tree, prefix != TABLE_NONE ? nodes[prefix] : thread_node,
                            thread_stacks_name(&collapsed->stacks, i));
        if (nodes[i] == CALL_TREE_NONE)
            return -ENOMEM;
        call_tree_spend(&collapsed->tree, nodes[i], thread_stacks_sum(&collapsed->stacks, i));
    }
    return 0;
}

static int add_thread(void *state, const struct profile_thread *thread)
{
    struct collapsed *collapsed = state;
    int error = thread_stacks_take(&collapsed->stacks, thread);

    if (error == 0)
        error =
            mapped_array_reserve(&collapsed->nodes, thread->tables->stacks.count, sizeof(uint32_t));
    if (error < 0)
        return error;
    uint32_t thread_node = thread_child(collapsed, thread);
    return thread_node != CALL_TREE_NONE ? add_stacks(collapsed, thread->tables, thread_node)
                                         : -ENOMEM;
}

static int put_path(struct collapsed *collapsed, uint32_t node)
{
    size_t length;

    collapsed->path.count = 0;
    while (node != CALL_TREE_NONE) {
        const struct call_tree_node *step = call_tree_node(&collapsed->tree, node);
        uint32_t *name = mapped_array_push(&collapsed->path, sizeof(*name));
        if (name == NULL)
            return -ENOMEM;
        *name = step->name;
        node = step->parent;
    }
    const uint32_t *names = collapsed->path.items;
    for (size_t i = collapsed->path.count; i-- > 0;) {
        const char *name = unique_strings_get(&collapsed->stacks.names, names[i], &length);
        text_output_put(&collapsed->text, name, length, ';');
        putc_unlocked(i > 0 ? ';' : ' ', collapsed->text.file);
    }
    return 0;
}

static int finish_collapsed(void *state, const struct profile_facts *facts)
{
    struct collapsed *collapsed = state;

    (void)facts;
    for (uint32_t i = 0; i < collapsed->tree.nodes.count; i++) {
        const struct stack_sum *sum = &call_tree_node(&collapsed->tree, i)->self;
        uint64_t weight =
            sum->cpu_ns != 0 ? (sum->cpu_ns + NS_PER_US / 2) / NS_PER_US : sum->samples;
        if (weight == 0)
            continue;
        if (put_path(collapsed, i) < 0)
            return -ENOMEM;
        fprintf(collapsed->text.file, "%" PRIu64 "\n", weight);
        if (collapsed->text.error != 0)
            return collapsed->text.error;
    }
    return text_output_flush(&collapsed->text);
}

static void end_collapsed(void *state)
{
    struct collapsed *collapsed = state;

    text_output_close(&collapsed->text);
    mapped_array_free(&collapsed->path);
    mapped_array_free(&collapsed->nodes);
    call_tree_fini(&collapsed->tree);
    thread_stacks_fini(&collapsed->stacks);
    free(collapsed);
}

const struct profile_format format_collapsed = {
    .name = "collapsed",
    .ending = ".collapsed",
    .summary = "collapsed stacks, for flamegraph.pl",
    .begin = begin_collapsed,
    .add_thread = add_thread,
    .finish = finish_collapsed,
    .end = end_collapsed,
};
