/* The call tree of a thread, as DevTools has it: a node for each path of calls, or as the profile
 * numbers them, all of them below (root), and meta nodes beside the outermost calls for what is no
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
    PROFILE_NODE_ROOT,              /* "(root)": the thread was in no call */
    PROFILE_NODE_PROGRAM,           /* "(program)": it ran at an unknown place */
    PROFILE_NODE_IDLE,              /* "(idle)": it slept */
    PROFILE_NODE_GARBAGE_COLLECTOR, /* "(garbage collector)" */
    PROFILE_NODE_RUNTIME,           /* anywhere: an inside of V8, which DevTools leaves out */
    PROFILE_NODE_KINDS,
};

enum { PROFILE_TREE_ROOT = 0, PROFILE_TREE_NONE = UINT32_MAX };

struct profile_node {
    uint32_t parent;                  /* PROFILE_TREE_NONE, or below its own index */
    uint32_t first_child, last_child; /* PROFILE_TREE_NONE: none … */
    uint32_t next_sibling;            /* … in the order in which they were met */
    uint32_t outermost;               /* the one below the root that leads to it, or itself */
    uint32_t caller;                  /* the first above it that is not of the runtime */
    uint32_t depth;                   /* of the path to it, without those of the runtime */
    uint32_t id;                      /* as the profile has it, or its index and 1 */
    uint32_t name;                    /* of the names of the stacks; of meta nodes, too */
    uint32_t script;                  /* table_frame.script */
    uint64_t identity; /* the same in nodes of one function, script and line, whatever the column */
    enum profile_node_kind kind;
};

/* Initialised by profile_tree_init(). */
struct profile_tree {
    struct thread_stacks *stacks; /* borrowed: names */
    struct failure_latch latch;
    struct unique_stacks paths;        /* of nodes but the root */
    struct unique_strings functions;   /* names without columns */
    struct mapped_array nodes;         /* struct profile_node; the root is the first */
    struct mapped_array of_stacks;     /* uint32_t: the node of each stack of the thread */
    uint32_t meta[PROFILE_NODE_KINDS]; /* PROFILE_TREE_NONE: there is none */
    uint32_t highest_id;
};

/* STACKS outlives the tree. */
void profile_tree_init(struct profile_tree *tree, struct thread_stacks *stacks);
void profile_tree_fini(struct profile_tree *tree);

/* The tree of THREAD, which the stacks have taken; once. 0 or -ENOMEM. */
int profile_tree_take(struct profile_tree *tree, const struct profile_thread *thread);

/* The node of STACK of the thread. */
uint32_t profile_tree_of_stack(const struct profile_tree *tree, uint32_t stack);
/* The meta node of KIND (not of the runtime), which is made where there is none. 0 or -ENOMEM. */
int profile_tree_meta(struct profile_tree *tree, enum profile_node_kind kind, uint32_t *node);

/* Views, until a node is made. */
const struct profile_node *profile_tree_node(const struct profile_tree *tree, uint32_t node);
size_t profile_tree_count(const struct profile_tree *tree);

#endif
