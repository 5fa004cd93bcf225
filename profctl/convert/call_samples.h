/* The samples of a thread as in DevTools: the node of the call tree that was on top, and the time.
 *
 * A sample without a stack is (program). If the time between two samples exceeds the CPU time that
 * the thread used by more than two ticks, it slept: an (idle) sample is put one tick after the
 * first. If the second sample has no CPU time, it was taken of a sleeping thread, and its own stack
 * is used instead, since that is where the thread slept.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CALL_SAMPLES_H
#define PROFD_PROFCTL_CALL_SAMPLES_H

#include "json/mapped_array.h"
#include "profctl/convert/profile_tree.h"

struct call_sample {
    double time_ms;
    uint32_t node;
    uint32_t place; /* in the order of the profile, which is kept among samples of the same time */
};

/* A zeroed struct is empty. */
struct call_samples {
    struct mapped_array samples; /* struct call_sample, in order of time */
};

/* Whether a thread slept before a sample, and which stack it had while it slept. */
enum call_sleep { CALL_SLEEP_NONE, CALL_SLEEP_IDLE, CALL_SLEEP_IN_STACK };

/* Returns whether THREAD slept before its sample INDEX. CALL_SLEEP_IN_STACK means the stack of that
 * sample. */
enum call_sleep call_samples_sleep(const struct profile_thread *thread, size_t index);

/* Appends the samples of THREAD, which has the call tree TREE. Returns 0, -ENOMEM, or -E2BIG. */
int call_samples_take(struct call_samples *samples, struct profile_tree *tree,
                      const struct profile_thread *thread);
void call_samples_free(struct call_samples *samples);

/* V8 sometimes cannot read a stack, and records (program). As in DevTools, replaces a single such
 * sample by the one before it, if it is between two samples with the same outermost call. */
void call_samples_mend(struct call_samples *samples, const struct profile_tree *tree);

/* Returns whether a thread slept between two samples: the time between them exceeds the CPU time
 * used by more than two ticks. Pure. */
static inline bool call_samples_slept(double between_ms, double cpu_ms, double tick_ms)
{
    return between_ms - cpu_ms > 2 * tick_ms;
}

#endif
