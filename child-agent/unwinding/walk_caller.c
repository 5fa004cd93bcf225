#include "child-agent/unwinding/walk_caller.h"

#include "child-agent/unwinding/unwind_by_row.h"
#include "child-agent/unwinding/unwind_frame_pointer.h"
#include "child-agent/unwinding/unwind_recover.h"
#include "child-agent/unwinding/unwind_signal_frame.h"
#include "child-agent/unwinding/walk_rule.h"

enum {
    MOST_OTHER_STACKS = 8
}; /* a thread in a handler in a handler … each on a stack of its own */

static bool read_cfa(const struct unwind_state *state, uint64_t address, struct unwind_rule rule,
                     uint64_t *out)
{
    if (!unwind_read_word(&state->stack, address, out))
        return false;
    *out += (uint64_t)(rule.detail & RULE_ADDEND_MASK) * WALK_WORD_BYTES;
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
        address % WALK_WORD_BYTES != 0)
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
           unwind_read_word(&there.stack, cfa - WALK_WORD_BYTES, &caller->pc) &&
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
    if (!unwind_has_word(&state->stack, cfa - WALK_WORD_BYTES))
        return apply_to_other_stack(unwinder, walk, rule, cfa, caller);
    if (!restore_rbp(state, rule, cfa, &caller->rbp))
        return false;
    return unwind_read_word(&state->stack, cfa - WALK_WORD_BYTES, &caller->pc);
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

static bool guess_caller(struct unwinder *unwinder, struct walk *walk, struct unwind_state *caller)
{
    const struct unwind_state *state = &walk->state;
    if (!module_map_enter(unwinder->modules))
        return false;
    bool found = unwind_at_entry(unwinder->modules, state, caller) ||
                 unwind_by_frame_pointer(unwinder->modules, state, caller) ||
                 guess_on_other_stack(unwinder, walk, caller);
    module_map_leave(unwinder->modules);
    walk_count_up(&unwinder->counts.pointer, found);
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

enum walk_end walk_find_caller(struct unwinder *unwinder, struct walk *walk,
                               struct unwind_state *caller)
{
    const struct unwind_state *state = &walk->state;
    bool is_filled, found;
    struct unwind_rule rule;
    *caller = *state;
    if (!walk_rule_get(unwinder, walk, &rule, &is_filled))
        return WALK_BROKEN;
    switch (rule.kind) {
    case RULE_ROOT:
        find_cfa(unwinder, walk, rule, &caller->rsp);
        return WALK_AT_ROOT;
    case RULE_NO_TABLE:
        if (guess_caller(unwinder, walk, caller))
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
    walk_count_up(is_filled ? &unwinder->counts.filled : &unwinder->counts.cached, 1);
    return WALK_GOES_ON;
}
