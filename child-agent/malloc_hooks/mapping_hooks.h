/* The interface between the hooks of mmap and the like in libprofd-malloc.so, and libprofd.so,
 * which counts.
 *
 * As in child-agent/malloc_hooks/allocation_hooks.h, the struct belongs to the hooks' library, and
 * the agent refers to it by a weak symbol. */
#ifndef PROFD_AGENT_MAPPING_HOOKS_H
#define PROFD_AGENT_MAPPING_HOOKS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call that changes mappings, from before the call until its effects have been reported. */
struct mapping_turn {
    sigset_t mask;          /* the thread's mask; it takes no signals meanwhile */
    int64_t bytes;          /* how many more bytes are mapped than before */
    bool changes_anonymous; /* the call changed something that is counted */
};

struct mapping_hooks {
    _Atomic bool is_active;
    /* Set by the agent before is_active is first set, and never changed again. Between begin and
     * end no other thread maps anything, so what is reported is in the order in which it
     * happened. */
    void (*begin)(struct mapping_turn *turn);
    /* Reports that BYTES of memory are mapped at START, replacing what was there. */
    void (*mapped)(struct mapping_turn *turn, const void *start, size_t bytes, bool is_anonymous);
    /* Reports that nothing is mapped there any more. */
    void (*unmapped)(struct mapping_turn *turn, const void *start, size_t bytes);
    /* Reports that what was at START, with OLD_BYTES, is at MOVED and has BYTES. If IS_KEPT, the
     * old mapping remains as well. */
    void (*moved)(struct mapping_turn *turn, const void *start, size_t old_bytes, bool is_kept,
                  const void *moved, size_t bytes);
    /* Ends the turn. Preserves errno. */
    void (*end)(struct mapping_turn *turn);
};

extern struct mapping_hooks profd_mapping_hooks;

#endif
