#include "profctl/convert/profile_tree.h"

#include <errno.h>
#include <string.h>

#include "profctl/convert/call_function.h"

static const char *const meta_names[PROFILE_NODE_RUNTIME] = {
    [PROFILE_NODE_ROOT] = "(root)",
    [PROFILE_NODE_PROGRAM] = "(program)",
    [PROFILE_NODE_IDLE] = "(idle)",
    [PROFILE_NODE_GARBAGE_COLLECTOR] = "(garbage collector)",
};

/* What a node is made of. */
struct call_site {
    uint32_t name, script;
    uint32_t id; /* 0: none of its own */
};

void profile_tree_init(struct profile_tree *tree, struct thread_stacks *stacks)
{
    *tree = (struct profile_tree){ .stacks = stacks };
    failure_latch_init(&tree->latch);
    unique_stacks_init(&tree->paths, &tree->latch);
    unique_strings_init(&tree->functions, &tree->latch);
    for (size_t i = 0; i < PROFILE_NODE_KINDS; i++)
        tree->meta[i] = PROFILE_TREE_NONE;
}

void profile_tree_fini(struct profile_tree *tree)
{
    unique_stacks_fini(&tree->paths);
    unique_strings_fini(&tree->functions);
    mapped_array_free(&tree->nodes);
    mapped_array_free(&tree->of_stacks);
}

static struct profile_node *node_at(const struct profile_tree *tree, uint32_t node)
{
    return (struct profile_node *)tree->nodes.items + node;
}

const struct profile_node *profile_tree_node(const struct profile_tree *tree, uint32_t node)
{
    return node_at(tree, node);
}

size_t profile_tree_count(const struct profile_tree *tree)
{
    return tree->nodes.count;
}

uint32_t profile_tree_of_stack(const struct profile_tree *tree, uint32_t stack)
{
    return ((const uint32_t *)tree->of_stacks.items)[stack];
}

static uint32_t function_of(struct profile_tree *tree, uint32_t name)
{
    size_t length;
    const char *text = unique_strings_get(&tree->stacks->names, name, &length);

    return unique_strings_add(&tree->functions, text, call_function_length(text, length));
}

static enum profile_node_kind kind_of(const struct profile_tree *tree, uint32_t parent,
                                      uint32_t name)
{
    size_t length;
    const char *text = unique_strings_get(&tree->stacks->names, name, &length);

    for (int kind = PROFILE_NODE_ROOT; parent == PROFILE_TREE_ROOT && kind < PROFILE_NODE_RUNTIME;
         kind++) {
        if (length == strlen(meta_names[kind]) && memcmp(text, meta_names[kind], length) == 0)
            return (enum profile_node_kind)kind;
    }
    return call_function_is_of_runtime(text, length) ? PROFILE_NODE_RUNTIME : PROFILE_NODE_FUNCTION;
}

static void link_to_parent(struct profile_tree *tree, uint32_t index)
{
    uint32_t parent = node_at(tree, index)->parent;

    if (parent == PROFILE_TREE_NONE)
        return;
    if (node_at(tree, parent)->first_child == PROFILE_TREE_NONE)
        node_at(tree, parent)->first_child = index;
    else
        node_at(tree, node_at(tree, parent)->last_child)->next_sibling = index;
    node_at(tree, parent)->last_child = index;
}

/* Tells the node at INDEX where it is, so that readers need not climb. */
static void place_node(struct profile_tree *tree, uint32_t index)
{
    struct profile_node *node = node_at(tree, index);

    node->outermost = index;
    node->caller = node->parent;
    if (node->parent == PROFILE_TREE_NONE)
        return;
    const struct profile_node *parent = node_at(tree, node->parent);
    node->depth = parent->depth + (node->kind != PROFILE_NODE_RUNTIME);
    if (parent->kind == PROFILE_NODE_RUNTIME)
        node->caller = parent->caller;
    if (node->parent != PROFILE_TREE_ROOT)
        node->outermost = parent->outermost;
}

/* Adds a node behind the others. */
static int add_node(struct profile_tree *tree, uint32_t parent, const struct call_site *site,
                    enum profile_node_kind kind)
{
    uint32_t index = (uint32_t)tree->nodes.count;
    uint32_t function = function_of(tree, site->name);
    struct profile_node *node = mapped_array_push(&tree->nodes, sizeof(*node));

    if (node == NULL || function == UNIQUE_NONE)
        return -ENOMEM;
    *node = (struct profile_node){
        .parent = parent,
        .first_child = PROFILE_TREE_NONE,
        .last_child = PROFILE_TREE_NONE,
        .next_sibling = PROFILE_TREE_NONE,
        .id = site->id,
        .name = site->name,
        .script = site->script,
        .identity = (uint64_t)site->script << 32 | function,
        .kind = kind,
    };
    if (site->id > tree->highest_id)
        tree->highest_id = site->id;
    if (kind != PROFILE_NODE_FUNCTION && tree->meta[kind] == PROFILE_TREE_NONE)
        tree->meta[kind] = index;
    place_node(tree, index);
    link_to_parent(tree, index);
    return 0;
}

/* Nodes that have ids of their own are kept apart: DevTools tells those of calls. */
static struct frame_key key_of(const struct call_site *site)
{
    return site->id != 0 ? (struct frame_key){ .value = site->id, .is_label = true }
                         : (struct frame_key){ .value = (uint64_t)site->script << 32 | site->name };
}

/* The node of SITE below PARENT. */
static int enter_child(struct profile_tree *tree, uint32_t parent, const struct call_site *site,
                       uint32_t *node)
{
    const struct frame_key key = key_of(site);
    const struct frame_details no_details = { 0 };
    uint32_t frame = unique_stacks_find_frame(&tree->paths, key);

    if (frame == UNIQUE_NONE)
        frame = unique_stacks_add_frame(&tree->paths, key, &no_details);
    if (frame == UNIQUE_NONE)
        return -ENOMEM;
    uint32_t prefix = parent == PROFILE_TREE_ROOT ? UNIQUE_NONE : parent - 1;
    uint32_t path = unique_stacks_push(&tree->paths, prefix, frame);
    if (path == UNIQUE_NONE)
        return -ENOMEM;
    *node = path + 1; /* the root is none of the paths */
    return *node < tree->nodes.count
               ? 0
               : add_node(tree, parent, site, kind_of(tree, parent, site->name));
}

static int name_of_meta(struct profile_tree *tree, enum profile_node_kind kind, uint32_t *name)
{
    *name = unique_strings_add(&tree->stacks->names, meta_names[kind], strlen(meta_names[kind]));
    return *name != UNIQUE_NONE ? 0 : -ENOMEM;
}

static int take_stack(struct profile_tree *tree, const struct profile_thread *thread,
                      uint32_t stack)
{
    const struct table_stack *row = thread_tables_stack(thread->tables, stack);
    uint32_t *nodes = tree->of_stacks.items;
    const struct call_site site = {
        .name = ((const uint32_t *)tree->stacks->frames.items)[stack],
        .script = thread_tables_frame(thread->tables, row->frame)->script,
        .id = row->id,
    };
    uint32_t parent = row->prefix == TABLE_NONE ? PROFILE_TREE_ROOT : nodes[row->prefix];

    if (row->prefix != TABLE_NONE ||
        kind_of(tree, PROFILE_TREE_ROOT, site.name) != PROFILE_NODE_ROOT)
        return enter_child(tree, parent, &site, &nodes[stack]);
    nodes[stack] = PROFILE_TREE_ROOT;
    node_at(tree, PROFILE_TREE_ROOT)->id = site.id;
    if (site.id > tree->highest_id)
        tree->highest_id = site.id;
    return 0;
}

/* Those that the profile has no number for. */
static void number_nodes(struct profile_tree *tree)
{
    for (uint32_t i = 0; i < tree->nodes.count; i++) {
        if (node_at(tree, i)->id == 0)
            node_at(tree, i)->id = ++tree->highest_id;
    }
}

int profile_tree_take(struct profile_tree *tree, const struct profile_thread *thread)
{
    uint32_t stacks = (uint32_t)thread->tables->stacks.count;
    struct call_site root = { 0 };
    int error = name_of_meta(tree, PROFILE_NODE_ROOT, &root.name);

    if (error == 0)
        error = mapped_array_reserve(&tree->of_stacks, (size_t)stacks + 1, sizeof(uint32_t));
    if (error == 0)
        error = add_node(tree, PROFILE_TREE_NONE, &root, PROFILE_NODE_ROOT);
    for (uint32_t i = 0; i < stacks && error == 0; i++)
        error = take_stack(tree, thread, i);
    number_nodes(tree);
    return error;
}

int profile_tree_meta(struct profile_tree *tree, enum profile_node_kind kind, uint32_t *node)
{
    struct call_site site = { 0 };
    int error = 0;

    if (tree->meta[kind] == PROFILE_TREE_NONE) {
        error = name_of_meta(tree, kind, &site.name);
        if (error == 0)
            error = enter_child(tree, PROFILE_TREE_ROOT, &site, node);
        number_nodes(tree);
    }
    *node = tree->meta[kind];
    return error;
}
