#include "child-agent/unwinding/unwind_rule.h"

#include "child-agent/unwinding/frame_expression.h"

enum {
    DWARF_RBP = 6,
    DWARF_RSP = 7,
    DWARF_REGISTERS = 16, /* of general purpose */
    RETURN_ADDRESS_OFFSET = -8,
    WORD_BYTES = 8,
};

/* --- Rules --- */

static const struct unwind_rule BEYOND = { 0, RULE_RBP_UNCHANGED, RULE_BEYOND, 0 };

static bool cfa_value(const struct frame_row *row, uint64_t pc, struct frame_value *out)
{
    if (row->is_cfa_expression)
        return frame_expression_evaluate(row->cfa_expression, pc, out);
    *out = (struct frame_value){ .form = VALUE_REGISTER,
                                 .number = row->cfa_register,
                                 .offset = row->cfa_offset };
    return true;
}

static bool set_cfa(struct unwind_rule *rule, const struct frame_value *cfa)
{
    if (cfa->offset != (int32_t)cfa->offset || cfa->form == VALUE_CONSTANT ||
        cfa->number >= DWARF_REGISTERS || cfa->addend % WORD_BYTES != 0 || cfa->addend < 0 ||
        cfa->addend / WORD_BYTES > RULE_ADDEND_MASK)
        return false;
    rule->detail = (uint8_t)(cfa->addend / WORD_BYTES);
    rule->cfa_offset = (int32_t)cfa->offset;
    bool is_value = cfa->form == VALUE_REGISTER;
    if (cfa->number == DWARF_RSP)
        rule->kind = is_value ? RULE_RSP : RULE_AT_RSP;
    else if (cfa->number == DWARF_RBP)
        rule->kind = is_value ? RULE_RBP : RULE_AT_RBP;
    else if (is_value)
        rule->kind = RULE_REGISTER;
    else
        return false;
    if (rule->kind == RULE_REGISTER)
        rule->detail = (uint8_t)cfa->number;
    return true;
}

static bool set_rbp_from_expression(struct unwind_rule *rule, struct frame_expression expression,
                                    uint64_t pc)
{
    struct frame_value place;
    if (!frame_expression_evaluate(expression, pc, &place) || place.form != VALUE_REGISTER ||
        place.number != DWARF_RBP || place.offset != (int16_t)place.offset)
        return false;
    rule->rbp_offset = (int16_t)place.offset;
    if (rule->kind == RULE_RBP) {
        int64_t from_cfa = place.offset - rule->cfa_offset;
        rule->rbp_offset = (int16_t)from_cfa;
        return from_cfa == (int16_t)from_cfa && from_cfa != RULE_RBP_UNCHANGED;
    }
    if (rule->kind == RULE_RSP) { /* not in the hot loop */
        rule->kind = RULE_REGISTER;
        rule->detail = DWARF_RSP;
    }
    rule->detail |= RULE_RBP_RELATIVE_TO_RBP;
    return true;
}

static bool set_rbp(struct unwind_rule *rule, const struct register_rule *rbp, uint64_t pc)
{
    switch (rbp->place) {
    case REGISTER_SAME:
        return true;
    case REGISTER_AT_OFFSET:
        rule->rbp_offset = (int16_t)rbp->offset;
        return rbp->offset == (int16_t)rbp->offset && rbp->offset != RULE_RBP_UNCHANGED;
    case REGISTER_AT_EXPRESSION:
        return set_rbp_from_expression(rule, rbp->expression, pc);
    default:
        return false;
    }
}

struct unwind_rule unwind_rule_from_row(const struct frame_row *row, uint64_t pc)
{
    struct unwind_rule rule = { 0, RULE_RBP_UNCHANGED, RULE_RSP, 0 };
    struct frame_value cfa;
    bool has_cfa = cfa_value(row, pc, &cfa) && set_cfa(&rule, &cfa);
    if (row->is_signal_frame) {
        rule.kind = RULE_SIGNAL;
        return rule;
    }
    if (row->return_address.place == REGISTER_UNDEFINED) {
        if (!has_cfa || rule.kind != RULE_RSP)
            rule.cfa_offset = 0;
        rule.kind = RULE_ROOT;
        return rule;
    }
    if (!has_cfa || row->return_address.place != REGISTER_AT_OFFSET ||
        row->return_address.offset != RETURN_ADDRESS_OFFSET || !set_rbp(&rule, &row->rbp, pc))
        return BEYOND;
    return rule;
}

/* --- The cache --- */

static const uint64_t TAG_UNIT = (uint64_t)1 << RULE_ADDRESS_BITS;

static void store_way(struct cached_rule *way, uint64_t sealed_key, uint64_t bits)
{
    atomic_store_explicit(&way->sealed_key, sealed_key, memory_order_relaxed);
    atomic_store_explicit(&way->rule, bits, memory_order_relaxed);
}

/* Once half as many rules have been inserted as there are sets, there are eight times as many. */
static void count_inserted(struct rule_cache *cache)
{
    enum { GROWTH_BITS = 3 };
    uint32_t more = atomic_load_explicit(&cache->more_sets, memory_order_relaxed);
    uint32_t sets = rule_last_set(cache) + 1;
    if (sets == 1 << RULE_SET_BITS ||
        atomic_fetch_add_explicit(&cache->inserted, 1, memory_order_relaxed) < sets / 2)
        return;
    atomic_store_explicit(&cache->inserted, 0, memory_order_relaxed);
    /* Unless another thread has done it. */
    (void)atomic_compare_exchange_strong(&cache->more_sets, &more, (sets << GROWTH_BITS) - 1);
}

void rule_cache_insert(struct rule_cache *cache, uint64_t tag, uint64_t address,
                       struct unwind_rule rule)
{
    uint64_t bits;
    if (address >> RULE_ADDRESS_BITS != 0)
        return;
    count_inserted(cache);
    struct rule_set *set = &cache->sets[rule_set_index(cache, address)];
    memcpy(&bits, &rule, sizeof(bits));
    store_way(&set->ways[1], atomic_load_explicit(&set->ways[0].sealed_key, memory_order_relaxed),
              atomic_load_explicit(&set->ways[0].rule, memory_order_relaxed));
    store_way(&set->ways[0], (address | tag) ^ bits, bits);
}

void rule_cache_forget(struct rule_cache *cache)
{
    uint64_t tag = rule_cache_tag(cache) + TAG_UNIT;
    if (tag == 0) { /* rules of the tag that is next may still be there */
        for (size_t i = 0; i < sizeof(cache->sets) / sizeof(cache->sets[0]); i++)
            for (size_t way = 0; way < RULE_WAYS; way++)
                store_way(&cache->sets[i].ways[way], 0, 0);
        tag = TAG_UNIT;
    }
    atomic_store_explicit(&cache->inserted, 0, memory_order_relaxed);
    atomic_store_explicit(&cache->tag, tag, memory_order_release);
}
