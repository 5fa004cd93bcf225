/* The first failure of a long operation, kept until its caller asks at the end.
 *
 * Everything that takes part in generating one JSON text shares one latch. The first error stays;
 * from then on writers and tables do nothing, so the code in between needs no checks of its own,
 * only an early return where much work would be wasted. Any thread may record or look. */
#ifndef PROFD_JSON_FAILURE_LATCH_H
#define PROFD_JSON_FAILURE_LATCH_H

#include <stdatomic.h>
#include <stdbool.h>

struct failure_latch {
    _Atomic int error; /* 0, or a negative errno */
};

static inline void failure_latch_init(struct failure_latch *latch)
{
    atomic_init(&latch->error, 0);
}

/* Records ERROR (a negative errno; 0 is ignored) unless there is one already. Returns the recorded
 * one. */
int failure_latch_set(struct failure_latch *latch, int error);

/* 0, or the first failure. */
static inline int failure_latch_error(const struct failure_latch *latch)
{
    return atomic_load_explicit(&latch->error, memory_order_acquire);
}

static inline bool failure_latch_failed(const struct failure_latch *latch)
{
    return failure_latch_error(latch) != 0;
}

#endif
