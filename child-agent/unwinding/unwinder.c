#include "child-agent/unwinding/unwinder.h"

#include <errno.h>
#include <stdatomic.h>

#include "child-agent/guest/pages.h"
#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/unwind_by_row.h"
#include "child-agent/unwinding/unwind_frame_pointer.h"
#include "child-agent/unwinding/unwind_recover.h"
#include "child-agent/unwinding/unwind_rule.h"
#include "child-agent/unwinding/unwind_signal_frame.h"
#include "child-agent/unwinding/unwind_state.h"

enum {
    WORD_BYTES = 8,
    MOST_OTHER_STACKS = 8, /* a thread in a handler in a handler … each on a stack of its own */
};

enum walk_end {
    WALK_GOES_ON = 0,
    WALK_AT_ROOT = 1,
    WALK_BROKEN = 2,
};

struct unwinder {
    struct module_map *modules;
    uint64_t generation; /* of the modules that the cached rules are about; entered */
    struct {
        _Atomic uint64_t cached, filled, pointer, at_root, broken;
    } counts;
    struct rule_cache cache;
};

struct walk {
    const struct snapshot *snapshot;
    struct unwind_state state;
    struct unwind_frame *frames;
    size_t count, capacity;
    uint64_t tag; /* of the rules that are good */
    int stacks;   /* that it came to after the first */
};

/* Not a read-modify-write, which would cost more than a frame: who counts at the same time is lost.
 */
static void count_up(_Atomic uint64_t *counter, uint64_t count)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count,
                          memory_order_relaxed);
}

/* --- Rules --- */

/* Entered: rules of modules that are no more go. */
static void follow_modules(struct unwinder *unwinder, uint64_t generation)
{
    if (generation == unwinder->generation)
        return;
    unwinder->generation = generation;
    rule_cache_forget(&unwinder->cache);
}

static struct unwind_rule rule_from_tables(const struct module *module, uint64_t address,
                                           uint64_t pc)
{
    struct unwind_rule rule = { 0, RULE_RBP_UNCHANGED, RULE_NO_TABLE, 0 };
    struct frame_row row;
    int rc = module_find_row(module, address, REGISTER_RBP, &row);
    if (rc == 0)
        return unwind_rule_from_row(&row, pc);
    if (rc == -ENOTSUP)
        rule.kind = RULE_BEYOND;
    else if (unwind_is_signal_return(pc))
        rule.kind = RULE_SIGNAL;
    return rule;
}

/* Makes the rule for STATE's code; entered. Outside of all modules it is not kept: the next list
 * may tell more. */
static struct unwind_rule fill_rule(struct unwinder *unwinder, const struct unwind_state *state,
                                    uint64_t address)
{
    struct unwind_rule rule = { 0, RULE_RBP_UNCHANGED, RULE_NO_TABLE, 0 };
    const struct module *module = module_map_find(unwinder->modules, address);
    follow_modules(unwinder, module_map_present_generation(unwinder->modules));
    if (module == NULL)
        return rule;
    rule = rule_from_tables(module, address, state->pc);
    rule_cache_insert(&unwinder->cache, rule_cache_tag(&unwinder->cache), address, rule);
    return rule;
}

/* The rule for the frame that WALK is at. False: it would have to be read, and another thread is at
 * the tables. */
static bool get_rule(struct unwinder *unwinder, struct walk *walk, struct unwind_rule *out,
                     bool *filled)
{
    const struct unwind_state *state = &walk->state;
    uint64_t address = state->pc - (state->is_exact ? 0 : 1);
    *filled = !rule_cache_find(&unwinder->cache, walk->tag, address, out);
    if (!*filled)
        return true;
    if (!module_map_enter(unwinder->modules))
        return false;
    *out = fill_rule(unwinder, state, address);
    walk->tag = rule_cache_tag(&unwinder->cache);
    module_map_leave(unwinder->modules);
    return true;
}

/* --- One step --- */

static bool read_cfa(const struct unwind_state *state, uint64_t address, struct unwind_rule rule,
                     uint64_t *out)
{
    if (!unwind_read_word(&state->stack, address, out))
        return false;
    *out += (uint64_t)(rule.detail & RULE_ADDEND_MASK) * WORD_BYTES;
    return true;
}

static bool recover_register(struct unwinder *unwinder, const struct walk *walk, uint32_t number,
                             uint64_t *out)
{
    if (walk->stacks > 0 || !module_map_enter(unwinder->modules))
        return false;
    bool found = unwind_recover_register(unwinder->modules, walk->snapshot, walk->frames,
                                         walk->count, number, out);
    module_map_leave(unwinder->modules);
    return found;
}

/* The CFA that RULE gives in the frame that the walk is at; false: not to be had. */
static bool find_cfa(struct unwinder *unwinder, const struct walk *walk, struct unwind_rule rule,
                     uint64_t *out)
{
    const struct unwind_state *state = &walk->state;
    uint64_t offset = (uint64_t)(int64_t)rule.cfa_offset;
    uint32_t number;
    switch (rule.kind) {
    case RULE_RSP:
    case RULE_ROOT:
        *out = state->rsp + offset;
        return true;
    case RULE_RBP:
        *out = state->rbp + offset;
        return true;
    case RULE_AT_RSP:
        return read_cfa(state, state->rsp + offset, rule, out);
    case RULE_AT_RBP:
        return read_cfa(state, state->rbp + offset, rule, out);
    case RULE_REGISTER:
        number = rule.detail & RULE_REGISTER_MASK;
        *out = state->rsp;
        if (number != REGISTER_RSP && !recover_register(unwinder, walk, number, out))
            return false;
        *out += offset;
        return true;
    default:
        return false;
    }
}

/* A slot below rsp is one that was popped already, which compilers don't tell: rbp is restored
 * then. */
static bool restore_rbp(const struct unwind_state *state, struct unwind_rule rule, uint64_t cfa,
                        uint64_t *rbp)
{
    bool is_from_rbp = (rule.detail & RULE_RBP_RELATIVE_TO_RBP) != 0;
    if (rule.rbp_offset == RULE_RBP_UNCHANGED && !is_from_rbp)
        return true;
    if (is_from_rbp && rule.kind == RULE_REGISTER && state->rbp - state->rsp >= cfa - state->rsp)
        return true;
    uint64_t place = (is_from_rbp ? state->rbp : cfa) + (uint64_t)(int64_t)rule.rbp_offset;
    return place < state->rsp || unwind_read_word(&state->stack, place, rbp);
}

/* Shows what is at ADDRESS, on another stack than the one that the walk is on. */
static bool show_other_stack(struct walk *walk, uint64_t address, struct stack_view *out)
{
    const struct snapshot *snapshot = walk->snapshot;
    if (snapshot->other_stack == NULL || walk->stacks == MOST_OTHER_STACKS ||
        address % WORD_BYTES != 0)
        return false;
    walk->stacks++;
    return snapshot->other_stack(snapshot, address, out);
}

static bool is_code(struct unwinder *unwinder, uint64_t pc)
{
    if (!module_map_enter(unwinder->modules))
        return false;
    bool is_one = module_map_is_executable(unwinder->modules, pc - 1);
    module_map_leave(unwinder->modules);
    return is_one;
}

/* A function that went to another stack: its frame, which rbp leads to, is on the one before. */
static bool apply_to_other_stack(struct unwinder *unwinder, struct walk *walk,
                                 struct unwind_rule rule, uint64_t cfa, struct unwind_state *caller)
{
    struct unwind_state there = walk->state;
    if (rule.kind != RULE_RBP || !show_other_stack(walk, walk->state.rbp, &there.stack))
        return false;
    there.rsp = there.stack.start;
    caller->stack = there.stack;
    return restore_rbp(&there, rule, cfa, &caller->rbp) &&
           unwind_read_word(&there.stack, cfa - WORD_BYTES, &caller->pc) &&
           is_code(unwinder, caller->pc);
}

static bool apply_rule(struct unwinder *unwinder, struct walk *walk, struct unwind_rule rule,
                       struct unwind_state *caller)
{
    const struct unwind_state *state = &walk->state;
    uint64_t cfa;
    *caller = *state;
    caller->is_exact = false;
    if (!find_cfa(unwinder, walk, rule, &cfa))
        return false;
    caller->rsp = cfa;
    if (!unwind_has_word(&state->stack, cfa - WORD_BYTES))
        return apply_to_other_stack(unwinder, walk, rule, cfa, caller);
    if (!restore_rbp(state, rule, cfa, &caller->rbp))
        return false;
    return unwind_read_word(&state->stack, cfa - WORD_BYTES, &caller->pc);
}

static bool leave_signal(struct walk *walk, struct unwind_state *interrupted)
{
    if (!unwind_leave_signal(&walk->state, interrupted))
        return false;
    if (!unwind_has_word(&interrupted->stack, interrupted->rsp))
        (void)show_other_stack(walk, interrupted->rsp, &interrupted->stack);
    return true; /* where it was is known in any case */
}

/* Runtimes with stacks of their own leave the frame pointer when they go to another one. */
static bool guess_on_other_stack(struct unwinder *unwinder, struct walk *walk,
                                 struct unwind_state *caller)
{
    struct unwind_state there = walk->state;
    if (unwind_has_word(&there.stack, there.rbp) ||
        !show_other_stack(walk, there.rbp, &there.stack))
        return false;
    there.rsp = there.stack.start;
    return unwind_by_frame_pointer(unwinder->modules, &there, caller);
}

static bool guess(struct unwinder *unwinder, struct walk *walk, struct unwind_state *caller)
{
    const struct unwind_state *state = &walk->state;
    if (!module_map_enter(unwinder->modules))
        return false;
    bool found = unwind_at_entry(unwinder->modules, state, caller) ||
                 unwind_by_frame_pointer(unwinder->modules, state, caller) ||
                 guess_on_other_stack(unwinder, walk, caller);
    module_map_leave(unwinder->modules);
    count_up(&unwinder->counts.pointer, found);
    return found;
}

static bool find_caller_by_row(struct unwinder *unwinder, const struct walk *walk,
                               struct unwind_state *caller)
{
    const struct unwound so_far = { walk->snapshot, walk->frames, walk->count };
    if (walk->stacks > 0 || !module_map_enter(unwinder->modules))
        return false;
    bool found = unwind_by_row(unwinder->modules, &so_far, &walk->state, caller);
    module_map_leave(unwinder->modules);
    return found;
}

/* Finds the caller of the frame that the walk is at. */
static enum walk_end find_caller(struct unwinder *unwinder, struct walk *walk,
                                 struct unwind_state *caller)
{
    const struct unwind_state *state = &walk->state;
    bool filled, found;
    struct unwind_rule rule;
    *caller = *state;
    if (!get_rule(unwinder, walk, &rule, &filled))
        return WALK_BROKEN;
    switch (rule.kind) {
    case RULE_ROOT:
        find_cfa(unwinder, walk, rule, &caller->rsp);
        return WALK_AT_ROOT;
    case RULE_NO_TABLE:
        if (guess(unwinder, walk, caller))
            return WALK_GOES_ON;
        /* By convention the outermost frame has no frame pointer; the innermost may have anything
         * in that register. */
        return state->rbp == 0 && !state->is_exact ? WALK_AT_ROOT : WALK_BROKEN;
    case RULE_BEYOND: /* a guess would be wrong: there are tables, and they say otherwise */
        found = find_caller_by_row(unwinder, walk, caller);
        break;
    case RULE_SIGNAL:
        found = leave_signal(walk, caller);
        break;
    default:
        found = apply_rule(unwinder, walk, rule, caller);
    }
    if (!found)
        return WALK_BROKEN;
    count_up(filled ? &unwinder->counts.filled : &unwinder->counts.cached, 1);
    return WALK_GOES_ON;
}

static void add_frame(struct walk *walk, uint64_t stack_address)
{
    walk->frames[walk->count++] = (struct unwind_frame){ walk->state.pc, stack_address };
}

/* A caller's frame is above; the innermost function may be one that has just set rsp to where it
 * goes. */
static bool is_further_out(const struct walk *walk, const struct unwind_state *caller)
{
    if (caller->stack.start != walk->state.stack.start)
        return true; /* of how many stacks is limited */
    return caller->rsp > walk->state.rsp || (caller->rsp == walk->state.rsp && walk->count == 1);
}

/* A step by any means. */
static enum walk_end step(struct unwinder *unwinder, struct walk *walk)
{
    struct unwind_state caller;
    if (walk->state.pc == 0 && walk->count > 0)
        return WALK_AT_ROOT;
    enum walk_end end = find_caller(unwinder, walk, &caller);
    if (end == WALK_BROKEN) {
        add_frame(walk, walk->state.rsp);
        return end;
    }
    bool is_beyond_root = caller.rsp >= caller.stack.root;
    if (is_beyond_root && walk->count > 0)
        return WALK_AT_ROOT;
    add_frame(walk, caller.rsp);
    if (end == WALK_AT_ROOT || is_beyond_root)
        return WALK_AT_ROOT;
    if (!is_further_out(walk, &caller))
        return WALK_BROKEN;
    walk->state = caller;
    return WALK_GOES_ON;
}

/* --- The hot loop --- */

/* Goes on as long as the cache has simple rules that stay inside the stack. Each frame depends on
 * the one before it through two loads, the rule and the return address: the rest must stay off that
 * path. */
static void step_cached(struct unwinder *unwinder, struct walk *walk)
{
    const struct rule_cache *cache = &unwinder->cache;
    const uint64_t tag = walk->tag;
    const uint64_t start = walk->state.rsp;
    const uint64_t skipped = start - walk->state.stack.start; /* a red zone */
    const uint8_t *stack = walk->state.stack.at + skipped;
    const uint64_t last = walk->state.stack.bytes - skipped - WORD_BYTES; /* where a word may be */
    const uint64_t root = walk->state.stack.root;
    uint64_t pc = walk->state.pc, rsp = walk->state.rsp, rbp = walk->state.rbp;
    uint64_t back = walk->state.is_exact ? 0 : 1;
    size_t count = walk->count;
    while (count < walk->capacity) {
        struct unwind_rule rule;
        if (!rule_cache_find(cache, tag, pc - back, &rule) || rule.kind > RULE_LAST_SIMPLE)
            break;
        uint64_t base = rsp ^ ((rsp ^ rbp) & -(uint64_t)rule.kind);
        uint64_t cfa = base + (uint64_t)(int64_t)rule.cfa_offset;
        uint64_t return_offset = cfa - WORD_BYTES - start;
        uint64_t rbp_offset = cfa + (uint64_t)(int64_t)rule.rbp_offset - start;
        if (return_offset > last || rbp_offset > last || cfa <= rsp || cfa >= root)
            break;
        uint64_t saved_rbp = unwind_load_word(stack + rbp_offset);
        walk->frames[count++] = (struct unwind_frame){ pc, cfa };
        rbp = rule.rbp_offset == RULE_RBP_UNCHANGED ? rbp : saved_rbp;
        pc = unwind_load_word(stack + return_offset);
        rsp = cfa;
        back = 1;
    }
    count_up(&unwinder->counts.cached, count - walk->count);
    walk->state.is_exact = walk->state.is_exact && count == walk->count;
    walk->count = count;
    walk->state.pc = pc;
    walk->state.rsp = rsp;
    walk->state.rbp = rbp;
}

static enum walk_end walk_to_end(struct unwinder *unwinder, struct walk *walk)
{
    enum walk_end end = WALK_GOES_ON;
    while (end == WALK_GOES_ON && walk->count < walk->capacity) {
        if (unwind_has_word(&walk->state.stack, walk->state.rsp))
            step_cached(unwinder, walk);
        if (walk->count < walk->capacity)
            end = step(unwinder, walk);
    }
    return end;
}

/* --- The contract --- */

/* Before a stack: libraries may have come and gone since the last one. */
static void follow_announced(struct unwinder *unwinder)
{
    if (!module_map_is_behind(unwinder->modules) || !module_map_enter(unwinder->modules))
        return;
    follow_modules(unwinder, module_map_generation(unwinder->modules));
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
        count_up(&unwinder->counts.at_root, 1);
    else if (end == WALK_BROKEN)
        count_up(&unwinder->counts.broken, 1);
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
    struct unwinder *unwinder = pages_allocate(sizeof *unwinder);
    if (unwinder == NULL)
        return -ENOMEM;
    unwinder->modules = modules;
    rule_cache_forget(&unwinder->cache);
    *out = unwinder;
    return 0;
}

void unwinder_destroy(struct unwinder *unwinder)
{
    pages_free(unwinder, sizeof *unwinder);
}
