/* What the hooks do besides the call itself, while somebody wants to know. Only for the hooks'
 * library. */
#ifndef PROFD_AGENT_INTERPOSE_MALLOC_H
#define PROFD_AGENT_INTERPOSE_MALLOC_H

#include "child-agent/guest/interpose.h"
#include "child-agent/malloc_hooks/allocation_site_x86_64.h"
#include "child-agent/malloc_hooks/interpose_malloc_real.h"

/* The calling thread's countdown. Used only in the hooks, on their fastest path. */
extern __thread struct allocation_countdown allocation_countdown
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns what the hooks test first; nearly always 0. */
static inline uint32_t allocations_active(void)
{
    return __builtin_expect(
        atomic_load_explicit(&profd_allocation_hooks.active, memory_order_relaxed), 0);
}

/* Counts down BYTES and returns whether the thread has come to its next sample. The highest bit of
 * BYTES is ignored: no allocation is that large. */
static inline bool allocation_is_due(size_t bytes)
{
    allocation_countdown.bytes -= (int64_t)(bytes & INT64_MAX);
    return __builtin_expect(allocation_countdown.bytes <= 0, 0);
}

/* Returns whether BYTES can be allocated without a note while the bits ACTIVE are set; the hook is
 * then just a jump. Counts down. */
static inline bool allocation_passes_while(uint32_t active, size_t bytes)
{
    return !(active & ALLOCATIONS_COUNTED) &&
           !((active & ALLOCATIONS_SAMPLED) && allocation_is_due(bytes));
}

static inline bool allocation_passes(size_t bytes)
{
    return allocation_passes_while(allocations_active(), bytes);
}

/* Likewise for the freeing of MEMORY. */
static inline bool free_passes_while(uint32_t active, const void *memory)
{
    return !(active & (ALLOCATIONS_COUNTED | ALLOCATIONS_EARLY)) &&
           !((active & ALLOCATIONS_MATCHED) &&
             allocation_filter_has(profd_allocation_hooks.filter, memory));
}

static inline bool free_passes(const void *memory)
{
    return free_passes_while(allocations_active(), memory);
}

static inline int64_t usable_bytes(void *memory)
{
    return memory != NULL ? (int64_t)real_malloc.usable_size(memory) : 0;
}

static inline void count_bytes(int64_t bytes)
{
    allocation_countdown.has_counted = true;
    profd_allocation_hooks.count(bytes);
}

/* Notes MEMORY of BYTES as the thread's next sample. This and the following functions are inlined
 * into a hook and record the hook's caller. */
static inline __attribute__((always_inline)) void note_sample(void *memory, size_t bytes)
{
    struct allocation_site site = ALLOCATION_SITE_HERE();
    profd_allocation_hooks.sample(&allocation_countdown, memory, bytes, &site);
}

/* Notes MEMORY of BYTES, which did not pass; NULL: the allocation failed. */
static inline __attribute__((always_inline)) void note_allocation(void *memory, size_t bytes)
{
    uint32_t active = allocations_active();
    if (memory == NULL) {
        /* The failed call has already counted down; the next one starts the countdown again. */
        allocation_countdown.bytes = 0;
        allocation_countdown.generation = 0;
        return;
    }
    if (active & ALLOCATIONS_COUNTED) {
        count_bytes(usable_bytes(memory));
        if (!(active & ALLOCATIONS_SAMPLED) || !allocation_is_due(bytes))
            return;
    }
    if (active & ALLOCATIONS_SAMPLED)
        note_sample(memory, bytes);
}

/* Called when MEMORY may be about to be freed. Returns whether it was sampled, and as what. */
static inline __attribute__((always_inline)) bool note_end(void *memory,
                                                           struct sampled_allocation *sampled)
{
    if (!(allocations_active() & ALLOCATIONS_MATCHED) ||
        __builtin_expect(!allocation_filter_has(profd_allocation_hooks.filter, memory), 1))
        return false;
    struct allocation_site site = ALLOCATION_SITE_HERE();
    return profd_allocation_hooks.forget(memory, &site, sampled);
}

/* Notes that MEMORY, which did not pass, is about to be freed. */
static inline __attribute__((always_inline)) void note_free(void *memory)
{
    struct sampled_allocation sampled;
    if (allocations_active() & ALLOCATIONS_COUNTED)
        count_bytes(-usable_bytes(memory));
    (void)note_end(memory, &sampled);
}

#endif
