#include "profctl/convert/thread_calls.h"

#include <errno.h>
#include <math.h>

#include "profctl/convert/call_samples.h"
#include "profctl/convert/thread_events.h"

struct call_walk {
    struct profile_tree tree;
    struct call_samples samples;
    struct profile_calls calls;
    struct thread_events events;
    size_t event;              /* the next of those */
    struct mapped_array path;  /* struct profile_call_frame, of the sample at hand … */
    struct mapped_array nodes; /* … and uint32_t, the nodes of those */
    uint32_t last;             /* the node of the last sample that was no garbage collection */
};

static struct profile_call_frame frame_of(const struct profile_node *node)
{
    return (struct profile_call_frame){ .identity = node->identity,
                                        .function = node->name,
                                        .node = node->id,
                                        .is_hidden = node->kind != PROFILE_NODE_FUNCTION };
}

static int make_room(struct call_walk *walk, size_t depth)
{
    int error = mapped_array_reserve(&walk->path, depth, sizeof(struct profile_call_frame));

    return error < 0 ? error : mapped_array_reserve(&walk->nodes, depth, sizeof(uint32_t));
}

static void put_frame(struct call_walk *walk, size_t place, uint32_t node)
{
    ((uint32_t *)walk->nodes.items)[place] = node;
    ((struct profile_call_frame *)walk->path.items)[place] =
        frame_of(profile_tree_node(&walk->tree, node));
}

/* Makes the path at hand the one to NODE, with TOP above it unless that is PROFILE_TREE_NONE. Below
 * the first node that both have in one place they are the same: so many frames are in *SAME. */
static int unroll_path(struct call_walk *walk, uint32_t node, uint32_t top, size_t *same)
{
    size_t before = walk->path.count, depth = profile_tree_node(&walk->tree, node)->depth;
    int error = make_room(walk, depth + 1);
    const uint32_t *nodes = walk->nodes.items;

    if (error < 0)
        return error;
    walk->path.count = depth;
    if (profile_tree_node(&walk->tree, node)->kind == PROFILE_NODE_RUNTIME)
        node = profile_tree_node(&walk->tree, node)->caller;
    for (; depth > 0 && !(depth <= before && nodes[depth - 1] == node);
         node = profile_tree_node(&walk->tree, node)->caller)
        put_frame(walk, --depth, node);
    *same = depth;
    if (top != PROFILE_TREE_NONE)
        put_frame(walk, walk->path.count++, top);
    return 0;
}

/* Calls that the collector interrupted stay open below it. */
static int unroll_sample(struct call_walk *walk, uint32_t node, size_t *same)
{
    bool is_collection =
        profile_tree_node(&walk->tree, node)->kind == PROFILE_NODE_GARBAGE_COLLECTOR;

    if (is_collection && walk->last != PROFILE_TREE_NONE)
        return unroll_path(walk, walk->last, node, same);
    if (!is_collection)
        walk->last = node;
    return unroll_path(walk, node, PROFILE_TREE_NONE, same);
}

static int take_sample(struct call_walk *walk, const struct call_sample *sample)
{
    size_t same = 0;
    int error = unroll_sample(walk, sample->node, &same);
    const struct profile_call_sample taken = {
        .time_ms = sample->time_ms,
        .frames = walk->path.items,
        .depth = walk->path.count,
        .same = same,
    };

    return error < 0 ? error : profile_calls_take(&walk->calls, &taken);
}

static int take_event(struct call_walk *walk, const struct thread_event *event)
{
    return event->is_begin ? profile_calls_begin_event(&walk->calls, event->kind, event->time_ms)
                           : profile_calls_end_event(&walk->calls, event->time_ms);
}

/* Events up to TIME_MS, that time included. */
static int take_events(struct call_walk *walk, double time_ms)
{
    const struct thread_event *events = walk->events.events.items;
    int error = 0;

    while (error == 0 && walk->event < walk->events.events.count &&
           events[walk->event].time_ms <= time_ms)
        error = take_event(walk, &events[walk->event++]);
    return error;
}

/* Between its markers the thread is in its own code as well, which goes on when one begins. */
static int begin_own_code(struct call_walk *walk)
{
    const struct call_sample *samples = walk->samples.samples.items;

    return walk->events.events.count > 0 && walk->samples.samples.count > 0
               ? profile_calls_begin_event(&walk->calls, PROFILE_EVENT_FUNCTION_CALL,
                                           samples[0].time_ms)
               : 0;
}

static int take_samples(struct call_walk *walk)
{
    const struct call_sample *samples = walk->samples.samples.items;
    int error = begin_own_code(walk);

    for (size_t i = 0; error == 0 && i < walk->samples.samples.count; i++) {
        error = take_events(walk, samples[i].time_ms);
        if (error == 0)
            error = take_sample(walk, &samples[i]);
    }
    if (error == 0)
        error = take_events(walk, INFINITY);
    return error < 0 ? error : profile_calls_finish(&walk->calls);
}

int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      const struct processed_types *types, profile_call_ended *on_ended,
                      void *owner)
{
    struct call_walk walk = { .calls = { .on_ended = on_ended, .owner = owner },
                              .last = PROFILE_TREE_NONE };

    profile_tree_init(&walk.tree, stacks);
    int error = profile_tree_take(&walk.tree, thread);
    if (error == 0)
        error = call_samples_take(&walk.samples, &walk.tree, thread);
    if (error == 0)
        call_samples_mend(&walk.samples, &walk.tree);
    if (error == 0)
        error = thread_events_take(&walk.events, thread, types);
    if (error == 0)
        error = take_samples(&walk);
    thread_events_free(&walk.events);
    profile_calls_free(&walk.calls);
    call_samples_free(&walk.samples);
    profile_tree_fini(&walk.tree);
    mapped_array_free(&walk.path);
    mapped_array_free(&walk.nodes);
    return error;
}
