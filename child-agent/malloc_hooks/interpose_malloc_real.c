#include "child-agent/malloc_hooks/interpose_malloc_real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "child-agent/malloc_hooks/allocation_hooks.h"

enum { EARLY_BYTES = 64 * 1024, EARLY_ALIGNMENT = 16, EARLY_LARGEST_ALIGNMENT = 4096 };

/* --- Memory while the allocator is looked for --- */

static struct {
    _Atomic size_t used;
    _Alignas(EARLY_LARGEST_ALIGNMENT) uint8_t bytes[EARLY_BYTES];
} early;

/* What stands in front of each piece. */
struct early_header {
    _Alignas(EARLY_ALIGNMENT) size_t bytes;
};

static void *early_aligned(size_t alignment, size_t bytes)
{
    size_t old = atomic_load(&early.used), start;
    if (alignment < EARLY_ALIGNMENT)
        alignment = EARLY_ALIGNMENT;
    if (bytes > EARLY_BYTES || alignment > EARLY_LARGEST_ALIGNMENT)
        goto full;
    do {
        start = (old + sizeof(struct early_header) + alignment - 1) / alignment * alignment;
        if (start + bytes > EARLY_BYTES)
            goto full;
    } while (!atomic_compare_exchange_weak(&early.used, &old, start + bytes));
    ((struct early_header *)(void *)(early.bytes + start))[-1].bytes = bytes;
    /* From now on every free is looked at. */
    atomic_fetch_or(&profd_allocation_hooks.active, ALLOCATIONS_EARLY);
    return early.bytes + start;

full:
    errno = ENOMEM;
    return NULL;
}

bool real_malloc_is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early.bytes < EARLY_BYTES;
}

size_t real_malloc_early_bytes(const void *memory)
{
    return ((const struct early_header *)memory)[-1].bytes;
}

static void *early_malloc(size_t bytes)
{
    return early_aligned(EARLY_ALIGNMENT, bytes);
}

/* Never given back, so it is still zero. */
static void *early_calloc(size_t count, size_t bytes)
{
    size_t product;
    return __builtin_mul_overflow(count, bytes, &product) ? NULL : early_malloc(product);
}

static void *early_realloc(void *memory, size_t bytes)
{
    void *moved = early_malloc(bytes);
    size_t old_bytes = memory != NULL ? real_malloc_early_bytes(memory) : 0;
    if (moved != NULL && old_bytes > 0)
        memcpy(moved, memory, old_bytes < bytes ? old_bytes : bytes);
    return moved;
}

static void early_free(void *memory)
{
    (void)memory;
}

static int early_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *aligned = early_aligned(alignment, bytes);
    if (aligned == NULL)
        return ENOMEM;
    *memory = aligned;
    return 0;
}

static void *early_pages(size_t bytes)
{
    return early_aligned(EARLY_LARGEST_ALIGNMENT, bytes);
}

static const struct real_malloc early_functions = {
    .malloc = early_malloc,
    .calloc = early_calloc,
    .realloc = early_realloc,
    .free = early_free,
    .aligned_alloc = early_aligned,
    .memalign = early_aligned,
    .posix_memalign = early_posix_memalign,
    .valloc = early_pages,
    .pvalloc = early_pages,
};

/* --- The search --- */

static volatile bool is_found;
static __thread bool is_searching __attribute__((tls_model("initial-exec")));

static const void *owner_of(const void *function)
{
    Dl_info info;
    return function != NULL && dladdr(function, &info) != 0 ? info.dli_fbase : NULL;
}

/* The next definition of NAME; FALLBACK where nobody has one. */
static void *next_definition(const char *name, void *fallback)
{
    void *found = dlsym(RTLD_NEXT, name);
    return found != NULL ? found : fallback;
}

static struct real_malloc find_functions(void)
{
    const struct real_malloc *none = &early_functions;
    struct real_malloc found = {
        .malloc = next_definition("malloc", none->malloc),
        .calloc = next_definition("calloc", none->calloc),
        .realloc = next_definition("realloc", none->realloc),
        .free = next_definition("free", none->free),
        .aligned_alloc = next_definition("aligned_alloc", none->aligned_alloc),
        .memalign = next_definition("memalign", none->memalign),
        .posix_memalign = next_definition("posix_memalign", none->posix_memalign),
        .valloc = next_definition("valloc", none->valloc),
        .pvalloc = next_definition("pvalloc", none->pvalloc),
        .usable_size = next_definition("malloc_usable_size", NULL),
    };
    /* An allocator without one must not be asked by another's. */
    if (owner_of((const void *)found.usable_size) != owner_of((const void *)found.malloc))
        found.usable_size = NULL;
    return found;
}

/* Threads that come here at the same time find the same. */
const struct real_malloc *real_malloc_find(void)
{
    if (is_searching)
        return &early_functions;
    if (is_found)
        return &real_malloc;
    is_searching = true;
    real_malloc = find_functions();
    is_found = true;
    is_searching = false;
    return &real_malloc;
}

static void *first_malloc(size_t bytes)
{
    return real_malloc_find()->malloc(bytes);
}

static void *first_calloc(size_t count, size_t bytes)
{
    return real_malloc_find()->calloc(count, bytes);
}

static void *first_realloc(void *memory, size_t bytes)
{
    return real_malloc_find()->realloc(memory, bytes);
}

static void first_free(void *memory)
{
    real_malloc_find()->free(memory);
}

static void *first_aligned_alloc(size_t alignment, size_t bytes)
{
    return real_malloc_find()->aligned_alloc(alignment, bytes);
}

static void *first_memalign(size_t alignment, size_t bytes)
{
    return real_malloc_find()->memalign(alignment, bytes);
}

static int first_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return real_malloc_find()->posix_memalign(memory, alignment, bytes);
}

static void *first_valloc(size_t bytes)
{
    return real_malloc_find()->valloc(bytes);
}

static void *first_pvalloc(size_t bytes)
{
    return real_malloc_find()->pvalloc(bytes);
}

struct real_malloc real_malloc = {
    .malloc = first_malloc,
    .calloc = first_calloc,
    .realloc = first_realloc,
    .free = first_free,
    .aligned_alloc = first_aligned_alloc,
    .memalign = first_memalign,
    .posix_memalign = first_posix_memalign,
    .valloc = first_valloc,
    .pvalloc = first_pvalloc,
};

bool real_malloc_was_found(void)
{
    return is_found;
}

bool real_malloc_owns(const void *function)
{
    return owner_of(function) == owner_of((const void *)real_malloc_find()->malloc);
}
