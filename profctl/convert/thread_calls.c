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

static int make_room(struct telling *telling, size_t depth)
{
    int error = mapped_array_reserve(&telling->path, depth, sizeof(struct profile_call_frame));

    return error < 0 ? error : mapped_array_reserve(&telling->nodes, depth, sizeof(uint32_t));
}

static void put_frame(struct telling *telling, size_t place, uint32_t node)
{
    ((uint32_t *)telling->nodes.items)[place] = node;
    ((struct profile_call_frame *)telling->path.items)[place] =
        frame_of(profile_tree_node(&telling->tree, node));
}

/* Makes the path at hand the one to NODE, with TOP above it unless that is PROFILE_TREE_NONE. Below
 * the first node that both have in one place they are the same: so many frames are in *SAME. */
static int unroll(struct telling *telling, uint32_t node, uint32_t top, size_t *same)
{
    size_t before = telling->path.count, depth = profile_tree_node(&telling->tree, node)->depth;
    int error = make_room(telling, depth + 1);
    const uint32_t *nodes = telling->nodes.items;

    if (error < 0)
        return error;
    telling->path.count = depth;
    if (profile_tree_node(&telling->tree, node)->kind == PROFILE_NODE_RUNTIME)
        node = profile_tree_node(&telling->tree, node)->caller;
    for (; depth > 0 && !(depth <= before && nodes[depth - 1] == node);
         node = profile_tree_node(&telling->tree, node)->caller)
        put_frame(telling, --depth, node);
    *same = depth;
    if (top != PROFILE_TREE_NONE)
        put_frame(telling, telling->path.count++, top);
    return 0;
}

/* Calls that the collector interrupted stay open below it. */
static int unroll_sample(struct telling *telling, uint32_t node, size_t *same)
{
    bool is_collection =
        profile_tree_node(&telling->tree, node)->kind == PROFILE_NODE_GARBAGE_COLLECTOR;

    if (is_collection && telling->last != PROFILE_TREE_NONE)
        return unroll(telling, telling->last, node, same);
    if (!is_collection)
        telling->last = node;
    return unroll(telling, node, PROFILE_TREE_NONE, same);
}

static int take_sample(struct telling *telling, const struct call_sample *sample)
{
    size_t same = 0;
    int error = unroll_sample(telling, sample->node, &same);
    const struct profile_call_sample taken = {
        .time_ms = sample->time_ms,
        .frames = telling->path.items,
        .depth = telling->path.count,
        .same = same,
    };

    return error < 0 ? error : profile_calls_take(&telling->calls, &taken);
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
    int error = 0;

    while (error == 0 && telling->event < telling->events.events.count &&
           events[telling->event].time_ms <= time_ms)
        error = take_event(telling, &events[telling->event++]);
    return error;
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
    int error = begin_own_code(telling);

    for (size_t i = 0; error == 0 && i < telling->samples.samples.count; i++) {
        error = take_events(telling, samples[i].time_ms);
        if (error == 0)
            error = take_sample(telling, &samples[i]);
    }
    if (error == 0)
        error = take_events(telling, INFINITY);
    return error < 0 ? error : profile_calls_finish(&telling->calls);
}

int thread_calls_tell(struct thread_stacks *stacks, const struct profile_thread *thread,
                      const struct processed_types *types, profile_call_ended *on_ended,
                      void *owner)
{
    struct telling telling = { .calls = { .on_ended = on_ended, .owner = owner },
                               .last = PROFILE_TREE_NONE };

    profile_tree_init(&telling.tree, stacks);
    int error = profile_tree_take(&telling.tree, thread);
    if (error == 0)
        error = call_samples_take(&telling.samples, &telling.tree, thread);
    if (error == 0)
        call_samples_mend(&telling.samples, &telling.tree);
    if (error == 0)
        error = thread_events_take(&telling.events, thread, types);
    if (error == 0)
        error = take_all(&telling);
    thread_events_free(&telling.events);
    profile_calls_free(&telling.calls);
    call_samples_free(&telling.samples);
    profile_tree_fini(&telling.tree);
    mapped_array_free(&telling.path);
    mapped_array_free(&telling.nodes);
    return error;
}
