#include "child-agent/unwinding/unwinder.h"

#include <errno.h>

#include "child-agent/guest/pages.h"
#include "child-agent/unwinding/walk.h"
#include "child-agent/unwinding/walk_cached.h"
#include "child-agent/unwinding/walk_caller.h"
#include "child-agent/unwinding/walk_rule.h"

static void add_frame(struct walk *walk, uint64_t stack_address)
{
    walk->frames[walk->count++] = (struct unwind_frame){ walk->state.pc, stack_address };
}

/* A caller's frame is above; the innermost function may be one that has just set rsp to where it
 * goes. */
static bool is_caller_further_out(const struct walk *walk, const struct unwind_state *caller)
{
    if (caller->stack.start != walk->state.stack.start)
        return true; /* of how many stacks is limited */
    return caller->rsp > walk->state.rsp || (caller->rsp == walk->state.rsp && walk->count == 1);
}

/* A step by any means. */
static enum walk_end step_to_caller(struct unwinder *unwinder, struct walk *walk)
{
    struct unwind_state caller;
    if (walk->state.pc == 0 && walk->count > 0)
        return WALK_AT_ROOT;
    enum walk_end end = walk_find_caller(unwinder, walk, &caller);
    if (end == WALK_BROKEN) {
        add_frame(walk, walk->state.rsp);
        return end;
    }
    if (caller.rsp > caller.stack.root && walk->count > 0)
        return WALK_AT_ROOT;
    add_frame(walk, caller.rsp);
    if (end == WALK_AT_ROOT || caller.rsp >= caller.stack.root)
        return WALK_AT_ROOT;
    if (!is_caller_further_out(walk, &caller))
        return WALK_BROKEN;
    walk->state = caller;
    return WALK_GOES_ON;
}

static enum walk_end walk_to_end(struct unwinder *unwinder, struct walk *walk)
{
    enum walk_end end = WALK_GOES_ON;
    while (end == WALK_GOES_ON && walk->count < walk->capacity) {
        if (unwind_has_word(&walk->state.stack, walk->state.rsp))
            walk_cached(unwinder, walk);
        if (walk->count < walk->capacity)
            end = step_to_caller(unwinder, walk);
    }
    return end;
}

/* Before a stack: libraries may have come and gone since the last one. */
static void follow_announced(struct unwinder *unwinder)
{
    if (!module_map_is_behind(unwinder->modules) || !module_map_enter(unwinder->modules))
        return;
    walk_rule_follow_modules(unwinder, module_map_generation(unwinder->modules));
    module_map_leave(unwinder->modules);
}

size_t unwinder_walk(struct unwinder *unwinder, const struct snapshot *snapshot,
                     uint64_t root_stack_address, struct unwind_frame *frames, size_t capacity,
                     bool *is_complete)
{
    struct walk walk = {
        .snapshot = snapshot,
        .state = { .stack = unwind_first_stack(
                       snapshot, root_stack_address == 0 ? UINT64_MAX : root_stack_address),
                   .pc = snapshot->registers[REGISTER_RIP],
                   .rsp = snapshot->registers[REGISTER_RSP],
                   .rbp = snapshot->registers[REGISTER_RBP],
                   .is_exact = true },
        .frames = frames,
        .capacity = capacity,
    };
    if (unwinder == NULL) {
        frames[0] = (struct unwind_frame){ walk.state.pc, walk.state.rsp };
        *is_complete = false;
        return 1;
    }
    follow_announced(unwinder);
    walk.tag = rule_cache_tag(&unwinder->cache);
    enum walk_end end = walk_to_end(unwinder, &walk);
    *is_complete = end == WALK_AT_ROOT;
    if (end == WALK_AT_ROOT)
        walk_count_up(&unwinder->counts.at_root, 1);
    else if (end == WALK_BROKEN)
        walk_count_up(&unwinder->counts.broken, 1);
    return walk.count;
}

void unwinder_get_statistics(const struct unwinder *unwinder, struct unwind_statistics *out)
{
    *out = (struct unwind_statistics){
        .frames_cached = atomic_load(&unwinder->counts.cached),
        .frames_filled = atomic_load(&unwinder->counts.filled),
        .frames_pointer = atomic_load(&unwinder->counts.pointer),
        .ended_at_root = atomic_load(&unwinder->counts.at_root),
        .ended_broken = atomic_load(&unwinder->counts.broken),
    };
}

int unwinder_create(struct module_map *modules, struct unwinder **out)
{
    struct unwinder *unwinder = pages_allocate(sizeof(*unwinder));
    if (unwinder == NULL)
        return -ENOMEM;
    unwinder->modules = modules;
    rule_cache_forget(&unwinder->cache);
    *out = unwinder;
    return 0;
}

void unwinder_destroy(struct unwinder *unwinder)
{
    pages_free(unwinder, sizeof(*unwinder));
}
