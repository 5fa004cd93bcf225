#include "profctl/convert/call_samples.h"

#include <errno.h>

#include "common/time_units.h"

void call_samples_free(struct call_samples *samples)
{
    mapped_array_free(&samples->samples);
}

static int push_sample(struct call_samples *samples, double time_ms, uint32_t node)
{
    uint32_t place = (uint32_t)samples->samples.count;
    struct call_sample *sample = mapped_array_push(&samples->samples, sizeof(*sample));

    if (sample == NULL)
        return -ENOMEM;
    *sample = (struct call_sample){ .time_ms = time_ms, .node = node, .place = place };
    return place < UINT32_MAX ? 0 : -E2BIG;
}

/* Whether the thread slept between the sample at INDEX and the one before. */
static bool has_slept(const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    double tick_ms = thread->interval_ns / NS_PER_MS;

    return index > 0 && thread->knows_cpu && tick_ms > 0 &&
           call_samples_slept(sample->time_ms - sample[-1].time_ms, sample->cpu_ns / NS_PER_MS,
                              tick_ms);
}

enum call_sleep call_samples_sleep(const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];

    if (!has_slept(thread, index))
        return CALL_SLEEP_NONE;
    return sample->cpu_ns == 0 && sample->stack != TABLE_NONE ? CALL_SLEEP_IN_STACK
                                                              : CALL_SLEEP_IDLE;
}

static int find_node(struct profile_tree *tree, const struct profile_sample *sample, uint32_t *node)
{
    if (sample->stack == TABLE_NONE)
        return profile_tree_meta(tree, PROFILE_NODE_PROGRAM, node);
    *node = profile_tree_of_stack(tree, sample->stack);
    return 0;
}

/* What stands one tick after the sample before SAMPLE, where the thread fell asleep. */
static int push_sleep(struct call_samples *samples, struct profile_tree *tree,
                      const struct profile_sample *sample, bool is_look, double tick_ms)
{
    uint32_t node;

    if (is_look && sample->stack == sample[-1].stack)
        return 0;
    int error = is_look ? find_node(tree, sample, &node)
                        : profile_tree_meta(tree, PROFILE_NODE_IDLE, &node);
    return error < 0 ? error : push_sample(samples, sample[-1].time_ms + tick_ms, node);
}

static int take_sample(struct call_samples *samples, struct profile_tree *tree,
                       const struct profile_thread *thread, size_t index)
{
    const struct profile_sample *sample = &thread->samples[index];
    enum call_sleep sleep = call_samples_sleep(thread, index);
    uint32_t node;
    int error = 0;

    if (sleep != CALL_SLEEP_NONE)
        error = push_sleep(samples, tree, sample, sleep == CALL_SLEEP_IN_STACK,
                           thread->interval_ns / NS_PER_MS);
    if (error < 0)
        return error;
    error = find_node(tree, sample, &node);
    return error < 0 ? error : push_sample(samples, sample->time_ms, node);
}

static bool is_before(const void *left, const void *right)
{
    const struct call_sample *a = left, *b = right;

    return a->time_ms != b->time_ms ? a->time_ms < b->time_ms : a->place < b->place;
}

static bool is_sorted(const struct call_samples *samples)
{
    const struct call_sample *all = samples->samples.items;

    for (size_t i = 1; i < samples->samples.count; i++) {
        if (is_before(&all[i], &all[i - 1]))
            return false;
    }
    return true;
}

int call_samples_take(struct call_samples *samples, struct profile_tree *tree,
                      const struct profile_thread *thread)
{
    int error = 0;

    for (size_t i = 0; i < thread->sample_count && error == 0; i++)
        error = take_sample(samples, tree, thread, i);
    if (error == 0 && !is_sorted(samples))
        mapped_array_sort(&samples->samples, sizeof(struct call_sample), is_before);
    return error;
}

/* --- Mending --- */

static uint32_t outermost_of(const struct profile_tree *tree, uint32_t node)
{
    return profile_tree_node(tree, node)->outermost;
}

static bool is_of_calls(const struct profile_tree *tree, uint32_t node)
{
    enum profile_node_kind kind = profile_tree_node(tree, node)->kind;

    return kind == PROFILE_NODE_FUNCTION || kind == PROFILE_NODE_RUNTIME ||
           kind == PROFILE_NODE_ROOT;
}

void call_samples_mend(struct call_samples *samples, const struct profile_tree *tree)
{
    struct call_sample *all = samples->samples.items;
    uint32_t before = samples->samples.count > 0 ? all[0].node : PROFILE_TREE_NONE;

    for (size_t i = 1; i + 1 < samples->samples.count; i++) {
        uint32_t node = all[i].node, after = all[i + 1].node;
        if (node == tree->meta[PROFILE_NODE_PROGRAM] && is_of_calls(tree, before) &&
            is_of_calls(tree, after) && outermost_of(tree, before) == outermost_of(tree, after))
            all[i].node = before;
        before = node; /* as it was sampled */
    }
}
