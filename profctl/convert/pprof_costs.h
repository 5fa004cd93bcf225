/* What pprof is told of the stacks of one thread: a value of each sample type for each stack and
 * performance group.
 *
 * A sample stands for the time on the wall since the one before it, of which what the thread slept
 * without a look is nobody's. Groups are those of the program's units that kept a thread for long,
 * which alone a profile tells of. One thread. */
#ifndef PROFD_PROFCTL_PPROF_COSTS_H
#define PROFD_PROFCTL_PPROF_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/profile_walk.h"

enum pprof_value {
    PPROF_SAMPLES, /* that stand for CPU time */
    PPROF_CPU_NS,
    PPROF_WALL_NS,
    PPROF_ALLOC_OBJECTS, /* sampled allocations … */
    PPROF_ALLOC_SPACE,   /* … and the bytes that they stand for */
    PPROF_VALUES,
};

struct pprof_cost {
    uint32_t stack; /* TABLE_NONE: not known */
    uint32_t group; /* of the groups, and 1; 0: none */
    int64_t values[PPROF_VALUES];
};

/* Initialised by pprof_costs_init(). */
struct pprof_costs {
    struct unique_strings groups; /* of all threads that were taken */
    struct unique_strings keys;   /* of stack and group, as bytes: of the thread at hand … */
    struct mapped_array costs;    /* … struct pprof_cost, by their numbers */
    struct mapped_array spans;    /* struct group_span, by start … */
    struct mapped_array open;     /* … and uint32_t: those that are open, the innermost last */
    size_t next_span;
};

/* What finds no memory is told to LATCH, too. */
void pprof_costs_init(struct pprof_costs *costs, struct failure_latch *latch);
void pprof_costs_fini(struct pprof_costs *costs);

/* Adds up THREAD, in place of the one before. 0, -ENOMEM, -EPROTO for a payload that is none, or
 * the reader's error. */
int pprof_costs_take(struct pprof_costs *costs, const struct profile_thread *thread);

#endif
