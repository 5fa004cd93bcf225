/* The samples of a thread as DevTools has them: the node of the call tree that was on top, and
 * when.
 *
 * A sample without a stack is (program). Where more time went by between two samples than the
 * thread used, by more than two ticks, it slept: an (idle) sample stands one tick after the first.
 * A second sample that tells of no CPU time is a look at a thread that sleeps, and knows better:
 * its own stack stands there, since that is where the thread was asleep.
 *
 * One thread. */
#ifndef PROFD_PROFCTL_CALL_SAMPLES_H
#define PROFD_PROFCTL_CALL_SAMPLES_H

#include "json/mapped_array.h"
#include "profctl/convert/profile_tree.h"

struct call_sample {
    double time_ms;
    uint32_t node;
    uint32_t place; /* in the order of the profile, which samples of one time keep */
};

/* A zeroed struct is empty. */
struct call_samples {
    struct mapped_array samples; /* struct call_sample, in the order of their times */
};

/* Whether a thread slept before a sample, and which stack it had then. */
enum call_sleep { CALL_SLEEP_NONE, CALL_SLEEP_IDLE, CALL_SLEEP_IN_STACK };

/* Before the sample of THREAD at INDEX; in its stack: in that sample's own. */
enum call_sleep call_samples_sleep(const struct profile_thread *thread, size_t index);

/* Appends those of THREAD, whose tree is TREE. 0, -ENOMEM, or -E2BIG. */
int call_samples_take(struct call_samples *samples, struct profile_tree *tree,
                      const struct profile_thread *thread);
void call_samples_free(struct call_samples *samples);

/* V8 sometimes cannot read a stack, and says (program). As DevTools does, replaces a single such
 * sample between two that share their outermost call by the one before it. */
void call_samples_mend(struct call_samples *samples, const struct profile_tree *tree);

/* Whether a thread slept between two samples: more time went by than it used, by two ticks. Pure.
 */
static inline bool call_samples_slept(double between_ms, double cpu_ms, double tick_ms)
{
    return between_ms - cpu_ms > 2 * tick_ms;
}

#endif
