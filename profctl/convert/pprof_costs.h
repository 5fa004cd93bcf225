/* The costs of one thread for pprof: the value of each sample type for each stack and performance
 * group.
 *
 * A sample stands for the wall time since the previous one, except for the time that the thread
 * slept unobserved, which is not attributed. Groups are those of the units of the program that kept
 * a thread busy for long; a profile has only these. One thread. */
#ifndef PROFD_PROFCTL_PPROF_COSTS_H
#define PROFD_PROFCTL_PPROF_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_walk.h"

enum pprof_value {
    PPROF_SAMPLES, /* samples that stand for CPU time */
    PPROF_CPU_NS,
    PPROF_WALL_NS,
    PPROF_ALLOC_OBJECTS, /* sampled allocations … */
    PPROF_ALLOC_SPACE,   /* … and the bytes that they stand for */
    PPROF_VALUES,
};

struct pprof_cost {
    uint32_t stack; /* TABLE_NONE: not known */
    uint32_t group; /* index in the groups plus 1; 0: none */
    int64_t values[PPROF_VALUES];
};

/* Initialised by pprof_costs_init(). */
struct pprof_costs {
    struct unique_strings groups; /* of all threads so far */
    struct unique_strings keys;   /* pairs of stack and group of the current thread, as bytes … */
    struct mapped_array costs;    /* … struct pprof_cost, by their numbers */
    struct mapped_array spans;    /* struct group_span, by start … */
    struct mapped_array open;     /* … and uint32_t: those that are open, innermost last */
    size_t next_span;
};

/* Initializes COSTS. Memory exhaustion is also reported to LATCH. */
void pprof_costs_init(struct pprof_costs *costs, struct failure_latch *latch);
void pprof_costs_fini(struct pprof_costs *costs);

/* Computes the costs of THREAD, in place of the previous one. Returns 0, -ENOMEM, -EPROTO for an
 * invalid payload, or the reader's error. */
int pprof_costs_take(struct pprof_costs *costs, const struct profile_thread *thread);

#endif
