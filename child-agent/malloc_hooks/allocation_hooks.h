/* What stands between libprofd-malloc.so, which takes the program's calls of malloc and its kin,
 * and libprofd.so, which records.
 *
 * The hooks are a library of their own: a program of which nobody wants to know what it allocates
 * has no hooks in its way. They ask nobody, and call what is here only while `active` says so. The
 * struct belongs to the hooks' library; the agent knows it by a weak name, NULL when that is not
 * loaded. Neither is ever unloaded. */
#ifndef PROFD_AGENT_ALLOCATION_HOOKS_H
#define PROFD_AGENT_ALLOCATION_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "child-agent/malloc_hooks/allocation_filter.h"

enum {
    ALLOCATIONS_COUNTED = 1, /* bytes and operations are added up */
    ALLOCATIONS_SAMPLED = 2, /* some allocations are remembered */
    ALLOCATIONS_MATCHED = 4, /* frees are looked up */
    ALLOCATIONS_EARLY = 8,   /* the hooks' own: there is memory from before malloc was found */
};

/* Who called a hook: as if the call were just about to be made. */
struct allocation_site {
    uint64_t pc, stack_address, frame_pointer;
};

/* A thread's way to its next sample. */
struct allocation_countdown {
    int64_t bytes;       /* sampled when not above 0 */
    uint32_t generation; /* of the recording that it was drawn for; 0: none */
    bool has_counted;    /* set whenever bytes are counted */
    uint64_t random;
};

struct allocation_hooks {
    _Atomic uint32_t active;
    /* The agent's, set before the bits of `active` that need them ever are, and for good.
     *
     * BYTES more are allocated (negative: less). */
    void (*count)(int64_t bytes);
    /* What may have been sampled. */
    const allocation_filter *filter;

    /* The countdown is over: ADDRESS of BYTES is sampled, or the countdown begins. */
    void (*sample)(struct allocation_countdown *countdown, void *address, size_t bytes,
                   const struct allocation_site *site);
    /* ADDRESS, which the filter knows, is about to be freed. Whether it was sampled, and as what.
     */
    bool (*forget)(void *address, const struct allocation_site *site,
                   struct sampled_allocation *out);
    /* It was not freed after all. */
    void (*remember)(void *address, const struct allocation_site *site,
                     const struct sampled_allocation *sampled);

    /* The hooks': whether any was ever called, and whether the allocator tells how large what it
     * gave out is. */
    bool (*were_called)(void);
    bool (*knows_sizes)(void);
};

extern struct allocation_hooks profd_allocation_hooks;

#endif
