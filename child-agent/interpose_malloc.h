/* What hooks do besides the call itself, while somebody wants to know. For the hooks' library only.
 */
#ifndef PROFD_AGENT_INTERPOSE_MALLOC_H
#define PROFD_AGENT_INTERPOSE_MALLOC_H

#include "child-agent/allocation_site_x86_64.h"
#include "child-agent/interpose.h"
#include "child-agent/interpose_malloc_real.h"

/* The calling thread's; nowhere but in the hooks, and on their fastest path. */
extern __thread struct allocation_countdown allocation_countdown
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* What hooks test first: nearly always 0. */
static inline uint32_t allocations_active(void)
{
    return __builtin_expect(
        atomic_load_explicit(&profd_allocation_hooks.active, memory_order_relaxed), 0);
}

/* MEMORY of BYTES, or NULL, was allocated for the caller at SITE. */
static inline __attribute__((always_inline)) void note_allocation(void *memory, size_t bytes,
                                                                  struct allocation_site site)
{
    if (memory == NULL || !(allocations_active() & ALLOCATIONS_SAMPLED))
        return;
    allocation_countdown.bytes -= (int64_t)bytes;
    if (__builtin_expect(allocation_countdown.bytes <= 0, 0))
        profd_allocation_hooks.sample(&allocation_countdown, memory, bytes, &site);
}

/* MEMORY is about to be freed. Whether it was sampled, and as what. */
static inline __attribute__((always_inline)) bool
note_free(void *memory, struct allocation_site site, struct sampled_allocation *sampled)
{
    return (allocations_active() & ALLOCATIONS_MATCHED) &&
           __builtin_expect(allocation_filter_has(profd_allocation_hooks.filter, memory), 0) &&
           profd_allocation_hooks.forget(memory, &site, sampled);
}

#endif
