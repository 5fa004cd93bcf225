/* Which function called which, from which line, and at what cost: functions and calls of all
 * threads, summed up from stacks.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CALL_GRAPH_H
#define PROFD_PROFCTL_CALL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* A function in a stack, by number, and the line in it; line 0: not known. It has no padding, since
 * steps are compared as bytes. */
struct call_step {
    uint32_t function, line;
};

/* The cost of the function itself at that line. */
struct call_cost {
    struct call_step at;
    uint64_t cost;
};

/* A call of a function from a step. */
struct call_edge {
    struct call_step caller;
    uint32_t callee;
    uint64_t
        cost; /* of the callee including everything that it called there; recursion counts once */
};

/* Zeroed but for call_graph_init(). */
struct call_graph {
    struct failure_latch latch;
    struct unique_strings steps; /* as bytes … */
    struct mapped_array costs;   /* … struct call_cost, by their numbers */
    struct unique_strings calls; /* of steps and callees, as bytes … */
    struct mapped_array edges;   /* … struct call_edge, by their numbers */
    struct unique_strings pairs; /* of callers and callees, regardless of the line, as bytes … */
    struct mapped_array last_paths; /* … uint64_t: the number of the last path that each was in */
    uint64_t paths;                 /* number of paths added */
};

/* Initialize GRAPH without calls, and free it. */
void call_graph_init(struct call_graph *graph);
void call_graph_fini(struct call_graph *graph);

/* Adds COST, which was spent in the last of the DEPTH functions of PATH, outermost first. Returns 0
 * or -ENOMEM. */
int call_graph_add(struct call_graph *graph, const struct call_step *path, size_t depth,
                   uint64_t cost);

/* Sorts costs and edges by function, then by line, and edges then by callee. Nothing may be added
 * afterwards. */
void call_graph_sort(struct call_graph *graph);

#endif
