/* The call tree of a thread as in DevTools: one node for each path of calls, or as the profile
 * numbers them, all below (root); and meta nodes next to the outermost calls for what is not a
 * call.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_PROFILE_TREE_H
#define PROFD_PROFCTL_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "json/gecko/unique_stacks.h"
#include "profctl/convert/thread_stacks.h"

enum profile_node_kind {
    PROFILE_NODE_FUNCTION,
    PROFILE_NODE_ROOT,              /* "(root)": the thread was not in a call */
    PROFILE_NODE_PROGRAM,           /* "(program)": the thread ran at an unknown place */
    PROFILE_NODE_IDLE,              /* "(idle)": the thread slept */
    PROFILE_NODE_GARBAGE_COLLECTOR, /* "(garbage collector)" */
    PROFILE_NODE_RUNTIME,           /* anywhere in the tree: internal to V8, left out by DevTools */
    PROFILE_NODE_KINDS,
};

enum { PROFILE_TREE_ROOT = 0, PROFILE_TREE_NONE = UINT32_MAX };

struct profile_node {
    uint32_t parent;                  /* PROFILE_TREE_NONE, or less than the node's index */
    uint32_t first_child, last_child; /* PROFILE_TREE_NONE: none … */
    uint32_t next_sibling;            /* … in the order in which they were found */
    uint32_t outermost;               /* its ancestor below the root, or itself */
    uint32_t caller;                  /* its nearest ancestor that is not of the runtime */
    uint32_t depth;                   /* without nodes of the runtime */
    uint32_t id;                      /* as in the profile, or its index plus 1 */
    uint32_t name;   /* index in the names of the stacks; meta nodes have one, too */
    uint32_t script; /* table_frame.script */
    uint64_t
        identity; /* equal for nodes with the same function, script and line, whatever the column */
    enum profile_node_kind kind;
};

/* Initialised by profile_tree_init(). */
struct profile_tree {
    struct thread_stacks *stacks; /* borrowed: names */
    struct failure_latch latch;
    struct unique_stacks paths;        /* of all nodes except the root */
    struct unique_strings functions;   /* names without columns */
    struct mapped_array nodes;         /* struct profile_node; the root is the first */
    struct mapped_array of_stacks;     /* uint32_t: the node of each stack of the thread */
    uint32_t meta[PROFILE_NODE_KINDS]; /* PROFILE_TREE_NONE: there is none */
    uint32_t highest_id;
};

/* Initializes TREE. STACKS must outlive it. */
void profile_tree_init(struct profile_tree *tree, struct thread_stacks *stacks);
void profile_tree_fini(struct profile_tree *tree);

/* Builds the tree of THREAD, which the stacks have taken; call it once. Returns 0 or -ENOMEM. */
int profile_tree_take(struct profile_tree *tree, const struct profile_thread *thread);

/* Returns the node of STACK of the thread. */
uint32_t profile_tree_of_stack(const struct profile_tree *tree, uint32_t stack);
/* Finds the meta node of KIND (not of the runtime), and creates it if there is none. Returns 0 or
 * -ENOMEM. */
int profile_tree_meta(struct profile_tree *tree, enum profile_node_kind kind, uint32_t *node);

/* The result is a view that is valid until a node is created. */
const struct profile_node *profile_tree_node(const struct profile_tree *tree, uint32_t node);
size_t profile_tree_count(const struct profile_tree *tree);

#endif
