/* A walk in progress: what the steps of unwinder_walk() share. */
#ifndef PROFD_AGENT_WALK_H
#define PROFD_AGENT_WALK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/unwinding/modules.h"
#include "child-agent/unwinding/snapshot.h"
#include "child-agent/unwinding/unwind_rule.h"
#include "child-agent/unwinding/unwind_state.h"
#include "child-agent/unwinding/unwinder.h"

enum { WALK_WORD_BYTES = 8 };

enum walk_end {
    WALK_GOES_ON = 0,
    WALK_AT_ROOT = 1,
    WALK_BROKEN = 2,
};

struct unwinder {
    struct module_map *modules;
    uint64_t generation; /* the generation of the modules that the cached rules describe; accessed
                          * with the map entered */
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
    uint64_t tag; /* tag of the valid rules */
    int stacks;   /* number of stacks reached after the first */
};

/* Not a read-modify-write, which would cost more than a frame: a concurrent count may be lost. */
static inline void walk_count_up(_Atomic uint64_t *counter, uint64_t count)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count,
                          memory_order_relaxed);
}

#endif
