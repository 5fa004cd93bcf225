/* Labels: the calling thread's label stack. Only the thread changes it; its signal handler reads
 * it. */
#include "child-agent/labels.h"

#include <stdatomic.h>

#include "child-agent/core.h"
#include "child-agent/recording.h"
#include "child-agent/site.h"
#include "child-agent/thread_registry.h"
#include "profd.h"

static inline void put_label(struct label_stack *stack, uint32_t depth, struct profd_site *site,
                             uint32_t site_index, void *stack_address)
{
    struct pushed_label *label = &stack->labels[depth];
    label->site = site;
    label->stack_address = (uint64_t)(uintptr_t)stack_address;
    label->site_index = site_index;
    atomic_signal_fence(memory_order_release);
    stack->depth = depth + 1;
}

/* Readies the calling thread's label stack for GENERATION: emptied when it was another session's.
 * NULL when the thread can't be registered. */
static struct label_stack *ready_stack(uint32_t generation)
{
    if (thread_current == NULL && thread_registry_register_current(NULL, false) < 0)
        return NULL;
    struct label_stack *stack = &thread_current->label_stack;
    if (stack->generation != generation) {
        stack->depth = 0;
        stack->generation = generation;
    }
    return stack;
}

/* What push does when the stack is not ready, the site is new, or there is no room. */
static __attribute__((noinline)) uint32_t push_slow(struct profd_site *site, void *stack_address)
{
    uint32_t generation = recording_generation;
    struct label_stack *stack = generation != 0 ? ready_stack(generation) : NULL;
    if (stack == NULL)
        return 0;
    if (stack->depth < SNAPSHOT_MAX_LABELS) {
        put_label(stack, stack->depth, site, site_index(site), stack_address);
    } else {
        arena_count_drop(&core.arena, DROP_LABEL_OVERFLOW, 1);
        stack->depth++;
    }
    return generation;
}

/* Calls nothing on its fast path, so that no register has to be saved for it. */
uint32_t profd_label_push(struct profd_site *site, void *stack_address)
{
    uint32_t generation = recording_generation;
    struct thread_registration *self = thread_current;
    uint32_t id = site->id;
    if (__builtin_expect(self == NULL || generation == 0 || id >> SITE_INDEX_BITS != core_epoch ||
                             self->label_stack.generation != generation ||
                             self->label_stack.depth >= SNAPSHOT_MAX_LABELS,
                         0))
        return push_slow(site, stack_address);
    put_label(&self->label_stack, self->label_stack.depth, site, id & SITE_INDEX_MASK,
              stack_address);
    return generation;
}

static void pop(uint32_t generation)
{
    struct thread_registration *self = thread_current;
    if (self != NULL && self->label_stack.generation == generation && self->label_stack.depth > 0)
        self->label_stack.depth--;
}

void profd_label_pop(void)
{
    pop(recording_generation);
}

void profd_label_scope_leave_(uint32_t generation)
{
    pop(generation);
}

void labels_after_fork_child(void)
{
    struct thread_registration *self = thread_current;
    /* Those of an earlier session may be of libraries that are gone. */
    if (self == NULL || self->label_stack.generation != recording_generation)
        return;
    uint32_t depth = self->label_stack.depth;
    for (uint32_t i = 0; i < depth && i < SNAPSHOT_MAX_LABELS; i++)
        self->label_stack.labels[i].site_index = site_index(self->label_stack.labels[i].site);
}
