#include "child-agent/unwinding/walk_rule.h"

#include <errno.h>

#include "child-agent/unwinding/call_frame_info.h"
#include "child-agent/unwinding/module_tables.h"
#include "child-agent/unwinding/unwind_signal_frame.h"

void walk_rule_follow_modules(struct unwinder *unwinder, uint64_t generation)
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
    int error = module_find_row(module, address, REGISTER_RBP, &row);
    if (error == 0)
        return unwind_rule_from_row(&row, pc);
    if (error == -ENOTSUP)
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
    walk_rule_follow_modules(unwinder, module_map_present_generation(unwinder->modules));
    if (module == NULL)
        return rule;
    rule = rule_from_tables(module, address, state->pc);
    rule_cache_insert(&unwinder->cache, rule_cache_tag(&unwinder->cache), address, rule);
    return rule;
}

bool walk_rule_get(struct unwinder *unwinder, struct walk *walk, struct unwind_rule *out,
                   bool *is_filled)
{
    const struct unwind_state *state = &walk->state;
    uint64_t address = state->pc - (state->is_exact ? 0 : 1);
    *is_filled = !rule_cache_find(&unwinder->cache, walk->tag, address, out);
    if (!*is_filled)
        return true;
    if (!module_map_enter(unwinder->modules))
        return false;
    *out = fill_rule(unwinder, state, address);
    walk->tag = rule_cache_tag(&unwinder->cache);
    module_map_leave(unwinder->modules);
    return true;
}
