#include "child-agent/unwinding/walk_cached.h"

/* Each frame depends on the one before it through two loads, the rule and the return address: the
 * rest must stay off that path. */
void walk_cached(struct unwinder *unwinder, struct walk *walk)
{
    const struct rule_cache *cache = &unwinder->cache;
    const uint64_t tag = walk->tag;
    const uint64_t start = walk->state.rsp;
    const uint64_t skipped = start - walk->state.stack.start; /* a red zone */
    const uint8_t *stack = walk->state.stack.at + skipped;
    const uint64_t last =
        walk->state.stack.bytes - skipped - WALK_WORD_BYTES; /* where a word may be */
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
        uint64_t return_offset = cfa - WALK_WORD_BYTES - start;
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
    walk_count_up(&unwinder->counts.cached, count - walk->count);
    walk->state.is_exact = walk->state.is_exact && count == walk->count;
    walk->count = count;
    walk->state.pc = pc;
    walk->state.rsp = rsp;
    walk->state.rbp = rbp;
}
