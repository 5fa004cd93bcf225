/* Interposed, in a library of its own: malloc and its kin. Each goes straight on to the allocator
 * while nobody asks; else by a function beside it, entered by a jump, so that both are called from
 * the same place. */
#include "child-agent/interpose_malloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE static __attribute__((noinline))

struct allocation_hooks profd_allocation_hooks __attribute__((visibility("default")));

__thread struct allocation_countdown allocation_countdown;

/* --- New memory --- */

BESIDE void *noted_malloc(size_t bytes)
{
    void *memory = real_malloc.malloc(bytes);
    note_allocation(memory, bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *malloc(size_t bytes)
{
    return allocations_active() ? noted_malloc(bytes) : real_malloc.malloc(bytes);
}

BESIDE void *noted_calloc(size_t count, size_t bytes)
{
    void *memory = real_malloc.calloc(count, bytes);
    note_allocation(memory, count * bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *calloc(size_t count, size_t bytes)
{
    return allocations_active() ? noted_calloc(count, bytes) : real_malloc.calloc(count, bytes);
}

BESIDE void *noted_aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = real_malloc.aligned_alloc(alignment, bytes);
    note_allocation(memory, bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return allocations_active() ? noted_aligned_alloc(alignment, bytes)
                                : real_malloc.aligned_alloc(alignment, bytes);
}

BESIDE void *noted_memalign(size_t alignment, size_t bytes)
{
    void *memory = real_malloc.memalign(alignment, bytes);
    note_allocation(memory, bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *memalign(size_t alignment, size_t bytes)
{
    return allocations_active() ? noted_memalign(alignment, bytes)
                                : real_malloc.memalign(alignment, bytes);
}

BESIDE int noted_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int error = real_malloc.posix_memalign(memory, alignment, bytes);
    note_allocation(error == 0 ? *memory : NULL, bytes, ALLOCATION_SITE_HERE());
    return error;
}

PROFD_INTERPOSED int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return allocations_active() ? noted_posix_memalign(memory, alignment, bytes)
                                : real_malloc.posix_memalign(memory, alignment, bytes);
}

BESIDE void *noted_valloc(size_t bytes)
{
    void *memory = real_malloc.valloc(bytes);
    note_allocation(memory, bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *valloc(size_t bytes)
{
    return allocations_active() ? noted_valloc(bytes) : real_malloc.valloc(bytes);
}

BESIDE void *noted_pvalloc(size_t bytes)
{
    void *memory = real_malloc.pvalloc(bytes);
    note_allocation(memory, bytes, ALLOCATION_SITE_HERE());
    return memory;
}

PROFD_INTERPOSED void *pvalloc(size_t bytes)
{
    return allocations_active() ? noted_pvalloc(bytes) : real_malloc.pvalloc(bytes);
}

/* --- The end of memory --- */

BESIDE void noted_free(void *memory)
{
    struct sampled_allocation sampled;
    if (memory == NULL || real_malloc_is_early(memory))
        return;
    (void)note_free(memory, ALLOCATION_SITE_HERE(), &sampled);
    real_malloc.free(memory);
}

PROFD_INTERPOSED void free(void *memory)
{
    if (allocations_active())
        noted_free(memory);
    else
        real_malloc.free(memory);
}

/* --- Both --- */

/* Memory from before the allocator was found moves to where it belongs. */
static void *move_early(void *memory, size_t bytes)
{
    size_t old_bytes = real_malloc_early_bytes(memory);
    void *moved = real_malloc.malloc(bytes);
    if (moved != NULL)
        memcpy(moved, memory, old_bytes < bytes ? old_bytes : bytes);
    return moved;
}

/* The end is told first: once the old place is free, another thread may have it. */
BESIDE void *noted_realloc(void *memory, size_t bytes)
{
    struct allocation_site site = ALLOCATION_SITE_HERE();
    struct sampled_allocation sampled;
    if (memory != NULL && real_malloc_is_early(memory))
        return move_early(memory, bytes);
    bool was_sampled = memory != NULL && note_free(memory, site, &sampled);
    void *moved = real_malloc.realloc(memory, bytes);
    if (moved == NULL && bytes > 0 && was_sampled)
        profd_allocation_hooks.remember(memory, &site, &sampled);
    note_allocation(moved, bytes, site);
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
