/* Compact unwind rules, and the cache of them by code address.
 *
 * A rule says in 8 bytes how to get from a frame to its caller. With CFA the canonical frame
 * address, the value of rsp in the caller after the call returned, nearly all code of compilers has
 *
 *     CFA            = rsp + offset, or rbp + offset
 *     return address = the 8 bytes at CFA - 8
 *     caller's rbp   = the 8 bytes at CFA + rbp_offset, or unchanged
 *     caller's rsp   = CFA
 *
 * "Unchanged" is written as rbp_offset -8: where the return address is, rbp cannot be, and there is
 * always something that may be read, so that the hot loop needs no branch for it. The two kinds of
 * base are 0 and 1 for the same reason. The other kinds leave the hot loop:
 *
 *     CFA = 8 bytes at rsp or rbp + offset    functions that realign their stack keep it there;
 *                                             + a little, where they keep the rsp of before a push
 *     CFA = another register + offset         a few instructions of such functions, and of the
 * loader signal                                  the caller's registers are in a ucontext at rsp
 *     root                                    there is no caller
 *     beyond                                  the tables say more than a rule can (unwind_by_row.h)
 *     no table                                nothing is known: frame pointers
 *
 * An expression that computes with the pc (stubs of the procedure linkage table) is evaluated when
 * the rule is made, for a rule belongs to one address. Callers are looked up by return address - 1,
 * the call itself: the return address may already be in another function.
 *
 * The cache has 2 ways and is tagged with a generation, so that forgetting everything costs
 * nothing. Any thread and any signal handler may look up and insert at any time, without a lock: a
 * place holds the rule, and the rule combined with its key, so that a reader who meets two halves
 * of different rules finds nothing. */
#ifndef PROFD_AGENT_UNWIND_RULE_H
#define PROFD_AGENT_UNWIND_RULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "child-agent/unwinding/call_frame_info.h"

enum unwind_rule_kind {
    RULE_RSP = 0,
    RULE_RBP = 1,
    RULE_LAST_SIMPLE = RULE_RBP,
    RULE_AT_RSP = 2, /* CFA = 8 bytes at rsp + cfa_offset, + 8 * addend in `detail` */
    RULE_AT_RBP = 3,
    RULE_REGISTER = 4, /* CFA = register `detail` + cfa_offset */
    RULE_SIGNAL = 5,
    RULE_ROOT = 6, /* its own CFA is rsp + cfa_offset */
    RULE_BEYOND = 7,
    RULE_NO_TABLE = 8,
};

enum {
    RULE_RBP_UNCHANGED = -8, /* rbp_offset */
    RULE_RBP_RELATIVE_TO_RBP = 64 /* flag in `detail`: saved at rbp + rbp_offset instead */,
    RULE_REGISTER_MASK = 15,
    RULE_ADDEND_MASK = 63,
};

struct unwind_rule {
    int32_t cfa_offset;
    int16_t rbp_offset;
    uint8_t kind;   /* enum unwind_rule_kind */
    uint8_t detail; /* for kinds beyond RULE_LAST_SIMPLE */
};

_Static_assert(sizeof(struct unwind_rule) == sizeof(uint64_t), "a rule is one word");

/* The rule that says what ROW says, for code at PC. RULE_BEYOND when none can. */
struct unwind_rule unwind_rule_from_row(const struct frame_row *row, uint64_t pc);

struct cached_rule {
    _Atomic uint64_t sealed_key; /* (address | tag) ^ bits of the rule */
    _Atomic uint64_t rule;       /* its bits */
};

enum { RULE_SET_BITS = 14, RULE_WAYS = 2, RULE_ADDRESS_BITS = 48 };

struct rule_set {
    struct cached_rule ways[RULE_WAYS];
};

/* Zeroed memory is an empty cache once its tag was set by rule_cache_forget(). */
struct rule_cache {
    _Atomic uint64_t tag; /* the generation, above all bits of an address; never 0 */
    _Alignas(64) struct rule_set sets[1 << RULE_SET_BITS];
};

/* Neighbouring code uses neighbouring sets: a program touches few pages of the cache. */
static inline size_t rule_set_index(uint64_t address)
{
    return (size_t)((address ^ address >> RULE_SET_BITS ^ address >> (2 * RULE_SET_BITS)) &
                    ((1 << RULE_SET_BITS) - 1));
}

static inline uint64_t rule_cache_tag(const struct rule_cache *cache)
{
    return atomic_load_explicit(&cache->tag, memory_order_acquire);
}

/* Whether WAY holds the rule of KEY; its bits. */
static inline bool rule_way_matches(const struct cached_rule *way, uint64_t key, uint64_t *bits)
{
    *bits = atomic_load_explicit(&way->rule, memory_order_relaxed);
    return (atomic_load_explicit(&way->sealed_key, memory_order_relaxed) ^ *bits) == key;
}

/* False when it is not there. What is no address of a program, as it comes from damaged stacks,
 * never is. TAG is rule_cache_tag(): once a stack is enough. */
static inline bool rule_cache_find(const struct rule_cache *cache, uint64_t tag, uint64_t address,
                                   struct unwind_rule *out)
{
    const struct rule_set *set = &cache->sets[rule_set_index(address)];
    uint64_t key = address | tag, bits;
    if (__builtin_expect(address >> RULE_ADDRESS_BITS != 0, 0))
        return false;
    if (!__builtin_expect(rule_way_matches(&set->ways[0], key, &bits), 1) &&
        !rule_way_matches(&set->ways[1], key, &bits))
        return false;
    memcpy(out, &bits, sizeof(*out));
    return true;
}

/* Puts a rule in that is not there; the older one of its set goes. TAG is that of the tables that
 * the rule comes from. */
void rule_cache_insert(struct rule_cache *cache, uint64_t tag, uint64_t address,
                       struct unwind_rule rule);

/* Forgets all rules. One thread at a time; others may look up and insert meanwhile. */
void rule_cache_forget(struct rule_cache *cache);

#endif
