/* Labels: the calling thread's label stack. Only the thread changes it; its signal handler reads
 * it. */
#include "child-agent/labels.h"

#include <stdatomic.h>

#include "child-agent/core.h"
#include "child-agent/recording.h"
#include "child-agent/site.h"
#include "child-agent/thread_registry.h"
#include "profd.h"

/* The label stack of the calling thread, emptied when it was another session's; NULL without one.
 */
static struct label_stack *current_stack(uint32_t generation)
{
    struct thread_registration *self = thread_current;
    if (__builtin_expect(self == NULL, 0)) {
        if (thread_registry_register_current(NULL, false) < 0)
            return NULL;
        self = thread_current;
    }
    struct label_stack *stack = &self->label_stack;
    if (__builtin_expect(stack->generation != generation, 0)) {
        stack->depth = 0;
        stack->generation = generation;
    }
    return stack;
}

uint32_t profd_label_push(struct profd_site *site, void *stack_address)
{
    uint32_t generation = recording_generation;
    struct label_stack *stack = generation != 0 ? current_stack(generation) : NULL;
    if (stack == NULL)
        return 0;
    uint32_t depth = stack->depth;
    if (__builtin_expect(depth < SNAPSHOT_MAX_LABELS, 1)) {
        struct pushed_label *label = &stack->labels[depth];
        label->site = site;
        label->stack_address = (uint64_t)(uintptr_t)stack_address;
        label->site_index = site_index(site);
    } else {
        arena_count_drop(&core.arena, DROP_LABEL_OVERFLOW, 1);
    }
    atomic_signal_fence(memory_order_release);
    stack->depth = depth + 1;
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

void profd_label_scope_end_(uint32_t *generation)
{
    if (*generation != 0)
        pop(*generation);
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
