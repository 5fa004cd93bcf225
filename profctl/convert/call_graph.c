#include "profctl/convert/call_graph.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

void call_graph_init(struct call_graph *graph)
{
    *graph = (struct call_graph){ 0 };
    failure_latch_init(&graph->latch);
    unique_strings_init(&graph->steps, &graph->latch);
    unique_strings_init(&graph->calls, &graph->latch);
    unique_strings_init(&graph->pairs, &graph->latch);
}

void call_graph_fini(struct call_graph *graph)
{
    unique_strings_fini(&graph->steps);
    unique_strings_fini(&graph->calls);
    unique_strings_fini(&graph->pairs);
    mapped_array_free(&graph->costs);
    mapped_array_free(&graph->edges);
    mapped_array_free(&graph->last_paths);
}

/* The item of ITEMS that KEY has; a new one is zeroed. NULL without memory. */
static void *item_of(struct unique_strings *keys, struct mapped_array *items, const void *key,
                     size_t key_bytes, size_t item_bytes)
{
    uint32_t index = unique_strings_add(keys, key, key_bytes);

    if (index == UNIQUE_NONE)
        return NULL;
    if (index < items->count)
        return (char *)items->items + index * item_bytes;
    void *added = mapped_array_push(items, item_bytes);
    if (added != NULL)
        memset(added, 0, item_bytes);
    return added;
}

static int add_cost(struct call_graph *graph, const struct call_step *step, uint64_t cost)
{
    struct call_cost *added =
        item_of(&graph->steps, &graph->costs, step, sizeof(*step), sizeof(*added));

    if (added == NULL)
        return -ENOMEM;
    added->at = *step;
    added->cost += cost;
    return 0;
}

/* A call that stands further out in the path at hand, too, is one with that. */
static int add_edge(struct call_graph *graph, const struct call_step *caller, uint32_t callee,
                    uint64_t cost)
{
    const uint32_t pair[] = { caller->function, callee };
    const uint32_t call[] = { caller->function, caller->line, callee };
    uint64_t *last_path =
        item_of(&graph->pairs, &graph->last_paths, pair, sizeof(pair), sizeof(*last_path));

    if (last_path == NULL)
        return -ENOMEM;
    if (*last_path == graph->paths)
        return 0;
    *last_path = graph->paths;
    struct call_edge *edge =
        item_of(&graph->calls, &graph->edges, call, sizeof(call), sizeof(*edge));
    if (edge == NULL)
        return -ENOMEM;
    edge->caller = *caller;
    edge->callee = callee;
    edge->cost += cost;
    return 0;
}

int call_graph_add(struct call_graph *graph, const struct call_step *path, size_t depth,
                   uint64_t cost)
{
    int error = depth > 0 ? add_cost(graph, &path[depth - 1], cost) : 0;

    graph->paths++;
    for (size_t i = 1; i < depth && error == 0; i++)
        error = add_edge(graph, &path[i - 1], path[i].function, cost);
    return error;
}

static bool step_is_before(const struct call_step *a, const struct call_step *b)
{
    return a->function != b->function ? a->function < b->function : a->line < b->line;
}

static bool cost_is_before(const void *left, const void *right)
{
    const struct call_cost *a = left, *b = right;

    return step_is_before(&a->at, &b->at);
}

static bool edge_is_before(const void *left, const void *right)
{
    const struct call_edge *a = left, *b = right;

    if (step_is_before(&a->caller, &b->caller) || step_is_before(&b->caller, &a->caller))
        return step_is_before(&a->caller, &b->caller);
    return a->callee < b->callee;
}

void call_graph_sort(struct call_graph *graph)
{
    mapped_array_sort(&graph->costs, sizeof(struct call_cost), cost_is_before);
    mapped_array_sort(&graph->edges, sizeof(struct call_edge), edge_is_before);
}
