/* What stands between the hooks of mmap and its kin in libprofd-malloc.so, and libprofd.so, which
 * counts.
 *
 * As child-agent/malloc_hooks/allocation_hooks.h: the struct belongs to the hooks' library, and the
 * agent knows it by a weak name. */
#ifndef PROFD_AGENT_MAPPING_HOOKS_H
#define PROFD_AGENT_MAPPING_HOOKS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call that changes what is mapped, from before it until what it did was told. */
struct mapping_turn {
    sigset_t mask;          /* of the thread, which takes no signals meanwhile */
    int64_t bytes;          /* more are mapped than before */
    bool changes_anonymous; /* the call did something to what is counted */
};

struct mapping_hooks {
    _Atomic bool is_active;
    /* The agent's, set before is_active ever is, and for good. Between begin and end no other
     * thread maps anything: what is told is in the order in which it happened. */
    void (*begin)(struct mapping_turn *turn);
    /* Memory of BYTES is mapped at START, whatever was there. */
    void (*mapped)(struct mapping_turn *turn, const void *start, size_t bytes, bool is_anonymous);
    /* Nothing is mapped there any more. */
    void (*unmapped)(struct mapping_turn *turn, const void *start, size_t bytes);
    /* What was at START is at MOVED now, and has BYTES; of OLD_BYTES that it had, unless those are
     * KEPT as well. */
    void (*moved)(struct mapping_turn *turn, const void *start, size_t old_bytes, bool is_kept,
                  const void *moved, size_t bytes);
    /* errno is as it was. */
    void (*end)(struct mapping_turn *turn);
};

extern struct mapping_hooks profd_mapping_hooks;

#endif
