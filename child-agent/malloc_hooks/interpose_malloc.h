/* What hooks do besides the call itself, while somebody wants to know. For the hooks' library only.
 */
#ifndef PROFD_AGENT_INTERPOSE_MALLOC_H
#define PROFD_AGENT_INTERPOSE_MALLOC_H

#include "child-agent/guest/interpose.h"
#include "child-agent/malloc_hooks/allocation_site_x86_64.h"
#include "child-agent/malloc_hooks/interpose_malloc_real.h"

/* The calling thread's; nowhere but in the hooks, and on their fastest path. */
extern __thread struct allocation_countdown allocation_countdown
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What hooks test first: nearly always 0. */
static inline uint32_t allocations_active(void)
{
    return __builtin_expect(
        atomic_load_explicit(&profd_allocation_hooks.active, memory_order_relaxed), 0);
}

/* Whether the thread has come to its next sample. Sizes that no positive number tells, which nobody
 * gets, count for what they are without their highest bit. */
static inline bool allocation_is_due(size_t bytes)
{
    allocation_countdown.bytes -= (int64_t)(bytes & INT64_MAX);
    return __builtin_expect(allocation_countdown.bytes <= 0, 0);
}

/* Whether BYTES can be allocated without a note, with these bits ACTIVE: the call is a jump then.
 * Counts down. */
static inline bool allocation_passes_while(uint32_t active, size_t bytes)
{
    return !(active & ALLOCATIONS_COUNTED) &&
           !((active & ALLOCATIONS_SAMPLED) && allocation_is_due(bytes));
}

static inline bool allocation_passes(size_t bytes)
{
    return allocation_passes_while(allocations_active(), bytes);
}

/* The same for the end of MEMORY. */
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

/* MEMORY of BYTES is the thread's next sample. Here and below: for the caller of the function that
 * this is part of. */
static inline __attribute__((always_inline)) void note_sample(void *memory, size_t bytes)
{
    struct allocation_site site = ALLOCATION_SITE_HERE();
    profd_allocation_hooks.sample(&allocation_countdown, memory, bytes, &site);
}

/* MEMORY of BYTES did not pass; NULL: there was none to be had. */
static inline __attribute__((always_inline)) void note_allocation(void *memory, size_t bytes)
{
    uint32_t active = allocations_active();
    if (memory == NULL) {
        /* It took from the countdown: the next one begins it anew. */
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

/* MEMORY may be about to be freed. Whether it was sampled, and as what. */
static inline __attribute__((always_inline)) bool note_end(void *memory,
                                                           struct sampled_allocation *sampled)
{
    if (!(allocations_active() & ALLOCATIONS_MATCHED) ||
        __builtin_expect(!allocation_filter_has(profd_allocation_hooks.filter, memory), 1))
        return false;
    struct allocation_site site = ALLOCATION_SITE_HERE();
    return profd_allocation_hooks.forget(memory, &site, sampled);
}

/* MEMORY did not pass, and is about to be freed. */
static inline __attribute__((always_inline)) void note_free(void *memory)
{
    struct sampled_allocation sampled;
    if (allocations_active() & ALLOCATIONS_COUNTED)
        count_bytes(-usable_bytes(memory));
    (void)note_end(memory, &sampled);
}

#endif
