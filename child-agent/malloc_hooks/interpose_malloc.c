/* Interposed, in a library of its own: malloc and its kin. Each goes straight on to the allocator
 * while nobody asks; else by a function beside it, entered by a jump, so that both are called from
 * the same place. */
#include "child-agent/malloc_hooks/interpose_malloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE static __attribute__((noinline))

static bool knows_sizes(void)
{
    return real_malloc_find()->usable_size != NULL;
}

struct allocation_hooks profd_allocation_hooks
    __attribute__((visibility("default"))) = { .were_called = real_malloc_was_found,
                                               .knows_sizes = knows_sizes };

__thread struct allocation_countdown allocation_countdown;

__attribute__((visibility("default"))) void profd_allocation_begin_anew(void)
{
    allocation_countdown = (struct allocation_countdown){ 0 };
}

/* --- New memory --- */

BESIDE void *noted_malloc(size_t bytes)
{
    void *memory = real_malloc.malloc(bytes);
    note_allocation(memory, bytes);
    return memory;
}

/* While allocations are only counted: what that costs is felt in every program. */
BESIDE void *counted_malloc(size_t bytes)
{
    void *memory = real_malloc.malloc(bytes);
    if (memory != NULL)
        count_bytes((int64_t)real_malloc.usable_size(memory));
    return memory;
}

PROFD_INTERPOSED void *malloc(size_t bytes)
{
    uint32_t active = allocations_active();
    if (allocation_passes_while(active, bytes))
        return real_malloc.malloc(bytes);
    return active == ALLOCATIONS_COUNTED ? counted_malloc(bytes) : noted_malloc(bytes);
}

BESIDE void *noted_calloc(size_t count, size_t bytes)
{
    void *memory = real_malloc.calloc(count, bytes);
    note_allocation(memory, count * bytes);
    return memory;
}

PROFD_INTERPOSED void *calloc(size_t count, size_t bytes)
{
    return allocation_passes(count * bytes) ? real_malloc.calloc(count, bytes)
                                            : noted_calloc(count, bytes);
}

BESIDE void *noted_aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = real_malloc.aligned_alloc(alignment, bytes);
    note_allocation(memory, bytes);
    return memory;
}

PROFD_INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return allocation_passes(bytes) ? real_malloc.aligned_alloc(alignment, bytes)
                                    : noted_aligned_alloc(alignment, bytes);
}

BESIDE void *noted_memalign(size_t alignment, size_t bytes)
{
    void *memory = real_malloc.memalign(alignment, bytes);
    note_allocation(memory, bytes);
    return memory;
}

PROFD_INTERPOSED void *memalign(size_t alignment, size_t bytes)
{
    return allocation_passes(bytes) ? real_malloc.memalign(alignment, bytes)
                                    : noted_memalign(alignment, bytes);
}

BESIDE int noted_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int error = real_malloc.posix_memalign(memory, alignment, bytes);
    note_allocation(error == 0 ? *memory : NULL, bytes);
    return error;
}

PROFD_INTERPOSED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return allocation_passes(bytes) ? real_malloc.posix_memalign(memory, alignment, bytes)
                                    : noted_posix_memalign(memory, alignment, bytes);
}

BESIDE void *noted_valloc(size_t bytes)
{
    void *memory = real_malloc.valloc(bytes);
    note_allocation(memory, bytes);
    return memory;
}

PROFD_INTERPOSED void *valloc(size_t bytes)
{
    return allocation_passes(bytes) ? real_malloc.valloc(bytes) : noted_valloc(bytes);
}

BESIDE void *noted_pvalloc(size_t bytes)
{
    void *memory = real_malloc.pvalloc(bytes);
    note_allocation(memory, bytes);
    return memory;
}

PROFD_INTERPOSED void *pvalloc(size_t bytes)
{
    return allocation_passes(bytes) ? real_malloc.pvalloc(bytes) : noted_pvalloc(bytes);
}

/* --- The end of memory --- */

static inline bool is_early(const void *memory)
{
    return (allocations_active() & ALLOCATIONS_EARLY) && real_malloc_is_early(memory);
}

BESIDE void noted_free(void *memory)
{
    if (memory == NULL || is_early(memory))
        return;
    note_free(memory);
    real_malloc.free(memory);
}

BESIDE void counted_free(void *memory)
{
    if (memory != NULL)
        count_bytes(-(int64_t)real_malloc.usable_size(memory));
    real_malloc.free(memory);
}

PROFD_INTERPOSED void free(void *memory)
{
    uint32_t active = allocations_active();
    if (free_passes_while(active, memory))
        real_malloc.free(memory);
    else if (active == ALLOCATIONS_COUNTED)
        counted_free(memory);
    else
        noted_free(memory);
}

/* --- Both --- */

/* Memory from before the allocator was found moves to where it belongs. */
static void *move_early(void *memory, size_t bytes)
{
    size_t old_bytes = real_malloc_early_bytes(memory);
    void *moved = real_malloc.malloc(bytes);
    if (moved != NULL)
        memcpy(moved, memory, old_bytes < bytes ? old_bytes : bytes);
    if (allocations_active() & ALLOCATIONS_COUNTED)
        count_bytes(usable_bytes(moved));
    return moved;
}

static inline __attribute__((always_inline)) void
take_back_end(void *memory, const struct sampled_allocation *sampled)
{
    struct allocation_site site = ALLOCATION_SITE_HERE();
    profd_allocation_hooks.remember(memory, &site, sampled);
}

/* The end is told first: once the old place is free, another thread may have it. */
BESIDE void *noted_realloc(void *memory, size_t bytes)
{
    struct sampled_allocation sampled;
    if (memory != NULL && is_early(memory))
        return move_early(memory, bytes);
    bool is_counted = (allocations_active() & ALLOCATIONS_COUNTED) != 0;
    int64_t old_bytes = is_counted ? usable_bytes(memory) : 0;
    bool was_sampled = memory != NULL && note_end(memory, &sampled);
    void *moved = real_malloc.realloc(memory, bytes);
    bool has_failed = moved == NULL && bytes > 0;
    if (has_failed && was_sampled)
        take_back_end(memory, &sampled);
    if (is_counted && !has_failed)
        count_bytes(usable_bytes(moved) - old_bytes);
    if ((allocations_active() & ALLOCATIONS_SAMPLED) && moved != NULL && allocation_is_due(bytes))
        note_sample(moved, bytes);
    return moved;
}

PROFD_INTERPOSED void *realloc(void *memory, size_t bytes)
{
    return allocations_active() ? noted_realloc(memory, bytes) : real_malloc.realloc(memory, bytes);
}

/* Some allocators have one of their own, others call realloc. */
PROFD_INTERPOSED void *reallocarray(void *memory, size_t count, size_t bytes)
{
    size_t product;
    if (__builtin_mul_overflow(count, bytes, &product)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocations_active() ? noted_realloc(memory, product)
                                : real_malloc.realloc(memory, product);
}
