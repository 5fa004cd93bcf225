#include "profctl/convert/thread_calls.h"

#include <errno.h>

#define NS_PER_MS 1e6

/* Whether the thread slept between the sample at INDEX and the one before. */
static bool has_slept(const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    double tick_ms = thread->interval_ns / NS_PER_MS;

    return index > 0 && thread->knows_cpu && tick_ms > 0 &&
           profile_calls_slept(sample->time_ms - sample[-1].time_ms, sample->cpu_ns / NS_PER_MS,
                               tick_ms);
}

static int take_sample(struct thread_stacks *stacks, const struct profile_thread *thread,
                       struct profile_calls *calls, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    struct profile_call_sample functions = { .time_ms = sample->time_ms };
    int err = 0;

    if (has_slept(thread, index))
        err = profile_calls_sleep(calls, sample[-1].time_ms + thread->interval_ns / NS_PER_MS);
    functions.functions =
        thread_stacks_unroll(stacks, thread->tables, sample->stack, &functions.depth);
    if (functions.functions == NULL)
        return -ENOMEM;
    return err < 0 ? err : profile_calls_take(calls, &functions);
}

int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      profile_call_ended *on_ended, void *owner)
{
    struct profile_calls calls = { .on_ended = on_ended, .owner = owner };
    int err = 0;

    for (size_t i = 0; err == 0 && i < thread->sample_count; i++)
        err = take_sample(stacks, thread, &calls, i);
    if (err == 0)
        err = profile_calls_finish(&calls);
    profile_calls_free(&calls);
    return err;
}
