#include "child-agent/markers/marker_stack.h"

#include <ucontext.h>

#include "child-agent/core.h"
#include "child-agent/guest/named_mutex.h"
#include "child-agent/guest/pages.h"
#include "child-agent/recording.h"
#include "child-agent/sampler/snapshot_capture.h"
#include "child-agent/sampler/stack_merge.h"
#include "child-agent/unwinding/module_dictionary.h"
#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwinder.h"

/* Only its address means something. */
const struct profd_stack profd_stack_now_ = { 0, 0, 0, { 0 } };

/* Where one thread at a time unwinds. */
struct capture_room {
    struct module_map *modules;
    struct unwinder *unwinder;
    struct snapshot_copy copy;
    struct unwind_frame native[UNWIND_MAX_FRAMES];
    struct stack_frame merged[PROFD_STACK_FRAMES];
};

static struct named_mutex lock = NAMED_MUTEX_INITIALIZER(MARKER_STACKS);
static __thread bool is_locked_for_fork;  /* several threads may fork at once */
static struct capture_room *_Atomic room; /* NULL until the first capture */

static struct capture_room *make_room(void)
{
    struct capture_room *made = pages_allocate(sizeof(*made));
    if (made == NULL)
        return NULL;
    int error = module_map_create(&module_dictionary_events, &made->modules);
    if (error == 0)
        error = unwinder_create(made->modules, &made->unwinder);
    if (error == 0)
        return made;
    if (made->modules != NULL)
        module_map_destroy(made->modules);
    pages_free(made, sizeof(*made));
    return NULL;
}

/* Frames of our own, which are at or inside of BOUNDARY, are nobody's business. */
static size_t count_own_frames(const struct unwind_frame *native, size_t count, uint64_t boundary)
{
    size_t own = 0;
    while (own < count && native[own].stack_address <= boundary)
        own++;
    return own < count ? own : 0;
}

static void unwind(struct capture_room *in, const struct thread_registration *self,
                   uint64_t boundary, struct profd_stack *out)
{
    bool is_complete;
    size_t count = unwinder_walk(in->unwinder, &in->copy.snapshot, self->is_main ? 0 : self->stack_high,
                                 in->native, UNWIND_MAX_FRAMES, &is_complete);
    size_t own = count_own_frames(in->native, count, boundary);
    size_t depth = stack_merge(in->native + own, count - own, in->copy.snapshot.labels,
                               in->copy.snapshot.label_count, in->merged, PROFD_STACK_FRAMES);
    if (count - own + in->copy.snapshot.label_count > PROFD_STACK_FRAMES ||
        (in->copy.snapshot.is_truncated && !is_complete))
        arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    for (size_t i = 0; i < depth; i++)
        out->frames[i] = in->merged[i].value << 1 | in->merged[i].is_label;
    out->depth = (uint32_t)depth;
    out->ticks = in->copy.snapshot.ticks;
    out->image = core_epoch;
}

/* The one that is there, made at the first capture; NULL without memory. Under the lock. */
static struct capture_room *get_room(void)
{
    if (atomic_load(&room) == NULL)
        atomic_store(&room, make_room());
    return atomic_load(&room);
}

static __attribute__((noinline)) void capture(struct capture_room *in,
                                              const struct thread_registration *self,
                                              uint64_t boundary, struct profd_stack *out)
{
    ucontext_t context;
    if (in == NULL || getcontext(&context) < 0)
        return;
    snapshot_capture(&in->copy, self, &context);
    unwind(in, self, boundary, out);
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
    named_mutex_lock(&lock);
    capture(get_room(), self, (uint64_t)(uintptr_t)boundary, stack);
    named_mutex_unlock(&lock);
    recording_end(self);
}

void marker_stack_modules_changed(void)
{
    struct capture_room *in = atomic_load(&room);
    if (in != NULL)
        module_map_changed(in->modules);
}

void marker_stack_before_fork(void)
{
    is_locked_for_fork = named_mutex_lock_soon(&lock);
}

void marker_stack_after_fork_parent(void)
{
    if (is_locked_for_fork)
        named_mutex_unlock(&lock);
    is_locked_for_fork = false;
}

void marker_stack_unlock_in_child(void)
{
    named_mutex_reset(&lock);
}

void marker_stack_after_fork_child(void)
{
    struct capture_room *in = atomic_load(&room);
    bool is_whole = is_locked_for_fork;
    is_locked_for_fork = false;
    atomic_store(&room, NULL);
    if (in == NULL ||
        !is_whole) /* one caught in the middle can't be trusted, and stays where it is */
        return;
    unwinder_destroy(in->unwinder);
    module_map_destroy(in->modules);
    pages_free(in, sizeof(*in));
}
