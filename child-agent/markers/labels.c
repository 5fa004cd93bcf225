/* Labels: the calling thread's label stack. Only the thread changes it; its signal handler reads
 * it. */
#include "child-agent/markers/labels.h"
#include "child-agent/threads/label_stack.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "child-agent/core.h"
#include "child-agent/markers/site.h"
#include "child-agent/recording.h"
#include "child-agent/threads/thread_registry.h"
#include "child-agent/upcalls.h"
#include "profd.h"

__thread struct label_stack thread_labels;
_Atomic bool label_stacks_were_used;

static inline void put_label(uint32_t depth, struct profd_site *site, uint32_t site_index,
                             void *stack_address)
{
    struct pushed_label *label = &thread_labels.labels[depth];
    label->site = site;
    label->stack_address = (uint64_t)(uintptr_t)stack_address;
    label->site_index = site_index;
    atomic_signal_fence(memory_order_release);
    thread_labels.depth = depth + 1;
}

/* Readies the calling thread's label stack for GENERATION: emptied when it was another session's.
 * False when the thread cannot be registered. */
static bool ready_stack(uint32_t generation)
{
    if (thread_current == NULL && thread_registry_register_current(NULL, false) < 0)
        return false;
    if (thread_labels.generation != generation) {
        thread_labels.depth = 0;
        thread_labels.generation = generation;
    }
    atomic_store_explicit(&label_stacks_were_used, true, memory_order_relaxed);
    return true;
}

/* What push does when the stack is not ready, the site is new, or there is no room. */
static __attribute__((noinline)) uint32_t push_slow(struct profd_site *site, void *stack_address)
{
    upcall_end_dormancy();
    uint32_t generation = core_local.recording_generation;
    if (generation == 0 || !ready_stack(generation))
        return 0;
    uint32_t depth = thread_labels.depth;
    if (depth < SNAPSHOT_MAX_LABELS) {
        put_label(depth, site, core_is_forking ? 0 : site_index(site), stack_address);
    } else {
        if (!core_is_forking)
            arena_count_drop(&core.arena, DROP_LABEL_OVERFLOW, 1);
        thread_labels.depth = depth + 1;
    }
    return generation;
}

/* Calls nothing on its fast path, so that no register has to be saved for it. Without a session it
 * may push on a stack of generation 0, which nobody looks at. */
uint32_t profd_label_push(struct profd_site *site, void *stack_address)
{
    uint32_t generation = core_local.recording_generation;
    uint32_t depth = thread_labels.depth;
    uint32_t id = site->id;
    if (__builtin_expect(thread_labels.generation != generation || depth >= SNAPSHOT_MAX_LABELS ||
                             id >> SITE_INDEX_BITS != core_epoch,
                         0))
        return push_slow(site, stack_address);
    put_label(depth, site, id & SITE_INDEX_MASK, stack_address);
    return generation;
}

static __attribute__((noinline)) void note_underflow(void)
{
    if (core_local.recording_generation != 0 && !core_is_forking &&
        thread_labels.generation == core_local.recording_generation)
        arena_count_drop(&core.arena, DROP_LABEL_UNDERFLOW, 1);
}

/* Whatever session the label was pushed in: an older session's stack is emptied by the next push.
 */
void profd_label_pop(void)
{
    uint32_t depth = thread_labels.depth;
    if (__builtin_expect(depth > 0, 1))
        thread_labels.depth = depth - 1;
    else
        note_underflow();
}

void profd_label_scope_leave_(uint32_t generation)
{
    if (thread_labels.generation == generation)
        profd_label_pop();
}

void labels_after_fork_child(void)
{
    /* Those of an earlier session may be of libraries that are gone. */
    if (thread_current == NULL || thread_labels.generation != core_local.recording_generation)
        return;
    uint32_t depth = thread_labels.depth;
    for (uint32_t i = 0; i < depth && i < SNAPSHOT_MAX_LABELS; i++)
        thread_labels.labels[i].site_index = site_index(thread_labels.labels[i].site);
}
