/* The progress of a long operation, in exact fractions, for another thread to poll.
 *
 * A function reports its own progress, from 0 to PROGRESS_SCALE (all done). Its caller, who gave it
 * a sub-range, decides what part of the whole that is. Reports go straight to one atomic number at
 * the top, which never decreases. The same reports give the same numbers: fractions are integers,
 * so there is no rounding by floating point. */
#ifndef PROFD_JSON_PROGRESS_H
#define PROFD_JSON_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/progress_scale.h"

/* A share of the whole: 0 to PROGRESS_SCALE. */
typedef uint32_t proportion_value;

/* DONE of TOTAL as a proportion; the whole if TOTAL is 0 or DONE is not below it. */
proportion_value proportion_of(uint64_t done, uint64_t total);

/* The number at the top. Written by the working thread, polled by any. */
struct progress_value {
    _Atomic proportion_value proportion;
};

static inline void progress_value_init(struct progress_value *value)
{
    atomic_init(&value->proportion, 0);
}

static inline proportion_value progress_value_get(const struct progress_value *value)
{
    return atomic_load_explicit(&value->proportion, memory_order_acquire);
}

/* A part of the whole, [begin, end] of PROGRESS_SCALE. A plain value: copy it freely. */
struct progress {
    struct progress_value *global; /* borrowed; NULL: reports go nowhere */
    proportion_value begin, end;
};

/* The range of the whole operation, reported to GLOBAL, which must outlive it. */
struct progress progress_whole(struct progress_value *global);

/* The sub-range FROM to TO (of PROGRESS_SCALE) of PARENT. PARENT may be NULL: then reports go
 * nowhere. */
struct progress progress_part(const struct progress *parent, proportion_value from,
                              proportion_value to);

/* The sub-range of step DONE of TOTAL steps, for whatever carries out that step. */
struct progress progress_step(const struct progress *parent, uint64_t done, uint64_t total);

/* Reports that LOCAL (of PROGRESS_SCALE) is reached. PROGRESS may be NULL. Lock-free,
 * thread-safe. */
void progress_report(const struct progress *progress, proportion_value local);

/* Reports DONE of TOTAL. */
static inline void progress_report_of(const struct progress *progress, uint64_t done,
                                      uint64_t total)
{
    progress_report(progress, proportion_of(done, total));
}

#endif
