#include "profctl/convert/call_tree.h"

#include <errno.h>

/* A node among its siblings. */
struct placed {
    uint32_t parent, node;
    uint64_t cost;
};

void call_tree_init(struct call_tree *tree)
{
    *tree = (struct call_tree){ .first = CALL_TREE_NONE };
    failure_latch_init(&tree->latch);
    unique_strings_init(&tree->places, &tree->latch);
}

void call_tree_fini(struct call_tree *tree)
{
    unique_strings_fini(&tree->places);
    mapped_array_free(&tree->nodes);
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name)
{
    const uint32_t place[2] = { parent, name };
    uint32_t known = unique_strings_count(&tree->places);
    uint32_t index = unique_strings_add(&tree->places, (const char *)place, sizeof(place));

    if (index == UNIQUE_NONE || index < known)
        return index;
    struct call_tree_node *node = mapped_array_push(&tree->nodes, sizeof(*node));
    if (node == NULL) {
        failure_latch_set(&tree->latch, -ENOMEM);
        return CALL_TREE_NONE;
    }
    *node = (struct call_tree_node){
        .name = name, .parent = parent, .first_child = CALL_TREE_NONE, .next = CALL_TREE_NONE
    };
    return index;
}

static void add_sum(struct stack_sum *to, const struct stack_sum *sum)
{
    to->samples += sum->samples;
    to->cpu_ns += sum->cpu_ns;
}

void call_tree_spend(struct call_tree *tree, uint32_t node, const struct stack_sum *sum)
{
    add_sum(&((struct call_tree_node *)tree->nodes.items)[node].self, sum);
}

/* A node comes behind its parent, so from the end on all that is in a node is known. */
static void sum_subtrees(struct call_tree *tree)
{
    struct call_tree_node *nodes = tree->nodes.items;

    for (size_t i = tree->nodes.count; i-- > 0;) {
        struct call_tree_node *node = &nodes[i];
        add_sum(&node->total, &node->self);
        add_sum(node->parent != CALL_TREE_NONE ? &nodes[node->parent].total : &tree->total,
                &node->total);
    }
}

static bool comes_before(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;

    if (a->parent != b->parent)
        return a->parent < b->parent;
    return a->cost != b->cost ? a->cost > b->cost : a->node < b->node;
}

static int place_nodes(const struct call_tree *tree, bool by_samples, struct mapped_array *out)
{
    const struct call_tree_node *nodes = tree->nodes.items;

    for (size_t i = 0; i < tree->nodes.count; i++) {
        struct placed *placed = mapped_array_push(out, sizeof(*placed));
        if (placed == NULL)
            return -ENOMEM;
        *placed = (struct placed){ nodes[i].parent, (uint32_t)i,
                                   by_samples ? nodes[i].total.samples : nodes[i].total.cpu_ns };
    }
    mapped_array_sort(out, sizeof(struct placed), comes_before);
    return 0;
}

static void link_siblings(struct call_tree *tree, const struct mapped_array *sorted)
{
    struct call_tree_node *nodes = tree->nodes.items;
    const struct placed *placed = sorted->items;

    for (size_t i = sorted->count; i-- > 0;) {
        uint32_t *first = placed[i].parent != CALL_TREE_NONE ? &nodes[placed[i].parent].first_child
                                                             : &tree->first;
        nodes[placed[i].node].next = *first;
        *first = placed[i].node;
    }
}

int call_tree_settle(struct call_tree *tree, bool by_samples)
{
    struct mapped_array sorted = { 0 };
    int error = failure_latch_error(&tree->latch);

    if (error == 0) {
        sum_subtrees(tree);
        error = place_nodes(tree, by_samples, &sorted);
    }
    if (error == 0)
        link_siblings(tree, &sorted);
    mapped_array_free(&sorted);
    return error;
}

const struct call_tree_node *call_tree_node(const struct call_tree *tree, uint32_t index)
{
    return (const struct call_tree_node *)tree->nodes.items + index;
}
