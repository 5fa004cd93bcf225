/* Who called whom, and what it cost: functions and calls of all threads, added up from stacks.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CALL_GRAPH_H
#define PROFD_PROFCTL_CALL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* From CALLER to CALLEE, numbers of functions. */
struct call_edge {
    uint32_t caller, callee;
    uint64_t cost; /* of the callee with all that it called there; recursion counts once */
    uint64_t path; /* the last one that it was in, by number */
};

/* Zeroed but for call_graph_init(). */
struct call_graph {
    struct failure_latch latch;
    struct unique_strings pairs; /* of caller and callee, as bytes */
    struct mapped_array edges;   /* struct call_edge, by the number of their pair */
    struct mapped_array self;    /* uint64_t, by function */
    uint64_t paths;              /* that were added, from 1 on */
};

/* Begins without calls; and frees what there is. */
void call_graph_init(struct call_graph *graph);
void call_graph_fini(struct call_graph *graph);

/* COST was spent in the last of DEPTH functions of PATH, the outermost first. 0 or -ENOMEM. */
int call_graph_add(struct call_graph *graph, const uint32_t *path, size_t depth, uint64_t cost);

/* What FUNCTION has cost itself; 0 for one that was never met. */
uint64_t call_graph_self(const struct call_graph *graph, uint32_t function);

/* Sorts the edges by caller, then by callee; nothing is added any more. */
void call_graph_sort(struct call_graph *graph);

#endif
