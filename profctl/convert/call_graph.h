/* Who called whom, from which line, and what it cost: functions and calls of all threads, added up
 * from stacks.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CALL_GRAPH_H
#define PROFD_PROFCTL_CALL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* A function in a stack, by number, and where in it; line 0: not known. Without gaps: steps are
 * told apart by these bytes. */
struct call_step {
    uint32_t function, line;
};

/* What the function itself has cost there. */
struct call_cost {
    struct call_step at;
    uint64_t cost;
};

/* A call of a function from there. */
struct call_edge {
    struct call_step caller;
    uint32_t callee;
    uint64_t cost; /* of the callee with all that it called there; recursion counts once */
};

/* Zeroed but for call_graph_init(). */
struct call_graph {
    struct failure_latch latch;
    struct unique_strings steps;    /* as bytes … */
    struct mapped_array costs;      /* … struct call_cost, by their numbers */
    struct unique_strings calls;    /* of steps and callees, as bytes … */
    struct mapped_array edges;      /* … struct call_edge, by their numbers */
    struct unique_strings pairs;    /* of callers and callees, whatever the line, as bytes … */
    struct mapped_array last_paths; /* … uint64_t: the last one that each was in, by number */
    uint64_t paths;                 /* that were added, from 1 on */
};

/* Begins without calls; and frees what there is. */
void call_graph_init(struct call_graph *graph);
void call_graph_fini(struct call_graph *graph);

/* COST was spent in the last of DEPTH functions of PATH, the outermost first. 0 or -ENOMEM. */
int call_graph_add(struct call_graph *graph, const struct call_step *path, size_t depth,
                   uint64_t cost);

/* Sorts costs and edges by function, then by line, and edges then by callee; nothing is added any
 * more. */
void call_graph_sort(struct call_graph *graph);

#endif
