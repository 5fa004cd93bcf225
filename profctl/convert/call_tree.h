/* A tree of calls: what ended in each path of names, and in all paths that begin with it.
 *
 * Made node by node, then settled, which adds up and sorts. Pure; one thread. */
#ifndef PROFD_PROFCTL_CALL_TREE_H
#define PROFD_PROFCTL_CALL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/convert/thread_stacks.h"

#define CALL_TREE_NONE UINT32_MAX

struct call_tree_node {
    uint32_t name;              /* of the caller's */
    uint32_t parent;            /* CALL_TREE_NONE: the root's */
    uint32_t first_child, next; /* once settled: the most expensive first; CALL_TREE_NONE */
    struct stack_sum self;      /* of paths that end here */
    struct stack_sum total;     /* once settled: of those that come here */
};

/* Zeroed except for call_tree_init(). */
struct call_tree {
    struct failure_latch latch;
    struct unique_strings places; /* of parent and name, as bytes; numbers are those of nodes */
    struct mapped_array nodes;    /* struct call_tree_node; parents come first */
    uint32_t first;               /* once settled: of the root's children */
    struct stack_sum total;       /* once settled: of all nodes */
};

/* Initialize the struct as empty, and free it. */
void call_tree_init(struct call_tree *tree);
void call_tree_fini(struct call_tree *tree);

/* The node of NAME below PARENT (CALL_TREE_NONE: the root), made if it is new; CALL_TREE_NONE after
 * a failure, latched. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name);

/* Adds SUM, which ended in NODE. */
void call_tree_spend(struct call_tree *tree, uint32_t node, const struct stack_sum *sum);

/* Adds up totals, and sorts children by CPU time, or else by samples; nothing may be added
 * afterwards. Returns 0 or -ENOMEM. */
int call_tree_settle(struct call_tree *tree, bool by_samples);

const struct call_tree_node *call_tree_node(const struct call_tree *tree, uint32_t index);

#endif
