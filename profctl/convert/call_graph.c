#include "profctl/convert/call_graph.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

void call_graph_init(struct call_graph *graph)
{
    *graph = (struct call_graph){ 0 };
    failure_latch_init(&graph->latch);
    unique_strings_init(&graph->pairs, &graph->latch);
}

void call_graph_fini(struct call_graph *graph)
{
    unique_strings_fini(&graph->pairs);
    mapped_array_free(&graph->edges);
    mapped_array_free(&graph->self);
}

static int add_self(struct call_graph *graph, uint32_t function, uint64_t cost)
{
    int err = mapped_array_reserve(&graph->self, (size_t)function + 1, sizeof(uint64_t));

    if (err < 0)
        return err;
    if (graph->self.count <= function)
        graph->self.count = (size_t)function + 1; /* new memory is zeroed */
    ((uint64_t *)graph->self.items)[function] += cost;
    return 0;
}

/* A call that stands further out in the path at hand, too, is one with that. */
static int add_edge(struct call_graph *graph, uint32_t caller, uint32_t callee, uint64_t cost)
{
    const uint32_t pair[] = { caller, callee };
    uint32_t index = unique_strings_add(&graph->pairs, (const char *)pair, sizeof(pair));

    if (index == UNIQUE_NONE)
        return -ENOMEM;
    if (index == graph->edges.count) {
        struct call_edge *added = mapped_array_push(&graph->edges, sizeof(*added));
        if (added == NULL)
            return -ENOMEM;
        *added = (struct call_edge){ .caller = caller, .callee = callee };
    }
    struct call_edge *edge = (struct call_edge *)graph->edges.items + index;
    if (edge->path != graph->paths)
        edge->cost += cost;
    edge->path = graph->paths;
    return 0;
}

int call_graph_add(struct call_graph *graph, const uint32_t *path, size_t depth, uint64_t cost)
{
    int err = depth > 0 ? add_self(graph, path[depth - 1], cost) : 0;

    graph->paths++;
    for (size_t i = 1; i < depth && err == 0; i++)
        err = add_edge(graph, path[i - 1], path[i], cost);
    return err;
}

uint64_t call_graph_self(const struct call_graph *graph, uint32_t function)
{
    return function < graph->self.count ? ((const uint64_t *)graph->self.items)[function] : 0;
}

static bool is_before(const void *left, const void *right)
{
    const struct call_edge *a = left, *b = right;

    return a->caller != b->caller ? a->caller < b->caller : a->callee < b->callee;
}

void call_graph_sort(struct call_graph *graph)
{
    mapped_array_sort(&graph->edges, sizeof(struct call_edge), is_before);
}
