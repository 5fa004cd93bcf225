#include "child-agent/sampler/snapshot_stack.h"

#include "child-agent/core.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/unwinding/process_unwinder.h"

size_t snapshot_unwind(const struct snapshot *snapshot, const struct thread_registration *thread,
                       struct unwind_frame native[SAMPLE_MAX_FRAMES], bool *is_complete)
{
    /* Outside of the main thread, the outermost functions are the agent's. */
    bool is_own = snapshot->registers[REGISTER_RSP] - thread->stack_low <
                  thread->stack_high - thread->stack_low;
    uint64_t root = thread->is_main || !is_own ? 0 : thread->stack_high;
    return unwinder_walk(process_unwinder(), snapshot, root, native, SAMPLE_MAX_FRAMES,
                         is_complete);
}

size_t snapshot_stack(const struct snapshot *snapshot, const struct thread_registration *thread,
                      struct unwind_frame native[SAMPLE_MAX_FRAMES],
                      struct stack_frame merged[SAMPLE_MAX_FRAMES], bool *is_complete)
{
    size_t count = snapshot_unwind(snapshot, thread, native, is_complete);
    return stack_merge(native, count, snapshot->labels, snapshot->label_count, merged,
                       SAMPLE_MAX_FRAMES);
}

void snapshot_count_truncated(void)
{
    arena_count_drop(&core.arena, DROP_STACK_TRUNCATED, 1);
    if (process_memory_is_refused())
        arena_count_drop(&core.arena, DROP_UNREADABLE_STACK, 1);
}
