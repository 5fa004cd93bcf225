/* Compact unwind rules, and their cache by code address.
 *
 * A rule says in 8 bytes how to get from a frame to its caller. CFA is the canonical frame address:
 * the value of rsp in the caller after the call has returned. For nearly all code of compilers,
 *
 *     CFA            = rsp + offset, or rbp + offset
 *     return address = the 8 bytes at CFA - 8
 *     caller's rbp   = the 8 bytes at CFA + rbp_offset, or unchanged
 *     caller's rsp   = CFA
 *
 * "Unchanged" is written as rbp_offset -8. That is the place of the return address, so rbp cannot
 * be there, and it can always be read; so the hot loop needs no branch for this case. The two kinds
 * of base are 0 and 1 for the same reason. The other kinds leave the hot loop:
 *
 *     CFA = 8 bytes at rsp or rbp + offset   functions that realign their stack keep it there; plus
 *                                            a little, where they keep the rsp of before a push
 *     CFA = another register + offset        a few instructions of such functions and of the loader
 *     signal                                 the caller's registers are in a ucontext at rsp
 *     root                                   there is no caller
 *     beyond                                 the tables say more than a rule can (unwind_by_row.h)
 *     no table                               nothing is known: frame pointers
 *
 * An expression that computes with the pc (stubs of the procedure linkage table) is evaluated when
 * the rule is made, since a rule belongs to one address. Callers are looked up by return address -
 * 1, the call itself: the return address may already be in another function.
 *
 * The cache has 2 ways and is tagged with a generation, so forgetting everything costs nothing. It
 * begins with few of its sets, since most processes are short, and each page costs a fault, and
 * each child that the process forks a copy; where it grows, rules that are elsewhere then are made
 * again. Any thread and any signal handler may look up and insert at any time, without a lock: an
 * entry holds the rule, and the rule combined with its key, so a reader that meets two halves of
 * different rules finds nothing. */
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
    RULE_RBP_UNCHANGED = -8, /* value of rbp_offset */
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

/* Returns the rule that says the same as ROW, for code at PC; RULE_BEYOND if there is none. */
struct unwind_rule unwind_rule_from_row(const struct frame_row *row, uint64_t pc);

struct cached_rule {
    _Atomic uint64_t sealed_key; /* (address | tag) ^ bits of the rule */
    _Atomic uint64_t rule;       /* the bits of the rule */
};

enum {
    RULE_SET_BITS = 14,
    RULE_FIRST_SET_BITS = 8, /* of the sets that are used at first: two pages */
    RULE_WAYS = 2,
    RULE_ADDRESS_BITS = 48,
};

struct rule_set {
    struct cached_rule ways[RULE_WAYS];
};

/* Zeroed memory is an empty cache once rule_cache_forget() has set its tag. */
struct rule_cache {
    _Atomic uint64_t tag;       /* the generation, above all bits of an address; never 0 */
    _Atomic uint32_t more_sets; /* the bits of an index that are used beside the first ones */
    _Alignas(64) _Atomic uint32_t inserted; /* rules, until it has all its sets, since it has grown
                                             * or was forgotten; apart from what all read */
    _Alignas(64) struct rule_set sets[1 << RULE_SET_BITS];
};

/* The index of the last of the sets that are used. */
static inline uint32_t rule_last_set(const struct rule_cache *cache)
{
    return ((1 << RULE_FIRST_SET_BITS) - 1) |
           atomic_load_explicit(&cache->more_sets, memory_order_relaxed);
}

/* Neighbouring code uses neighbouring sets, so a program touches few pages of the cache. */
static inline size_t rule_set_index(const struct rule_cache *cache, uint64_t address)
{
    return (address ^ address >> RULE_SET_BITS ^ address >> (2 * RULE_SET_BITS)) &
           rule_last_set(cache);
}

static inline uint64_t rule_cache_tag(const struct rule_cache *cache)
{
    return atomic_load_explicit(&cache->tag, memory_order_acquire);
}

/* Returns whether WAY holds the rule of KEY, with the rule's bits in *BITS. */
static inline bool rule_way_matches(const struct cached_rule *way, uint64_t key, uint64_t *bits)
{
    *bits = atomic_load_explicit(&way->rule, memory_order_relaxed);
    return (atomic_load_explicit(&way->sealed_key, memory_order_relaxed) ^ *bits) == key;
}

/* Returns false if ADDRESS is not in the cache. An impossible address, as found in damaged stacks,
 * never is. TAG is rule_cache_tag(); reading that once for each stack is enough. */
static inline bool rule_cache_find(const struct rule_cache *cache, uint64_t tag, uint64_t address,
                                   struct unwind_rule *out)
{
    const struct rule_set *set = &cache->sets[rule_set_index(cache, address)];
    uint64_t key = address | tag, bits;
    if (__builtin_expect(address >> RULE_ADDRESS_BITS != 0, 0))
        return false;
    if (!__builtin_expect(rule_way_matches(&set->ways[0], key, &bits), 1) &&
        !rule_way_matches(&set->ways[1], key, &bits))
        return false;
    memcpy(out, &bits, sizeof(*out));
    return true;
}

/* Inserts a rule that is not in the cache; the older rule of its set is dropped. TAG is that of the
 * tables from which the rule was made. The cache may grow. */
void rule_cache_insert(struct rule_cache *cache, uint64_t tag, uint64_t address,
                       struct unwind_rule rule);

/* Forgets all rules. One thread at a time; others may look up and insert meanwhile. */
void rule_cache_forget(struct rule_cache *cache);

#endif
