#include "child-agent/markers/marker_stack.h"

#include <ucontext.h>

#include "child-agent/core.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/sample_room.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/snapshot_stack.h"

/* No image has this number, and no clock says this. */
#define NOW_IMAGE UINT32_MAX
#define NOW_TICKS UINT64_MAX

const struct profd_stack profd_stack_now_ = { NOW_TICKS, NOW_IMAGE, 0, { 0 } };

bool marker_stack_is_now(const struct profd_stack *stack)
{
    return stack->image == NOW_IMAGE && stack->ticks == NOW_TICKS;
}

/* Frames of the agent, which are at or inside of BOUNDARY, are not shown. */
static size_t count_own_frames(const struct unwind_frame *native, size_t count, uint64_t boundary)
{
    size_t own = 0;
    while (own < count && native[own].stack_address <= boundary)
        own++;
    return own < count ? own : 0;
}

static void unwind_stack(struct sample_room *room, const struct thread_registration *self,
                         uint64_t boundary, struct profd_stack *out)
{
    const struct snapshot *snapshot = &room->snapshot;
    bool is_complete;
    size_t count = snapshot_unwind(snapshot, self, room->native, &is_complete);
    size_t own = count_own_frames(room->native, count, boundary);
    if (own > 0)
        room->native[own].address--; /* the call: readers take the innermost address as it is */
    size_t depth = stack_merge(room->native + own, count - own, snapshot->labels,
                               snapshot->label_count, room->merged, PROFD_STACK_FRAMES);
    if (count - own + snapshot->label_count > PROFD_STACK_FRAMES || !is_complete)
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    for (size_t i = 0; i < depth; i++)
        out->frames[i] = room->merged[i].value << 1 | room->merged[i].is_label;
    out->depth = (uint32_t)depth;
    out->ticks = snapshot->ticks;
    out->image = core_epoch;
}

/* What is captured, and where it goes. */
struct capture {
    const struct thread_registration *self;
    uint64_t boundary;
    struct profd_stack *out;
    ucontext_t context;
};

static void capture_at_work(struct sample_room *room, void *argument)
{
    const struct capture *capture = argument;
    snapshot_look(&room->snapshot, capture->self, &capture->context, room->foreign_stack);
    unwind_stack(room, capture->self, capture->boundary, capture->out);
}

/* The stack above this function stays as it is while it is unwound. False: there is no room. */
static __attribute__((noinline)) bool capture_stack(const struct thread_registration *self,
                                                    uint64_t boundary, struct profd_stack *out)
{
    struct capture capture = { .self = self, .boundary = boundary, .out = out };
    return getcontext(&capture.context) == 0 && sample_room_work(capture_at_work, &capture);
}

void profd_stack_capture(struct profd_stack *stack)
{
    marker_stack_capture(stack, MARKER_STACK_HERE);
}

void marker_stack_capture(struct profd_stack *stack, const void *boundary)
{
    stack->depth = 0;
    stack->image = 0;
    stack->ticks = 0;
    struct thread_registration *self = recording_begin();
    if (self == NULL)
        return;
    if (!capture_stack(self, (uint64_t)(uintptr_t)boundary, stack))
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    recording_end(self);
}
