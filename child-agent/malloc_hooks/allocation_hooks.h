/* The interface between libprofd-malloc.so, which intercepts the program's calls of malloc and the
 * like, and libprofd.so, which records.
 *
 * The hooks are a library of their own, so that a program whose allocations nobody wants to see
 * runs without hooks. They call the functions here only while `active` says so. The struct belongs
 * to the hooks' library; the agent refers to it by a weak symbol, which is NULL if that library is
 * not loaded. Neither library is ever unloaded. */
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
    ALLOCATIONS_MATCHED = 4, /* frees are looked up in the table */
    ALLOCATIONS_EARLY = 8,   /* set by the hooks: there is memory from before malloc was found */
};

/* The caller of a hook, in the state just before the call. */
struct allocation_site {
    uint64_t pc, stack_address, frame_pointer;
};

/* A thread's distance to its next sample. */
struct allocation_countdown {
    int64_t bytes;       /* the next allocation is sampled if this is 0 or below */
    uint32_t generation; /* of the recording that the distance was drawn for; 0: none */
    bool has_counted;    /* set whenever bytes are counted */
    uint64_t random;
};

struct allocation_hooks {
    _Atomic uint32_t active;
    /* Set by the agent before the bits of `active` that need them are first set, and never changed
     * again.
     *
     * Reports that BYTES more are allocated (negative: less). */
    void (*count)(int64_t bytes);
    /* The addresses that may have been sampled. */
    const allocation_filter *filter;

    /* Called when the countdown has ended: ADDRESS of BYTES is sampled, or the countdown starts. */
    void (*sample)(struct allocation_countdown *countdown, void *address, size_t bytes,
                   const struct allocation_site *site);
    /* Called when ADDRESS, which the filter knows, is about to be freed. Returns whether it was
     * sampled, and as what. */
    bool (*forget)(void *address, const struct allocation_site *site,
                   struct sampled_allocation *out);
    /* Called when ADDRESS was not freed after all. */
    void (*remember)(void *address, const struct allocation_site *site,
                     const struct sampled_allocation *sampled);

    /* Set by the hooks' library: return whether any hook was ever called, and whether the allocator
     * can tell the size of what it has allocated. */
    bool (*were_called)(void);
    bool (*knows_sizes)(void);
};

extern struct allocation_hooks profd_allocation_hooks;

/* Called in a forked child: the calling thread's countdown begins anew, or all children of a parent
 * would sample the same. */
void profd_allocation_begin_anew(void);

#endif
