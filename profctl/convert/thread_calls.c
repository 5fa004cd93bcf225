#include "profctl/convert/thread_calls.h"

#include <errno.h>
#include <math.h>

#include "profctl/convert/call_samples.h"
#include "profctl/convert/thread_events.h"

struct telling {
    struct profile_tree tree;
    struct call_samples samples;
    struct profile_calls calls;
    struct thread_events events;
    size_t event;             /* the next of those */
    struct mapped_array path; /* struct profile_call_frame, of the sample at hand */
    uint32_t last;            /* the node of the last sample that was no garbage collection */
};

/* How many calls lead from the root to NODE, without what is left out. */
static size_t depth_of(const struct profile_tree *tree, uint32_t node)
{
    size_t depth = 0;

    for (; node != PROFILE_TREE_ROOT; node = profile_tree_node(tree, node)->parent)
        depth += profile_tree_node(tree, node)->kind != PROFILE_NODE_RUNTIME;
    return depth;
}

static struct profile_call_frame frame_of(const struct profile_node *node)
{
    return (struct profile_call_frame){ .identity = node->identity,
                                        .function = node->name,
                                        .node = node->id,
                                        .is_hidden = node->kind != PROFILE_NODE_FUNCTION };
}

/* The path to NODE, with TOP above it unless that is PROFILE_TREE_NONE. */
static int unroll(struct telling *telling, uint32_t node, uint32_t top)
{
    size_t depth = depth_of(&telling->tree, node);
    int err = mapped_array_reserve(&telling->path, depth + 1, sizeof(struct profile_call_frame));
    struct profile_call_frame *frames = telling->path.items;

    if (err < 0)
        return err;
    telling->path.count = depth;
    if (top != PROFILE_TREE_NONE)
        frames[telling->path.count++] = frame_of(profile_tree_node(&telling->tree, top));
    for (; depth > 0; node = profile_tree_node(&telling->tree, node)->parent) {
        if (profile_tree_node(&telling->tree, node)->kind != PROFILE_NODE_RUNTIME)
            frames[--depth] = frame_of(profile_tree_node(&telling->tree, node));
    }
    return 0;
}

/* What the collector interrupted goes on under it. */
static int unroll_sample(struct telling *telling, uint32_t node)
{
    bool is_collection =
        profile_tree_node(&telling->tree, node)->kind == PROFILE_NODE_GARBAGE_COLLECTOR;

    if (is_collection && telling->last != PROFILE_TREE_NONE)
        return unroll(telling, telling->last, node);
    if (!is_collection)
        telling->last = node;
    return unroll(telling, node, PROFILE_TREE_NONE);
}

static int take_sample(struct telling *telling, const struct call_sample *sample)
{
    int err = unroll_sample(telling, sample->node);
    const struct profile_call_sample taken = {
        .time_ms = sample->time_ms,
        .frames = telling->path.items,
        .depth = telling->path.count,
    };

    return err < 0 ? err : profile_calls_take(&telling->calls, &taken);
}

static int take_event(struct telling *telling, const struct thread_event *event)
{
    return event->is_begin ? profile_calls_begin_event(&telling->calls, event->kind, event->time_ms)
                           : profile_calls_end_event(&telling->calls, event->time_ms);
}

/* Events up to TIME_MS, that time included. */
static int take_events(struct telling *telling, double time_ms)
{
    const struct thread_event *events = telling->events.events.items;
    int err = 0;

    while (err == 0 && telling->event < telling->events.events.count &&
           events[telling->event].time_ms <= time_ms)
        err = take_event(telling, &events[telling->event++]);
    return err;
}

/* Between its markers the thread is in its own code as well, which goes on when one begins. */
static int begin_own_code(struct telling *telling)
{
    const struct call_sample *samples = telling->samples.samples.items;

    return telling->events.events.count > 0 && telling->samples.samples.count > 0
               ? profile_calls_begin_event(&telling->calls, PROFILE_EVENT_FUNCTION_CALL,
                                           samples[0].time_ms)
               : 0;
}

static int take_all(struct telling *telling)
{
    const struct call_sample *samples = telling->samples.samples.items;
    int err = begin_own_code(telling);

    for (size_t i = 0; err == 0 && i < telling->samples.samples.count; i++) {
        err = take_events(telling, samples[i].time_ms);
        if (err == 0)
            err = take_sample(telling, &samples[i]);
    }
    if (err == 0)
        err = take_events(telling, INFINITY);
    return err < 0 ? err : profile_calls_finish(&telling->calls);
}

int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      const struct processed_types *types, profile_call_ended *on_ended,
                      void *owner)
{
    struct telling telling = { .calls = { .on_ended = on_ended, .owner = owner },
                               .last = PROFILE_TREE_NONE };

    profile_tree_init(&telling.tree, stacks);
    int err = profile_tree_take(&telling.tree, thread);
    if (err == 0)
        err = call_samples_take(&telling.samples, &telling.tree, thread);
    if (err == 0)
        call_samples_mend(&telling.samples, &telling.tree);
    if (err == 0)
        err = thread_events_take(&telling.events, thread, types);
    if (err == 0)
        err = take_all(&telling);
    thread_events_free(&telling.events);
    profile_calls_free(&telling.calls);
    call_samples_free(&telling.samples);
    profile_tree_fini(&telling.tree);
    mapped_array_free(&telling.path);
    return err;
}
